#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a whole profile costs, beside perf: the CPU time of a program and of all that it executes
# ("program"), and the same with the profiler's own processes ("in all"). Then what a report costs.
# Runs in a guest whose clock counts instructions, for bench/run: a microsecond is 1,000 of them.
#
# profil prints its table at the end of a profile; perf record does not, so a report of perf is to
# be added. Each figure is the lower of two runs, after one that reads all files into memory. What
# is executed often lies in memory. Debug files are hidden, so that the figures do not depend on those
# that are installed.

cd "$(dirname "$0")/.." || exit 1

RUNS=2
HZ=100
work=$(mktemp -d /run/bench.XXXXXX) || exit
profil=$PWD/tools/profil
cpu_time=$PWD/bench/cpu_time
export LC_ALL=C PERL_HASH_SEED=0
[ ! -d /usr/lib/debug ] || mount -t tmpfs none /usr/lib/debug || exit

# --- programs ------------------------------------------------------------------------------

cp /bin/busybox "$work/true" || exit

loop() {
	# for the inner shell
	# shellcheck disable=SC2016
	command=(/bin/dash -c 'i=0; while [ $i -lt 200 ]; do '"$work/true"'; i=$((i + 1)); done')
}

one() {
	command=("$work/true")
}

words() {
	[ -e "$work/text" ] || awk 'BEGIN {
		for (x = i = 1; i <= 300000; i++) {
			x = x * 16807 % 2147483647
			printf "%x%s", x % 997 * 2654435, i % 10 ? " " : "\n"
		}
	}' >"$work/text"
	command=(perl scripts/demo-words.pl "$work/text")
}

build() {
	local i

	command=(make -C "$work/project" -B -s -j2)
	[ ! -e "$work/project" ] || return 0
	mkdir "$work/project"
	for i in 1 2 3; do
		cat >"$work/project/part$i.c" <<-END
			#include <stdio.h>
			#include <stdlib.h>
			#include <string.h>

			int part$i(int n)
			{
				char text[32];
				int i, sum = 0;

				for (i = 0; i < n; i++) {
					snprintf(text, sizeof(text), "%d", i);
					sum += strlen(text) + atoi(text) % $i;
				}
				return sum;
			}
		END
	done
	echo 'int main(void) { return 0; }' >"$work/project/main.c"
	cat >"$work/project/Makefile" <<-'END'
		CFLAGS = -O2 -g
		OBJECTS = main.o part1.o part2.o part3.o
		project: $(OBJECTS); $(CC) -o $@ $(OBJECTS)
	END
}

# --- samplers: measure the program and all --------------------------------------------------

under_none() {
	"$cpu_time" "$work/program" "$@"
}

under_profil() {
	"$cpu_time" "$work/all" "$profil" run -r $HZ -o "$work/profil.out" -t "$work/table" \
		"$cpu_time" "$work/program" "$@"
}

under_perf() {
	"$cpu_time" "$work/all" perf record -q -B -N -e cpu-clock -F $HZ -o "$work/perf.data" -- \
		"$cpu_time" "$work/program" "$@"
}

# print_figure CASE SAMPLER UNIT FILE COLUMN DIVISOR: the median of a column of a file
print_figure() {
	awk -v column="$5" -v divisor="$6" '{ print $column / divisor }' "$work/$4" | sort -n |
		awk -v name="$1" -v sampler="$2" -v unit="$3" '
		{ value[NR] = $1; sum += $1 }
		END {
			printf "end to end,\"%s\",%s,%s,%.1f,%.1f,%d\n", name, sampler, unit,
				value[int((NR + 1) / 2)], sum / NR, NR
		}'
}

# profile CASE PROGRAM
profile() {
	local sampler i

	$2
	for sampler in none profil perf; do
		for ((i = 0; i <= RUNS; i++)); do
			((i != 1)) || rm -f "$work"/{program,all}
			under_$sampler "${command[@]}" >/dev/null 2>"$work/err" ||
				{ cat "$work/err" >&2; exit 1; }
		done
		print_figure "$1, program" $sampler "M instructions" program 1 1000
		[ ! -e "$work/all" ] ||
			print_figure "$1, in all" $sampler "M instructions" all 1 1000
		rm -f "$work"/{program,all}
	done
}

# report CASE: of the profiles that exist
report() {
	local sampler i

	for sampler in profil perf; do
		rm -f "$work/report"
		for ((i = 0; i <= RUNS; i++)); do
			((i != 1)) || rm -f "$work/report"
			report_$sampler >/dev/null 2>"$work/err" ||
				{ cat "$work/err" >&2; exit 1; }
		done
		print_figure "$1, report" $sampler "M instructions" report 1 1000
		print_figure "$1, memory of the report" $sampler MB report 2 1000
	done
	stat -c %s "$work/profil.out" >"$work/size"
	print_figure "$1, size of the result" profil kB size 1 1000
	stat -c %s "$work/perf.data" >"$work/size"
	print_figure "$1, size of the result" perf kB size 1 1000
}

report_profil() {
	"$cpu_time" "$work/report" "$profil" report "$work/profil.out"
}

report_perf() {
	"$cpu_time" "$work/report" perf report --stdio -i "$work/perf.data"
}

profile "200 times fork and exec" loop
profile "a program that does nothing" one
profile "make" build
report "make"
profile "perl" words
report "perl"
