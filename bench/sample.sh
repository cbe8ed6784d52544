#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a sample costs, of profil and of other samplers: how many instructions more an interrupt
# takes that samples. Runs in a guest with one CPU, for bench/run.
#
# The ticks come first: for the timers, the kprobe of selftests/late is loaded, which makes ticks
# dearer.

cd "$(dirname "$0")/.." || exit 1

# own_figures: CSV of the output of sample_cost_test
own_figures() {
	awk '
	function print_figure(name, mode, mean, n) {
		printf "%s,%s,%s,instructions,%d,%s,%d\n", group, name, sampler, mode, mean, n
	}
	$2 == "RUN" {
		split($3, part, ".")
		name = part[2]
		sampler = sub(/^attached_|^stack_/, "", name) ? "profil attached" : "profil"
		group = sub(/^[0-9]+$/, "& frames", name) ? "stack" : "sample"
		sub(/^thinned_tick/, "tick without a sample", name)
		sub(/^tick_outside/, "tick outside the regions", name)
		sub(/^tick_apart/, "tick with two pages of counters", name)
		sub(/^twice/, "random by two", name)
		sub(/^tick_beside_target/, "tick while another process is attached", name)
	}
	/ bytes for a record/ { printf "stack,%s,%s,bytes,%d,,1\n", name, sampler, $2 }
	/ instructions for a sample, / { n = $(NF - 1); print_figure(name, $2, $7, n) }
	/ if it computes the next points/ { print_figure(name " with new points", $2, "", n) }'
}

# A figure that differs from what the test expects is still a figure.
selftests/core/sample_cost_test >/run/sample_cost
own_figures </run/sample_cost | grep -E '^(sample|stack),' || { cat /run/sample_cost >&2; exit 1; }
[ -z "$QUICK" ] || exit 0
bench/peers glibc 100 &&
bench/peers gperftools 250 &&
bench/peers perf 4000 &&
bench/peers perf-count 4000 &&
bench/peers perf-fp 4000 &&
bench/peers perf-dwarf 4000 &&
bench/peers bpf 4000
