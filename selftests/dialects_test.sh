#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs as they were written for the old systems, compiled with the headers of
# their dialect and nothing else of ours: each profiles itself, while one of its
# functions takes three times the CPU time of the other.

cd "$(dirname "$0")" || exit 1
# shellcheck source=ktap.sh
. ./ktap.sh

# of NAME: a number that the program has printed
of() {
	awk -v name="$1" '$1 == name { print $2 }' "$work/out"
}

# shares PROGRAM: of 175 samples, if all are there
shares() {
	local much less

	PROFIL_RATE=250 "dialects/$1" >"$work/out" 2>"$work/err" || return
	[ ! -s "$work/err" ] || return
	much=$(of much) less=$(of less)
	echo "# $1: much $much, less $less"
	awk -v much="$much" -v less="$less" 'BEGIN {
		n = much + less
		# a busy host delivers ticks late, and in lumps
		exit !(n > 80 && much > 0.55 * n && much < 0.95 * n)
	}'
}

programs=(solaris solaris-pcsample bsd linux099 osf1 aix aix-prof)

ktap_print_header
need_device
ktap_set_plan ${#programs[@]}
for program in "${programs[@]}"; do
	check "$program: the histogram has the shares" at_last shares "$program"
done
ktap_finished
