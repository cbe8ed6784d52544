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
		printf "sample,%s,%s,instructions,%d,%s,%d\n", name, sampler, mode, mean, n
	}
	$2 == "RUN" {
		split($3, part, ".")
		name = part[2]
		sampler = sub(/^attached_/, "", name) ? "profil attached" : "profil"
		sub(/^thinned_tick/, "tick without a sample", name)
		sub(/^tick_outside/, "tick outside the regions", name)
		sub(/^tick_apart/, "tick with two pages of counters", name)
		sub(/^tick_beside_target/, "tick while another process is attached", name)
	}
	/ instructions for a sample, / { n = $(NF - 1); print_figure(name, $2, $7, n) }
	/ if it computes the next points/ { print_figure(name " with new points", $2, "", n) }'
}

# A figure that differs from what the test expects is still a figure.
selftests/core/sample_cost_test >/run/sample_cost
own_figures </run/sample_cost | grep '^sample,'  || { cat /run/sample_cost >&2; exit 1; }
[ -z "$QUICK" ] || exit 0
bench/peers glibc 100 &&
bench/peers gperftools 250 &&
bench/peers perf 4000 &&
bench/peers perf-count 4000 &&
bench/peers bpf 4000
