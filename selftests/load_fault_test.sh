#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory that is refused while the module is loaded: for each of its allocations in
# turn. Each time it loads all the same, or is not there at all, and then it can be
# loaded. Needs root, and a kernel with fault injection (6.12-debug).
# PROFIL_MODULE names the profil.ko that is loaded, if modprobe cannot know.

cd "$(dirname "$0")" || exit 1
# shellcheck source=ktap.sh
. ./ktap.sh

faults=/sys/kernel/debug
kinds=(failslab fail_page_alloc)

# What the kernel loads modules to (Documentation/arch/x86/x86_64/mm.rst): as no other
# one is loaded, what is called from there is called by ours. Its init code is freed
# once it has run, so /proc/modules cannot tell where that is.
first=0xffffffffa0000000
last=0xfffffffffeffffff

aim() {
	local kind

	for kind in "${kinds[@]}"; do
		echo "$1" >"$faults/$kind/require-start" &&
		echo "$2" >"$faults/$kind/require-end" &&
		echo N >"$faults/$kind/ignore-gfp-wait" || return
	done
	echo 0 >"$faults/fail_page_alloc/min-order"
}

# load_failing NTH: its nth allocation fails, if it has so many
load_failing() {
	# shellcheck disable=SC2016 # $ are for the shell within
	sh -c 'echo "$1" >/proc/self/fail-nth && exec insmod "$2"' sh "$1" \
		"$PROFIL_MODULE" 2>"$work/err"
}

is_not_there() {
	[ ! -e /dev/profil ] && [ ! -e /sys/module/profil ] &&
	[ ! -e /sys/class/misc/profil ]
}

# Until it has had all that it wanted ten times in a row: some it can do without.
loads_or_does_not() {
	local nth refused=0 had=0

	for ((nth = 1; had < 10; nth++)); do
		if load_failing "$nth"; then
			((had++))
			./session </dev/null >/dev/null && rmmod profil || return
		else
			((refused++))
			had=0
			is_not_there || return
		fi
	done
	ktap_print_msg "$refused of $((nth - 11)) allocations cannot be done without"
	((refused))
}

loads_again() {
	load && ./session </dev/null >/dev/null
}

ktap_print_header
if [ "$(id -u)" != 0 ] || [ ! -c /dev/profil ]; then
	ktap_skip_all "needs root and the module loaded"
	exit "$KSFT_SKIP"
fi
if [ "$(uname -m)" != x86_64 ] || [ ! -e /proc/self/fail-nth ] ||
		! aim $first $last 2>/dev/null; then
	ktap_skip_all "the kernel has no fault injection by callers"
	exit "$KSFT_SKIP"
fi
if [ "$(wc -l </proc/modules)" != 1 ] || [ -z "$PROFIL_MODULE" ] ||
		! rmmod profil; then
	ktap_skip_all "wants PROFIL_MODULE, and to have no other module"
	exit "$KSFT_SKIP"
fi

ktap_set_plan 2
check "each allocation fails in turn" loads_or_does_not
aim 0 0xffffffffffffffff
check "it can be loaded then" loads_again
ktap_finished
