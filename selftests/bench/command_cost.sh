#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures how much CPU time programs use under `profil`, at 100 Hz. In a guest whose clock counts
# instructions, a microsecond is 1,000 instructions:
#
#	make && scripts/vm/run --icount --kernel 6.12 --smp 2 --mem 3G --timeout 2400 -- \
#		selftests/bench/command_cost.sh
#
# Each figure is the median of RUNS runs (5). "alone" and "profiled" are the CPU time of the
# program and of all that it executes. Limits: at most 10 % more for 200 executions of true, at
# most 3 % more for the make of a small project.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=${PROFIL:-../tools/profil}
RUNS=${RUNS:-5}
# for the inner shell
# shellcheck disable=SC2016
loop='i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done'

# Eight C files, which make compiles and links
make_project() {
	local i

	mkdir "$work/project"
	for i in {1..8}; do
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
		OBJECTS = main.o $(patsubst %,part%.o,1 2 3 4 5 6 7 8)
		project: $(OBJECTS); $(CC) -o $@ $(OBJECTS)
	END
}

median() {
	sort -n "$1" | sed -n "$(((RUNS + 1) / 2))p"
}

# measure COMMAND...: sets alone and profiled, in microseconds
measure() {
	local i profil=("$PROFIL" run -r 100 -o "$work/result" -t "$work/table")

	rm -f "$work"/{alone,profiled}
	for ((i = 0; i < RUNS; i++)); do
		bench/cpu_time.py "$@" >>"$work/alone" &&
		"${profil[@]}" bench/cpu_time.py "$@" >>"$work/profiled" || return
	done
	alone=$(median "$work/alone")
	profiled=$(median "$work/profiled")
}

# cost NAME LIMIT COMMAND...: whether the program needs at most LIMIT percent more
cost() {
	measure "${@:3}" &&
	awk -v name="$1" -v limit="$2" -v alone="$alone" -v profiled="$profiled" 'BEGIN {
		printf "# | %s | %.1f | %.1f | %+.1f %% |\n", name, alone / 1000,
			profiled / 1000, 100 * (profiled / alone - 1)
		exit profiled > alone * (1 + limit / 100) }'
}

ktap_print_header
need_device
ktap_set_plan 2
make_project
check "200 executions of true" cost "\`true\`, executed 200 times" 10 sh -c "$loop"
check "make" cost "\`make -j2\` of nine C files" 3 make -C "$work/project" -B -s -j2
ktap_finished
