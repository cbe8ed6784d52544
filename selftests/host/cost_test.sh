#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What fixed recordings cost: one with many samples (unit/support/cost_sample.c), bytes of its result,
# and instructions of reading the log, of writing snapshots and the result, of a report, and of an
# annotation; and one with many programs (unit/support/cost_forks.c). What it costs to unwind a stack
# (unit/support/cost_stacks.c). And what libprofil adds to calls in a program compiled with -pg
# (unit/support/cost_calls.c). Runs natively, needs no module.
#
# The bytes of the message are the same on each machine. zlib decides how well it is compressed.
# callgrind counts instructions, so neither the load nor the speed of the machine matters; but the
# compiler and the libraries do. The bounds leave a quarter for these, and stop what has become
# dearer by more. Who makes something cheaper lowers its bound.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s -C unit cost_sample cost_forks cost_stacks cost_calls || exit 1
PROFIL=${PROFIL:-../tools/profil}
CALLS=$PWD/unit/cost_calls # writes gmon.out
unset DEBUGINFOD_URLS

# count NAME COMMAND [ARG...]: runs the command with callgrind, whose output is in $work/NAME
count() {
	valgrind --tool=callgrind --callgrind-out-file="$work/$1.callgrind" "${@:2}" \
		>"$work/$1.out" 2>"$work/$1.err" &&
	callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$work/$1.callgrind" \
		>"$work/$1" 2>>"$work/$1.err"
}

# instructions NAME FUNCTION: prints how many it has executed, with those that it calls
instructions() {
	sed -nE "s/^ *([0-9,]+) \([^)]*\) +[^ ]*($2)( .*)?\$/\1/p" "$work/$1" | tr -d ,
}

# at_most LIMIT NUMBER
at_most() {
	between 1 "$2" "$1"
}

if ! count recording unit/cost_sample "$work" ||
	! count forks unit/cost_forks "$work" 1000 ||
	! count stacks unit/cost_stacks ||
	! (cd "$work" && count calls "$CALLS") ||
	! count report "$PROFIL" report "$work/named" ||
	! count names "$PROFIL" report "$work/stored" ||
	! count listing "$PROFIL" report --annotate function_0 --asm "$work/stored"; then
	cat "$work"/*.err
	exit 1
fi

ktap_print_header
ktap_set_plan 15
# The 65,000 samples of 65 processes are 60,000 parts, as a part is of one thread. (As counts over
# all threads, they had 70,290 bytes, and took 20.4, 46.8, 1.4 and 23.3 million instructions.)
# measured: 262,039
check "bytes of a result before compression" at_most 265000 "$(cat "$work/recording.out")"
# measured with zlib 1.2.13: 75,241, 79,783 and 86,271
check "bytes of a result" at_most 79000 "$(stat -c %s "$work/result")"
check "bytes of a snapshot" at_most 84000 "$(stat -c %s "$work/snapshot")"
check "bytes of a result with names" at_most 90500 "$(stat -c %s "$work/stored")"
# measured with gcc 12, with each sample in a record: 33.0 million
check "reading the log" at_most 41000000 "$(instructions recording :step_read)"
# measured for two of them: 145.3 million
check "snapshots" at_most 181000000 "$(instructions recording :step_snapshot)"
# measured: 5.9 million
check "making the result" at_most 7400000 "$(instructions recording :step_collect)"
# measured: 51.2 million
check "writing the result" at_most 64000000 "$(instructions recording :step_write)"
# measured: 96.8 million, for 1,950 functions; with names in the result, 85.4 million
check "report" at_most 121000000 "$(instructions report 'PROGRAM TOTALS')"
check "report of a result with names" at_most 107000000 "$(instructions names 'PROGRAM TOTALS')"
# measured with capstone 4.0.2: 50.3 million; 47.1 million without instructions
check "instructions of a function" at_most 63000000 "$(instructions listing 'PROGRAM TOTALS')"
# measured: 8.3 and 16.9 million for 1,000 programs
check "reading the log of many programs" at_most 10400000 "$(instructions forks :step_read)"
check "the end of their run" at_most 21100000 "$(instructions forks :step_end)"
# measured with gcc 12: 338 for each of 26 frames
check "unwinding a hundred stacks" at_most $((420 * $(cat "$work/stacks.out"))) \
	"$(instructions stacks :step_unwind)"
# measured with gcc 12 for 100,000 calls, 8 instructions of the program in each: 11.5 million. Little
# of it is up to a library, so a 15th is left.
check "calls in a program compiled with -pg" at_most 12300000 "$(instructions calls :main)"
ktap_finished
