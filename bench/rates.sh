#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Which rate, and which clock: what a profile costs a second at each rate, which part of the due
# samples it takes, and how wrong it is. selftests/programs/rates.c describes the workloads. Runs in
# a guest with one CPU, for bench/run.
#
#	rates.sh bursts		only the workload of that name: it needs a guest in which what
#				surrounds a burst takes little time
#
# The error is the difference between a function's share of the profile and its share of CPU time,
# in percentage points. In the column "mean" is the standard error of that number of samples: an
# ideal random sampler has an error of about that.

cd "$(dirname "$0")/.." || exit 1
rates=selftests/programs/rates

# The work of which the cost is measured, in units of 1e9 instructions
FIXED=0.25

# The throttle would act on the cost of emulation.
echo 100 >/sys/module/profil/parameters/max_cpu_percent || exit

# value NAME: of the output of rates in $line
value() {
	sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" <<<"$line"
}

# seconds_for RATE: the CPU time of a run, for some hundreds of samples at least
seconds_for() {
	case $1 in
	100) echo 4 ;;
	250) echo 3 ;;
	*) echo 1.5 ;;
	esac
}

# run_fixed CLOCK RATE: sets line, of the shortest of three runs; in the others, something else ran
run_fixed() {
	local shortest="" one

	for _ in 1 2 3; do
		line=$($rates "$1" "$2" fixed 1 $FIXED) || exit
		one=$(value elapsed)
		if [ -z "$shortest" ] || ((one < shortest)); then
			shortest=$one best=$line
		fi
	done
	line=$best
}

# cost CLOCK RATE: instructions for each sample, with the interrupt if it is an additional one, and
# with a part of the start of the profile
cost() {
	run_fixed "$1" "$2"
	awk -v clock="$1" -v rate="$2" -v plain="$plain" -v elapsed="$(value elapsed)" \
		-v n="$(value samples)" -v fixed=$FIXED 'BEGIN {
		instructions = (elapsed / plain - 1) * fixed * 1e9
		printf "cost,%d Hz,%s,instructions,%.0f,,%d\n", rate, clock, instructions / n, n
	}'
}

# error CLOCK RATE WORKLOAD
error() {
	line=$($rates "$1" "$2" "$3" 1 "$(seconds_for "$2")") || exit
	awk -v clock="$1" -v rate="$2" -v workload="$3" -v n="$(value samples)" \
		-v share="$(value share)" -v true="$(value true)" -v part="$(value delivered)" 'BEGIN {
		error = 100 * (share - true)
		printf "error,\"%s, %d Hz\",%s,points,%.2f,%.2f,%d\n", workload, rate, clock,
			error < 0 ? -error : error, 100 * sqrt(true * (1 - true) / n), n
		if (workload == "spin" || workload == "bursts")
			printf "delivered,\"%s, %d Hz\",%s,part,%.3f,,%d\n", workload, rate,
				clock, part, n
	}'
}

workloads=(spin syscalls lockstep)
[ "${1-}" != bursts ] || workloads=(bursts)
for workload in "${workloads[@]}"; do
	for rate in 100 250 1000 4000; do
		for clock in tick timer random sigprof perf; do
			[[ $clock != @(tick|sigprof) ]] || ((rate <= 250)) || continue
			error $clock $rate "$workload"
		done
	done
done
[ "${1-}" != bursts ] || exit 0
run_fixed none 1
plain=$(value elapsed)
for rate in 100 250 1000 4000 20000; do
	for clock in tick timer random sigprof perf; do
		[[ $clock != @(tick|sigprof) ]] || ((rate <= 250)) || continue
		cost $clock $rate
	done
done
