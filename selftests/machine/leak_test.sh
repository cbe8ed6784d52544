#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kmemleak reports no leak after tests that start and stop sessions in all ways, with and without
# failing allocations, nor after the module is unloaded. Needs root, and a kernel with kmemleak.
# PROFIL_MODULE: path of profil.ko, if modprobe does not find it. PROGRAMS: other tests to run.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROGRAMS=${PROGRAMS:-core/lifecycle_test process/fork_test memory/fault_test
	memory/fault_fork_test attach/attach_fault_test}
kmemleak=/sys/kernel/debug/kmemleak

# kmemleak reports objects that are older than 5 s and have not changed since the previous scan. The
# first scan may find memory that is about to be freed, so there are two.
scan() {
	sleep 6
	echo scan >"$kmemleak" && sleep 1 && echo scan >"$kmemleak"
}

# The scan fails if kmemleak has disabled itself because it was out of memory.
nothing_leaked() {
	scan || return 1
	cat "$kmemleak" >"$work/err"
	[ ! -s "$work/err" ]
}

# runs PROGRAM: runs it and prints its results, indented; skipped tests did not fail
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

# ignore earlier leaks of other code
scan && echo clear >"$kmemleak"
# shellcheck disable=SC2086 # a list of words
set -- $PROGRAMS
ktap_set_plan $(($# + 3))
for program; do
	check "$program" runs "$program"
done
check "no leak by sessions" nothing_leaked
check "the module can be unloaded" rmmod profil
check "no leak by the module" nothing_leaked
load
ktap_finished
