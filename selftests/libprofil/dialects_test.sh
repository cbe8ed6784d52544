#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs in the style of the old systems, compiled with the headers of their dialect and no other
# header of this project. Each profiles itself while much() uses three times the CPU time of less().

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# value_of NAME: prints the number that the program has printed for NAME
value_of() {
	awk -v name="$1" '$1 == name { print $2 }' "$work/out"
}

# has_shares PROGRAM: it uses 0.7 s of CPU time at 250 Hz. That is 175 samples, and at most one more
# for the phase and one for the last round. Less than a tenth of them is in clock(). The share of
# much() is within four standard errors of 3/4.
has_shares() {
	local much less

	PROFIL_RATE=250 "programs/dialects/$1" >"$work/out" 2>"$work/err" || return
	[ ! -s "$work/err" ] || return
	much=$(value_of much) less=$(value_of less)
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
	check "$program: the histogram shows the shares of CPU time" has_shares "$program"
done
ktap_finished
