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

# In place of BOLT: the copy is a faster program.
mkdir "$work/fake"
cat >"$work/fake/llvm-bolt" <<END
#!/bin/bash
while [ "\$1" != -o ]; do shift; done
cp "$work/fast" "\$2"
END
chmod +x "$work/fake/llvm-bolt"

# The samples are in the loop.
profiled() {
	PATH=$work/fake:$PATH "$PROFIL" optimize --runs=6 "$program" >"$work/out" 2>"$work/err" &&
	grep -q ' add_up ' "$program.bolt.fdata" &&
	awk '/ samples exported, of / { found = $2 > 0.9 * $4 && $2 > 100 } END { exit !found }' \
		"$work/err" &&
	grep -q "^$program.bolt takes .* % less CPU time" "$work/out"
}

# The command's exit status is no failure of profil; a signal is one.
killed() {
	local status=0

	gcc -O1 -include signal.h -DROUNDS=1 -DSTATUS='kill(getpid(), SIGKILL)' -Wl,--emit-relocs \
		-o "$work/killed" programs/counts.c || return
	PATH=$work/fake:$PATH "$PROFIL" optimize "$work/killed" >"$work/out" 2>"$work/err" || status=$?
	[ $status = 1 ] && grep -q 'was killed, .* while it was profiled: no copy is made' "$work/err"
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
