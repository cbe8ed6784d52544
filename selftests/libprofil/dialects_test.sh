#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs as they were written for the old systems, compiled with the headers of
# their dialect and nothing else of ours: each profiles itself, while one of its
# functions takes three times the CPU time of the other.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# of NAME: a number that the program has printed
of() {
	awk -v name="$1" '$1 == name { print $2 }' "$work/out"
}

# shares PROGRAM: it uses 0.7 s of CPU time at 250 samples a second. That is 175 samples,
# and one more for the phase and one for the last round. Less than a tenth of them is in
# clock(). The share of much() is within four standard errors of 3/4.
shares() {
	local much less

	PROFIL_RATE=250 "programs/dialects/$1" >"$work/out" 2>"$work/err" || return
	[ ! -s "$work/err" ] || return
	much=$(of much) less=$(of less)
	echo "# $1: much $much, less $less"
	awk -v much="$much" -v less="$less" 'BEGIN {
		n = much + less
		off = much / n - 0.75
		if (off < 0)
			off = -off
		exit !(n >= 0.9 * 175 && n <= 177 && off <= 4 * sqrt(0.75 * 0.25 / n))
	}'
}

programs=(solaris solaris-pcsample bsd linux099 osf1 aix aix-prof)

ktap_print_header
need_device
ktap_set_plan ${#programs[@]}
for program in "${programs[@]}"; do
	check "$program: the histogram has the shares" shares "$program"
done
ktap_finished
