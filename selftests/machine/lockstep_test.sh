#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A program in step with the kernel's tick: regular clocks measure wrong shares of CPU time, random
# sampling points measure the right ones. Needs one CPU.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# error CLOCK RATE WORKLOAD SECONDS: prints the difference between a function's share of the samples
# and its share of CPU time, in percentage points, and the standard error of as many samples
error() {
	local line

	line=$(programs/rates "$1" "$2" "$3" 1 "$4" 2>"$work/err") || return
	echo "# $line" >&2
	awk '{
		for (i = 1; i <= NF; i++)
			split($i, pair, "=") && value[pair[1]] = pair[2]
		error = 100 * (value["share"] - value["true"])
		print error < 0 ? -error : error, \
			100 * sqrt(value["true"] * (1 - value["true"]) / value["inside"])
	}' <<<"$line"
}

# is_misled CLOCK RATE WORKLOAD SECONDS: whether the error is above 10 points
is_misled() {
	awk -v error="$(error "$@")" 'BEGIN { split(error, part); exit !(part[1] > 10) }'
}

# is_right CLOCK RATE WORKLOAD SECONDS: whether the error is below four standard errors. Of 16,000
# runs with independent samples, one is above.
is_right() {
	awk -v error="$(error "$@")" \
		'BEGIN { exit !(split(error, part) == 2 && part[1] < 4 * part[2]) }'
}

ktap_print_header
need_device
ktap_set_plan 6
check "the tick clock is wrong" is_misled tick 250 lockstep 1
check "a SIGPROF timer is wrong" is_misled sigprof 100 lockstep 2
check "the timer clock at the tick's rate is wrong" is_misled timer 250 lockstep 1
check "the random clock is right, with 10,000 samples" \
	is_right random 4000 lockstep 2.5
check "the random clock is right, at a lower rate" is_right random 1000 lockstep 2.5
check "the random clock is right, for bursts of 0.1 ms" is_right random 4000 bursts 2.8
ktap_finished
