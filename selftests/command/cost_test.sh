#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the start and the end of the command cost: the whole of `profil true`, in the CPU time of true.
# The clock must count instructions (scripts/vm/run --icount). PROFIL: path of the command (default:
# the tree's). host/cost_test.sh bounds what each executed program costs.
#
# The bound leaves a tenth for other versions of the libraries and the kernel. Who makes the command
# cheaper lowers it.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=${PROFIL:-../tools/profil}
RUNS=5

# On a file system of the guest: its files on the host's are slow to open.
prepare() {
	cp "$PROFIL" programs/cpu_time "$(type -P true)" "$work"
}

# cost COMMAND...: prints the median of the CPU time, in microseconds. The first run is not counted.
cost() {
	local _

	"$work/cpu_time" "$@" >/dev/null || return
	for _ in $(seq $RUNS); do
		"$work/cpu_time" "$@" || return
	done | sort -n | sed -n "$(((RUNS + 1) / 2))p"
}

# short_run MOST: at 1 Hz, there is no sample whose name is to be read.
short_run() {
	local alone whole

	alone=$(cost "$work/true") &&
	whole=$(cost "$work/profil" run -r 1 -o "$work/result" -t "$work/table" "$work/true") &&
	echo "# true: $alone us, profil true: $whole us" &&
	between 1 "$(awk "BEGIN { print $whole / $alone }")" "$1"
}

ktap_print_header
need_device
prepare || exit 1
ktap_set_plan 1
# measured on Linux 6.12: 6.5 to 6.6; without the names in a message of their own, 8.6
check "profil true, in the CPU time of true" short_run 7.2
ktap_finished
