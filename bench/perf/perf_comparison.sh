#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Profiles programs with profil and with perf, and compares the shares of the ten functions that
# use most CPU time, and the CPU seconds. Not part of make check: it takes half an hour and needs
# perf (scripts/deps/install perf; for "others" also perf-others). A busy host makes parts of a
# program appear longer, so the clock should count instructions:
#
#	make && make -C selftests/unit export_sample && make -C bench/perf/programs
#	scripts/vm/run --kernel 6.12 --icount --timeout 7200 -- bench/perf/perf_comparison.sh
#
# usage: perf_comparison.sh [others | PROGRAM...]
#
# The default is programs of Debian, dynamically linked. "others" are other kinds of programs:
# static ones, those of other languages, a server that runs already. programs/prepare.sh has all.
#
# RATE: rate of both, in Hz (1000). CLOCK: profil's clock (default: chosen by the rate). RUNS: how
# often each of the two runs each program, in turn (2). SIZE: size of the work, in percent of some
# 5,000,000,000 instructions (100). KEEP: a directory for all results; rows.md in it is a short
# table.
#
# perf samples what profil does: `-e cpu-clock` includes CPU time in the kernel, and --user-regs=ip
# records the pc in user mode, to which a system call returns. perf_samples.py attributes perf's
# samples to functions by address, as profil does: Debian's programs are stripped, and perf lists
# each address in a function without a symbol separately. So the comparison is of the sampled
# addresses, not of names.

cd "$(dirname "$0")/../../selftests" || exit 1
# shellcheck source=../../selftests/lib/ktap.sh
. lib/ktap.sh

PROFIL=${PROFIL:-../tools/profil}
RATE=${RATE:-1000}
RUNS=${RUNS:-2}
SIZE=${SIZE:-100}
keep=${KEEP:-$work/kept}

# shellcheck source=programs/prepare.sh
. ../bench/perf/programs/prepare.sh
programs=("${debian_programs[@]}")
[ $# -eq 0 ] || programs=("$@")
[ "$*" != others ] || programs=("${other_programs[@]}")

# Seconds for which a process that runs already is profiled
ATTACHED=5

# The same work in each run
export LONGER LC_ALL=C PERL_HASH_SEED=0 PYTHONHASHSEED=0

# run_profil RESULT
run_profil() {
	local target=("${command[@]}")

	[ -z "$pid" ] || target=(-p "$pid" --duration "$ATTACHED")
	"$PROFIL" run -r "$RATE" ${CLOCK:+-c "$CLOCK"} -o "$1" -t "$1.table" \
		"${target[@]}" >"$work/out" 2>"$work/err" &&
	"$PROFIL" export --json -o "$1.json" "$1" 2>"$work/err"
}

# run_perf DATA; without build-ids, which would only take time
run_perf() {
	local target=("${command[@]}")

	[ -z "$pid" ] || target=(sleep "$ATTACHED")
	perf record -q -B -e cpu-clock -F "$RATE" --user-regs=ip -o "$1" ${pid:+-p "$pid"} \
		-- "${target[@]}" >"$work/out" 2>"$work/err" &&
	perf script -i "$1" -F pid,ip,uregs --show-mmap-events --show-task-events \
		>"$1.script" 2>"$work/err" &&
	../bench/perf/perf_samples.py "$1.script" "$1.json" "$RATE" 2>"$work/err"
}

# run PROGRAM TOOL RESULT
run() {
	if declare -F "before_$1" >/dev/null; then
		"before_$1" "$2" || return
	fi
	"run_$2" "$3"
}

# measure PROGRAM: runs both tools RUNS times, in turn, so that other work of the host affects both
# alike. A first run reads all files into memory, and lets the module do its one-time work.
#
# If the clock counts instructions, perf would sample the same instructions in each run, and two
# runs would give no more information than one. A longer environment, which the kernel copies at
# exec, delays the program's start by a different time in each run.
measure() {
	local i

	run "$1" profil "$work/first" && mkdir -p "$keep/$1" || return
	rm -f "$keep/$1"/{profil,perf}.*
	for ((i = 1; i <= RUNS; i++)); do
		LONGER=$(printf '%0*d' $((20000 * i)) 0)
		run "$1" profil "$keep/$1/profil.$i" && run "$1" perf "$keep/$1/perf.$i" || return
	done
}

# compare_shares PROGRAM [OPTION...]: writes the table to $work/table; whether the shares agree
compare_shares() {
	../bench/perf/perf_shares.py "${@:2}" "$keep/$1"/profil.*.json -- "$keep/$1"/perf.*.json \
		>"$work/table" 2>"$work/err"
}

# with_table COMMAND...: runs the command and prints its table; returns its status
with_table() {
	local status=0

	"$@" || status=$?
	sed 's/^/# /' "$work/table"
	return $status
}

# The comparison must detect lost samples, or its agreement would mean nothing.
finds_loss() {
	local every=4

	# Compilers spend their time in hundreds of functions.
	[[ $1 != @(gcc|go_build|make) ]] || every=2
	! compare_shares "$1" --lose "$every" && grep -q ' DIFFERENT' "$work/table"
}

seconds_agree() {
	../bench/perf/perf_shares.py --seconds "$keep/$1"/profil.*.json -- "$keep/$1"/perf.*.json \
		>"$work/table" 2>"$work/err"
}

# skip_program PROGRAM REASON
skip_program() {
	ktap_test_skip "$1: shares agree: $2"
	ktap_test_skip "$1: a loss of samples is detected: $2"
	ktap_test_skip "$1: CPU seconds agree: $2"
}

# The four checks of a program
compare_program() {
	local command=() pid='' started=()

	if ! "prepare_$1"; then
		ktap_test_skip "$1: runs: it is not installed"
		skip_program "$1" "it is not installed"
		return
	fi
	check "$1: runs" measure "$1"
	[ ${#started[@]} -eq 0 ] || kill "${started[@]}"
	if [ ! -e "$keep/$1/perf.$RUNS.json" ]; then
		skip_program "$1" "it did not run"
		return
	fi
	check "$1: shares agree" with_table compare_shares "$1"
	check "$1: a loss of samples is detected" finds_loss "$1"
	check "$1: CPU seconds agree" with_table seconds_agree "$1"
	compare_shares "$1" --row "$1"
	cat "$work/table" >>"$keep/rows.md"
}

ktap_print_header
need_device
if ! command -v perf >/dev/null; then
	skip_all "no perf: scripts/deps/install perf"
fi
if [ ! -x unit/export_sample ]; then
	skip_all "no unit/export_sample: make -C selftests/unit export_sample"
fi
ktap_set_plan $((4 * ${#programs[@]}))
mkdir -p "$keep"
: >"$keep/rows.md"
for program in "${programs[@]}"; do
	compare_program "$program"
done
sed 's/^/# /' "$keep/rows.md"
ktap_finished
