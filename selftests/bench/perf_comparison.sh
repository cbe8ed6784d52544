#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Profiles real programs of Debian with profil and with perf, and compares the shares of the ten
# functions that use most CPU time, and the CPU seconds. Not part of make check: it takes half an
# hour and needs perf (scripts/deps/install perf). A busy host makes parts of a program appear
# longer, so the clock should count instructions:
#
#	make && make -C selftests/unit export_sample
#	scripts/vm/run --kernel 6.12 --icount --timeout 7200 -- selftests/bench/perf_comparison.sh
#
# usage: perf_comparison.sh [PROGRAM...]
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

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=${PROFIL:-../tools/profil}
RATE=${RATE:-1000}
RUNS=${RUNS:-2}
SIZE=${SIZE:-100}
keep=${KEEP:-$work/kept}

programs=(perl python3 gcc sort xz)
[ $# -eq 0 ] || programs=("$@")

# The same work in each run
export LONGER LC_ALL=C PERL_HASH_SEED=0 PYTHONHASHSEED=0

# text WORDS: prints lines of ten words, the same in each run; few of the words are frequent
text() {
	awk -v words="$1" 'BEGIN {
		x = 1
		for (i = 1; i <= words; i++) {
			x = x * 16807 % 2147483647
			n = int(exp(9 * x / 2147483647))
			printf "%s%x%s", n % 3 ? "the" : "of", n * 2654435 % 65536,
				i % 10 ? " " : "\n"
		}
	}'
}

# functions NUMBER: prints a C file with NUMBER functions of four kinds
functions() {
	awk -v number="$1" 'BEGIN {
		print "struct node { struct node *next; int key; double weight; };"
		for (i = 0; i < number; i += 4) {
			print "int sum" i "(const int *a, int n) { int s = " i ", i;"
			print " for (i = 0; i < n; i++) s += a[i] * " i % 7 " ^ s >> 3;"
			print " return s; }"
			print "double find" i "(struct node *l, int key) {"
			print " while (l && l->key != key + " i ") l = l->next;"
			print " return l ? l->weight * " i ".5 : 0; }"
			print "int choose" i "(unsigned c, char *to) { switch (c) {"
			for (j = 0; j < 12; j++)
				print "case " j * (i % 5 + 1) ": to[" j "] = c; return " i + j ";"
			print "} return to[c & 7]; }"
			print "long call" i "(struct node *l, const int *a, char *to) {"
			print " long r = sum" i "(a, 9) + choose" i "(a[1], to);"
			print " return find" i "(l, r) > 1 ? r / (a[2] | 1) : r % 1000; }"
		}
	}'
}

# prepare_NAME: makes the program's input, and sets `command`
prepare_perl() {
	text $((1600000 * SIZE / 100)) >"$work/text"
	command=(/usr/bin/perl ../scripts/demo-words.pl "$work/text")
}
prepare_python3() {
	text $((1000000 * SIZE / 100)) >"$work/text"
	cat >"$work/words.py" <<-'END'
	import collections, json, re, sys
	count = collections.Counter()
	for line in open(sys.argv[1]):
	    for word in re.findall(r"[a-z]{2,}[0-9]*", line):
	        count[word] += 1
	rows = [{"word": word, "count": n, "share": n / 7} for word, n in count.items()]
	rows.sort(key=lambda row: (-row["count"], row["word"]))
	text = json.dumps(rows)
	print(sum(row["share"] for row in json.loads(text)))
	END
	command=(/usr/bin/python3 "$work/words.py" "$work/text")
}
# gcc executes the compiler proper and the assembler.
prepare_gcc() {
	functions $((250 * SIZE / 100)) >"$work/functions.c"
	command=(gcc -O2 -c -o "$work/out.o" "$work/functions.c")
}
prepare_sort() {
	text $((900000 * SIZE / 100)) | tr ' ' '\n' | awk '{ print $0, NR }' >"$work/lines"
	command=(/usr/bin/sort -o "$work/out" "-k1.4,1" -k2n "$work/lines")
}
prepare_xz() {
	text $((350000 * SIZE / 100)) >"$work/text"
	command=(/usr/bin/xz -kf "$work/text")
}

# run_profil RESULT
run_profil() {
	"$PROFIL" run -r "$RATE" ${CLOCK:+-c "$CLOCK"} -o "$1" -t "$1.table" \
		"${command[@]}" >"$work/out" 2>"$work/err" &&
	"$PROFIL" export --json -o "$1.json" "$1" 2>"$work/err"
}

# run_perf DATA; without build-ids, which would only take time
run_perf() {
	perf record -q -B -e cpu-clock -F "$RATE" --user-regs=ip -o "$1" \
		-- "${command[@]}" >"$work/out" 2>"$work/err" &&
	perf script -i "$1" -F pid,ip,uregs --show-mmap-events --show-task-events \
		>"$1.script" 2>"$work/err" &&
	bench/perf_samples.py "$1.script" "$1.json" 2>"$work/err"
}

# measure PROGRAM: runs both tools RUNS times, in turn, so that other work of the host affects both
# alike. A first run reads all files into memory, and lets the module do its one-time work.
#
# If the clock counts instructions, perf would sample the same instructions in each run, and two
# runs would give no more information than one. A longer environment, which the kernel copies at
# exec, delays the program's start by a different time in each run.
measure() {
	local i

	"prepare_$1" && run_profil "$work/first" && mkdir -p "$keep/$1" || return
	rm -f "$keep/$1"/{profil,perf}.*
	for ((i = 1; i <= RUNS; i++)); do
		LONGER=$(printf '%0*d' $((20000 * i)) 0)
		run_profil "$keep/$1/profil.$i" && run_perf "$keep/$1/perf.$i" || return
	done
}

# compare_shares PROGRAM [OPTION...]: writes the table to $work/table; whether the shares agree
compare_shares() {
	bench/perf_shares.py "${@:2}" "$keep/$1"/profil.*.json -- "$keep/$1"/perf.*.json \
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

	# gcc spends its time in hundreds of functions
	[ "$1" != gcc ] || every=2
	! compare_shares "$1" --lose "$every" && grep -q ' DIFFERENT' "$work/table"
}

seconds_agree() {
	bench/perf_shares.py --seconds "$keep/$1"/profil.*.json >"$work/table" 2>"$work/err"
}

# The four checks of a program
compare_program() {
	check "$1: runs" measure "$1"
	if [ ! -e "$keep/$1/perf.$RUNS.json" ]; then
		ktap_test_skip "$1: shares agree: it did not run"
		ktap_test_skip "$1: a loss of samples is detected: it did not run"
		ktap_test_skip "$1: CPU seconds agree with rusage: it did not run"
		return
	fi
	check "$1: shares agree" with_table compare_shares "$1"
	check "$1: a loss of samples is detected" finds_loss "$1"
	check "$1: CPU seconds agree with rusage" with_table seconds_agree "$1"
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
