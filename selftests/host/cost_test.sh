#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a fixed recording costs (unit/support/cost_sample.c): bytes of its result, and instructions
# of reading the log, of writing snapshots and the result, and of a report. Runs natively, needs no
# module.
#
# The bytes of the message are the same on each machine. zlib decides how well it is compressed.
# callgrind counts instructions, so neither the load nor the speed of the machine matters; but the
# compiler and the libraries do. The bounds leave a quarter for these, and stop what has become
# dearer by more. Who makes something cheaper lowers its bound.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s -C unit cost_sample || exit 1
PROFIL=${PROFIL:-../tools/profil}
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

if ! count recording unit/cost_sample "$work" || ! count report "$PROFIL" report "$work/named"; then
	cat "$work"/*.err
	exit 1
fi

ktap_print_header
ktap_set_plan 8
# measured: 70,290
check "bytes of a result before compression" at_most 71000 "$(cat "$work/recording.out")"
# measured with zlib 1.2.13: 21,454 and 23,246
check "bytes of a result" at_most 22500 "$(stat -c %s "$work/result")"
check "bytes of a snapshot" at_most 24400 "$(stat -c %s "$work/snapshot")"
# measured with gcc 12, for 65,000 samples, each in a record, and 65 processes: 20.4 million
check "reading the log" at_most 25500000 "$(instructions recording :step_read)"
# measured for two of them: 46.8 million
check "snapshots" at_most 58500000 "$(instructions recording :step_snapshot)"
# measured: 1.4 million
check "making the result" at_most 1800000 "$(instructions recording :step_collect)"
# measured: 23.3 million
check "writing the result" at_most 29000000 "$(instructions recording :step_write)"
# measured: 117.5 million, for 1,950 functions
check "report" at_most 147000000 "$(instructions report 'PROGRAM TOTALS')"
ktap_finished
