#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A program in step with the kernel's tick: regular clocks measure wrong shares of CPU time, random
# sampling points measure the right ones. Needs one CPU.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# error CLOCK RATE WORKLOAD SECONDS: prints the difference between a function's share of the samples
# and its share of CPU time, in percentage points
error() {
	local line

	line=$(programs/rates "$1" "$2" "$3" 1 "$4" 2>"$work/err") || return
	echo "# $line" >&2
	awk '{
		for (i = 1; i <= NF; i++)
			split($i, pair, "=") && value[pair[1]] = pair[2]
		error = 100 * (value["share"] - value["true"])
		print error < 0 ? -error : error
	}' <<<"$line"
}

# is_misled CLOCK RATE WORKLOAD SECONDS: whether the error is above 10 points
is_misled() {
	awk -v error="$(error "$@")" 'BEGIN { exit !(error > 10) }'
}

# is_within BOUND CLOCK RATE WORKLOAD SECONDS: whether the error is below BOUND points. If N samples
# estimate a share p, four standard errors are 400 sqrt(p (1 - p) / N) points: 1.3 for p = 0.88 and
# 10,000 samples, 2.6 for 2,500; 1.7 for p = 0.75 and 10,000.
is_within() {
	awk -v bound="$1" -v error="$(error "${@:2}")" \
		'BEGIN { exit !(error != "" && error < bound) }'
}

ktap_print_header
need_device
ktap_set_plan 6
check "the tick clock is wrong" is_misled tick 250 lockstep 1
check "a SIGPROF timer is wrong" is_misled sigprof 100 lockstep 2
check "the timer clock at the tick's rate is wrong" is_misled timer 250 lockstep 1
check "the random clock is right, with 10,000 samples" \
	is_within 1.3 random 4000 lockstep 2.5
check "the random clock is right, at a lower rate" is_within 2.6 random 1000 lockstep 2.5
check "the random clock is right, for bursts of 0.1 ms" is_within 1.7 random 4000 bursts 2.8
ktap_finished
