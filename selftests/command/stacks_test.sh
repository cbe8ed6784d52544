#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Call stacks (profil -g): exact chains of a program with a known depth, and of programs of this
# machine.
# PROFIL: path of the command (default: the tree's).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=${PROFIL:-../tools/profil}
need_device

# run COMMAND [ARG...]: profiles a command with stacks, and lists them in $work/folded
run() {
	"$PROFIL" run -g -r 1000 -o "$work/result" --no-table "$@" >"$work/out" 2>"$work/err" &&
	"$PROFIL" export --folded "$work/result" >"$work/folded" 2>>"$work/err" &&
	"$PROFIL" report --all "$work/result" >"$work/profile" 2>>"$work/err"
}

# samples [PATTERN]: how many are in stacks that match
samples() {
	grep -E -- "${1:-.}" "$work/folded" | awk '{ n += $NF } END { print n + 0 }'
}

# complete: whether 99 of 100 stacks are, and all samples have one
complete() {
	local all broken table

	all=$(samples)
	broken=$(samples '^\[incomplete')
	table=$(sed -nE 's/^# ([0-9]+) samples? at .*/\1/p' "$work/profile")
	echo "# $all samples, $broken incomplete"
	[ "$all" = "$table" ] && ((all > 100 && broken * 100 <= all))
}

# chain DEPTH: the calls of programs/stacks
chain() {
	local depth=$1 calls="" i

	for ((i = 0; i < depth; i++)); do
		calls+=";$( ((i % 2)) && echo odd || echo even)"
	done
	echo ";main$calls;spin "
}

# spin() executes 20,000 rounds of 4 instructions, and a call some 40: 10 % of these for 200 calls.
# The clock and the start of the program take 3 % at most: 30 samples are 30 ms.
exact() {
	run programs/stacks "$1" 1 && complete &&
	(($(samples "$(chain "$1")") * 100 >= $(samples) * (97 - $1 / 20)))
}

# All chains of spin() are known; those of the handler go through the C library, whose names may be
# stripped.
everything() {
	run programs/stacks 7 2 all && complete &&
	(($(samples "^clone3?;.*;run$(chain 7 | sed 's/;main//')") * 100 >= $(samples) * 30)) &&
	(($(samples ';main;sort;.*;compare;spin ') > 0)) &&
	(($(samples ';main;.*;handle;spin |;main;.*;spin ') > 0)) &&
	(($(samples 'spin ') * 100 >= $(samples) * 90))
}

# The columns are percent, total%, seconds, samples, system%, interval, object and name. main() has
# all that the first thread does.
totals() {
	run programs/stacks 7 1 && complete &&
	awk '$NF == "main" { main = $2 }
		$NF == "even" { even = $2 }
		END { exit !(main >= 95 && even >= 95) }' "$work/profile" &&
	"$PROFIL" report --sort total --top 3 "$work/result" | grep -v '^#' | head -n 1 |
		awk '{ exit !($2 >= 99) }'
}

# percent, seconds, samples, system%, interval, object and name
neighbours() {
	"$PROFIL" report --callers spin "$work/result" >"$work/profile" 2>"$work/err" &&
	awk '$NF == "even" { exit !($1 == 100) }' "$work/profile" &&
	"$PROFIL" report --callees main "$work/result" >"$work/profile" 2>"$work/err" &&
	awk '$NF == "even" { exit !($1 >= 95) }' "$work/profile" &&
	! "$PROFIL" report --callers nothing "$work/result" 2>"$work/err" &&
	grep -q 'no function with the name nothing' "$work/err"
}

# merged: the sum of a result and itself has twice the samples in the same stacks
merged() {
	local before lines

	before=$(samples)
	lines=$(wc -l <"$work/folded")
	"$PROFIL" merge -o "$work/sum" "$work/result" "$work/result" 2>"$work/err" &&
	"$PROFIL" export --folded "$work/sum" >"$work/folded" 2>>"$work/err" &&
	(($(samples) == 2 * before && $(wc -l <"$work/folded") == lines))
}

# A process that runs already: the stacks are those of its libraries, too.
attached() {
	local pid status

	programs/stacks 7 100 >"$work/out" &
	pid=$!
	"$PROFIL" run -g -r 1000 -p "$pid" --duration 1 -o "$work/result" --no-table 2>"$work/err"
	status=$?
	kill "$pid"
	wait "$pid" 2>/dev/null
	[ "$status" = 0 ] && "$PROFIL" export --folded "$work/result" >"$work/folded" &&
	(($(samples "$(chain 7)") * 100 >= $(samples) * 95))
}

of_perl() {
	run perl -e 'my $n = 0; sub deep { my $d = shift; return $d ? deep($d - 1) + 1 : work() }
		sub work { my %h; $h{"k" . $_ % 97}++ for 1 .. 500; return scalar keys %h }
		deep($_ % 20) for 1 .. 3000' && complete &&
	(($(samples 'perl_run') * 100 >= $(samples) * 90))
}

# Children and programs that they execute
of_children() {
	run sh -c 'for i in 1 2 3; do programs/stacks $i 0.3; done' && complete &&
	for depth in 1 2 3; do
		(($(samples "$(chain $depth)") * 100 >= $(samples) * 25)) || return
	done
}

ktap_print_header
ktap_set_plan 11
for depth in 1 2 20 200; do
	check "$depth calls" exact "$depth"
done
check "a thread, a callback and a signal handler" everything
check "total% has what a function calls" totals
check "--callers and --callees" neighbours
check "profil merge" merged
check "an attached process" attached
check "perl" of_perl
check "children" of_children
ktap_finished
