#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A program in step with the kernel's tick: clocks that are regular misjudge it, points
# at random do not. On one CPU.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# error CLOCK RATE WORKLOAD SECONDS: by how many points a function's share in the
# profile differs from its share of CPU time
error() {
	local line

	line=$(bench/rates "$1" "$2" "$3" 1 "$4" 2>"$work/err") || return
	echo "# $line" >&2
	awk '{
		for (i = 1; i <= NF; i++)
			split($i, pair, "=") && value[pair[1]] = pair[2]
		error = 100 * (value["share"] - value["true"])
		print error < 0 ? -error : error
	}' <<<"$line"
}

misled() {
	awk -v error="$(error "$@")" 'BEGIN { exit !(error > 10) }'
}

# By N samples of a function that has the share p, four standard errors of it are
# 400 sqrt(p (1 - p) / N) points: 1.3 for p = 0.88 and 10,000 samples, 2.6 for 2,500; 1.7 for
# p = 0.75 and 10,000.
within() {
	awk -v bound="$1" -v error="$(error "${@:2}")" \
		'BEGIN { exit !(error != "" && error < bound) }'
}

ktap_print_header
need_device
ktap_set_plan 6
check "the tick is misled" misled tick 250 lockstep 1
check "so is a signal timer" misled sigprof 100 lockstep 2
check "and a timer of the tick's rate" misled timer 250 lockstep 1
check "random points are not, by 10,000 samples" \
	within 1.3 random 4000 lockstep 2.5
check "nor at a lower rate" within 2.6 random 1000 lockstep 2.5
check "nor by bursts of 0.1 ms" within 1.7 random 4000 bursts 2.8
ktap_finished
