#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Nothing is left allocated that nobody can free any more, as kmemleak tells: after
# programs that begin and end sessions in all ways, with and without failing
# allocations, and after the module itself. Needs root and a kernel that has it.
# PROFIL_MODULE names the profil.ko that is loaded, if modprobe cannot know.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROGRAMS=${PROGRAMS:-core/lifecycle_test process/fork_test memory/fault_test
	memory/fault_fork_test}
kmemleak=/sys/kernel/debug/kmemleak

# It reports what is older than 5 s, and what has not changed since the scan before
# (the first may read what is about to be freed).
scan() {
	sleep 6
	echo scan >"$kmemleak" && sleep 1 && echo scan >"$kmemleak"
}

# Refused when kmemleak has given up, for want of memory of its own.
nothing_leaked() {
	scan || return 1
	cat "$kmemleak" >"$work/err"
	[ ! -s "$work/err" ]
}

# Its own results are told too. Skipped ones did not fail.
runs() {
	"./$1" 2>&1 | sed 's/^/  /'
	case ${PIPESTATUS[0]} in
	0 | "$KSFT_SKIP") ;;
	*) return 1 ;;
	esac
}

ktap_print_header
need_root_and_device
if ! echo clear 2>/dev/null >"$kmemleak"; then
	skip_all "the kernel has no kmemleak, or it is off"
fi
need_module

# what others have leaked so far is no matter of ours
scan && echo clear >"$kmemleak"
# shellcheck disable=SC2086 # words
set -- $PROGRAMS
ktap_set_plan $(($# + 3))
for program; do
	check "$program" runs "$program"
done
check "nothing leaked by sessions" nothing_leaked
check "the module can be unloaded" rmmod profil
check "nothing leaked by the module" nothing_leaked
load
ktap_finished
