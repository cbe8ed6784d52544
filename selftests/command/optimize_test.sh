#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profil optimize: with a profile that it takes itself. host/optimize_test.sh tests the rest without the
# module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh
need_device

PROFIL=$(readlink -f "${PROFIL:-../tools/profil}")
program=$work/counts
gcc -O1 -DROUNDS=40 -DSTATUS=0 -Wl,--emit-relocs -o "$program" programs/counts.c &&
	gcc -O1 -DROUNDS=10 -DSTATUS=0 -o "$work/fast" programs/counts.c || exit 1

# The samples are in the loop, and the copy is that of the linker's command.
profiled() {
	"$PROFIL" optimize --runs=6 --with=order \
		--relink="cat \$ORDER >$work/order; cp $work/fast \"\$OUT\"" "$program" \
		>"$work/out" 2>"$work/err" &&
	[ "$(head -n 1 "$work/order")" = add_up ] &&
	awk '/ samples exported, of / { found = $2 > 0.9 * $4 && $2 > 100 } END { exit !found }' \
		"$work/err" &&
	grep -q "^$program.order is faster.$" "$work/out"
}

# The command's exit status is no failure of profil; a signal is one.
killed() {
	local status=0

	cp "$(command -v bash)" "$work/shell"
	"$PROFIL" optimize --with=order --relink=false "$work/shell" -c 'kill -9 $$' \
		>"$work/out" 2>"$work/err" || status=$?
	[ $status = 1 ] && grep -q 'shell had exit status 137 while it was profiled' "$work/err"
}

bolt() {
	local status=0

	"$PROFIL" optimize --runs=6 "$program" >"$work/out" 2>"$work/err" || status=$?
	[ $status = 0 ] || [ $status = 3 ] || return
	grep -qE ' [1-9][0-9]* out of .* have non-empty execution profile' "$program.bolt.log" &&
	"$program.bolt" </dev/null
}

ktap_print_header
ktap_set_plan 3
check "its own profile" profiled
check "a command that is killed" killed
if compgen -c llvm-bolt >/dev/null; then
	check "BOLT, with its own profile" bolt
else
	ktap_test_skip "BOLT, with its own profile: needs llvm-bolt (Debian: bolt-19)"
fi
ktap_finished
