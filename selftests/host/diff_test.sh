#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profil for scripts: the exit status of `profil diff --fail-above`, its table for a pull request,
# and JSON of report, diff and info by their schemas. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s programs/spin &&
	make -s -C unit export_sample || exit 1
PROFIL=${PROFIL:-../tools/profil}
spin=$(readlink -f programs/spin)
library=$(readlink -f ../lib/libprofil.so)

# address FILE FUNCTION: prints the address of a function, in hexadecimal
address() {
	nm "$1" | awk -v name="$2" '$3 == name { print $1; exit }'
}

much=$(address "$spin" spin_much)
less=$(address "$spin" spin_less)
sprofil=$(address "$library" sprofil)

# made NAME MUCH LESS OTHER [MS]: makes a result of spin, with these numbers of samples at 1000 Hz,
# and a CPU time of MS, or as much as the samples say
made() {
	printf '1 %s %s 0 0\n1 %s %s 0 0\n0 %s %s 0 0\n' "$less" "$3" "$much" "$2" "$sprofil" "$4" |
		sort | CPU_MS=${5:-$(($2 + $3 + $4))} \
		unit/export_sample result "$work/$1" "$library" "$spin"
}

# at_random SEED FACTOR: makes a result "new". A run of 10 s: the numbers of samples are those of
# independent events, and spin_much takes FACTOR times as long.
at_random() {
	# shellcheck disable=SC2046 # four words
	made new $(python3 -c 'import random, sys
random.seed(int(sys.argv[1]))
means = 6000 * float(sys.argv[2]), 3000, 1000
for mean in means:
    print(round(random.gauss(mean, mean ** 0.5)))
print(round(sum(means)))' "$1" "$2")
}

# runs NAME SEED NUMBER SECONDS: makes NUMBER results, NAME.1 and so on, of one program on a busy
# machine: it takes SECONDS on average, and the standard deviation between runs is 10 % of that
runs() {
	local many few rest ms i=0

	python3 -c 'import random, sys
random.seed(sys.argv[1] + sys.argv[2])
for run in range(int(sys.argv[3])):
    ms = round(random.gauss(1, 0.1) * 1000 * float(sys.argv[4]))
    functions = random.choices("mlr", (6, 3, 1), k=ms)
    print(*(functions.count(name) for name in "mlr"), ms)' "$@" >"$work/numbers" || return
	while read -r many few rest ms; do
		made "$1.$((++i))" "$many" "$few" "$rest" "$ms" || return
	done <"$work/numbers"
}

# exits STATUS ARG...: profil diff exits with STATUS
exits() {
	local status

	"$PROFIL" diff "${@:2}" >"$work/out" 2>"$work/err"
	status=$?
	[ $status = "$1" ] || { echo "# status $status, not $1: ${*:2}"; cat "$work/err"; }
	[ $status = "$1" ]
}

made old 6000 3000 1000 || exit 1

# 20 pairs of equal builds pass, also at the level of single functions: spin_much has a standard
# error of sqrt(6000) samples, 0.8 percent, and an interval of 1.5 percent on each side. At a limit
# that chance may reach, what is not known does not pass as "not slower".
equal_builds_pass() {
	local seed

	for seed in {1..20}; do
		at_random "$seed" 1 && exits 0 --fail-above 5 "$work/old" "$work/new" || return
	done
	[ ! -s "$work/err" ] && exits 4 --fail-undecided --fail-above 0.5 "$work/old" "$work/new"
}

# spin_much has 60 % of the time, so all together become slower by 6 %.
slower_builds_fail() {
	local seed

	for seed in {1..20}; do
		at_random "$seed" 1.1 && exits 3 --fail-above 2 "$work/old" "$work/new" || return
	done
	grep -q '^profil: slower by more than --fail-above=2 permits:$' "$work/err" &&
	grep -qE '^  \+[4-8]\.[0-9]+ percent of the old CPU time, at least \+[2-6].*: spin spin_much$' \
		"$work/err" && ! grep spin_less "$work/err" &&
	# the table is printed as without a limit
	grep -q ' spin_much$' "$work/out" && exits 0 "$work/old" "$work/new" &&
	exits 0 --fail-above 10 "$work/old" "$work/new"
}

# A program that takes 1.768 s, and with a slower function 1.874 s: 6 % more, in a machine in which
# runs do not differ. The total is known to a sample or two.
known_total() {
	made before 1296 471 1 && made again 1297 469 1 && made after 1294 579 1 &&
	exits 3 --fail-above 3 "$work/before" "$work/after" &&
	grep -qE 'CPU time, at least \+5\.[67].*: \(all functions\)$' "$work/err" &&
	exits 3 --markdown --fail-above 3 "$work/before" "$work/after" &&
	! grep -q 'Not slower' "$work/out" && exits 0 --fail-above 5 "$work/before" "$work/again" &&
	exits 0 "$work/before" "$work/again" &&
	grep -qE '^# all functions: .* \(-0.00[0-9]\.\.\+0.00[0-9]\)$' "$work/out"
}

# It is the interval that counts. 60 of 100 samples have become 66: that may be chance, or more.
# 6000 of 10000 have become 6600: that is 6 percent, at least 4.5 and at most 7.5.
few_samples_are_undecided() {
	made few 60 30 10 && made more 66 30 10 &&
	exits 4 --fail-undecided --fail-above 4 "$work/few" "$work/more" &&
	grep -q '^profil: not known to be slower by more than --fail-above=4 permits, nor not' \
		"$work/err" &&
	grep -qE '^  \+6\.00 percent of .*, perhaps up to \+1[5-9]\..*: .*spin_much$' "$work/err" &&
	exits 4 --fail-undecided --markdown --fail-above 4 "$work/few" "$work/more" &&
	grep -qE '^\*\*Undecided\*\*: limit 4 percent of the old .*, and up to 1[0-9.]+ percent slower' \
		"$work/out" && exits 0 --fail-above 25 "$work/few" "$work/more" &&
	made new 6600 3000 1000 && exits 3 --fail-above 4 "$work/old" "$work/new" &&
	exits 4 --fail-undecided --fail-above 7 "$work/old" "$work/new" &&
	exits 0 --fail-above 7 "$work/old" "$work/new" && [ -s "$work/err" ] &&
	exits 0 --fail-above 8 "$work/old" "$work/new"
}

# One unchanged program, 8 runs of 0.6 s: of each pair, the total differs by more than sampling
# error in most. The text says that this is no gate.
one_run_is_no_gate() {
	local i j marked=0

	runs same 1 8 0.6 || return
	for i in {1..8}; do
		for ((j = i + 1; j <= 8; j++)); do
			exits 0 "$work/same.$i" "$work/same.$j" || return
			grep -q '^# one run a side: .*profil compare$' "$work/out" || return
			grep -q '^# all functions: .*\*$' "$work/out" && ((++marked))
		done
	done
	[ "$marked" -ge 9 ] || { echo "# only $marked of 28 differ"; return 1; }
}

# With the variance between runs, an unchanged program is marked with a probability of 5 %. More
# than 4 of 12 are with 0.02 %. Ten runs of a program that takes 20 % more time have a standard
# error of 4.9 % of the old time, and an interval of 10 % a side.
several_runs_are() {
	local seed marked=0

	for seed in {1..12}; do
		runs old "$seed" 4 0.6 && runs new "$seed" 4 0.6 &&
		exits 0 "$work"/old.? -- "$work"/new.? || return
		grep -q '^# all functions: .*\*$' "$work/out" && ((++marked))
	done
	[ "$marked" -le 4 ] || { echo "# $marked of 12 are marked"; return 1; }
	grep -q '^# means of 4 old and 4 new runs; intervals have the variance' "$work/out" &&
	! grep -q 'one run a side' "$work/out" &&
	runs old 1 10 0.6 && runs new 1 10 0.72 &&
	exits 0 --fail-above 50 "$work"/old.* -- "$work"/new.* &&
	grep -q '^# all functions: .*\*$' "$work/out" &&
	exits 3 --fail-above 2 "$work"/old.* -- "$work"/new.* &&
	exits 4 --fail-undecided --fail-above 2 --shares "$work"/old.1 -- "$work"/new.?
}

# -- ends the options, and is between the builds if there is a file before it.
command_line() {
	exits 0 -- "$work/old" "$work/old" && exits 0 "$work/old" -- "$work/old" &&
	exits 0 --json "$work/old" "$work/old" -- "$work/new" && checked diff 10600 &&
	grep -q '"runs":2' "$work/out" && grep -q '"runs":1' "$work/out" &&
	exits 2 "$work/old" "$work/old" "$work/new" && grep -q 'write -- between' "$work/err" &&
	exits 2 "$work/old" -- && exits 2 -- "$work/old" && exits 2 - -- - &&
	exits 1 "$work/old" "$work/old" -- "$work/no-such-file" &&
	exits 0 "$work/old" - -- "$work/new" <"$work/old" &&
	CLOCK=1 made even 6000 3000 1000 && exits 0 "$work/even" "$work/even" &&
	grep -q '^# samples are at even intervals' "$work/out" &&
	exits 0 "$work/old" "$work/old" && ! grep -q 'even intervals' "$work/out"
}

# A function that becomes faster does not fail, nor does one that hides behind others.
direction() {
	made faster 5000 2000 500 && exits 0 --fail-above 0 "$work/old" "$work/faster" &&
	made moved 6600 2400 1000 && exits 3 --fail-above 2 "$work/old" "$work/moved" &&
	! grep -q 'all functions' "$work/err" && grep -q ' spin_much$' "$work/err" &&
	exits 3 --shares --fail-above 2 "$work/old" "$work/moved" &&
	grep -q 'percent of the old samples' "$work/err"
}

wrong_limits() {
	exits 2 --fail-above x "$work/old" "$work/old" && exits 2 --fail-above -1 "$work/old" "$work/old" &&
	exits 2 --json --markdown "$work/old" "$work/old" &&
	exits 1 --fail-above 5 "$work/old" "$work/no-such-file"
}

# Only what has changed; | and ` of names do not end a cell or the code
markdown() {
	at_random 1 1.1 && exits 3 --fail-above 2 --markdown "$work/old" "$work/new" &&
	[ "$(head -n 1 "$work/out")" = '**Slower**: limit 2 percent of the old CPU time' ] &&
	grep -qE '^\| 6\.000 \| 6\.[0-9]+ \| \*\*\+0\.[0-9]+\\\*\*\* \| .* \| `spin` \| `spin_much` \|$' \
		"$work/out" &&
	grep -qE '^\| 10\.000 \| .* \|  \| `\(all functions\)` \|$' "$work/out" &&
	grep -q '^2 functions did not change by more than sampling error\.$' "$work/out" &&
	objcopy --redefine-sym 'spin_much=a|b`c' "$spin" "$work/odd" &&
	printf '0 %s 10\n' "$much" | unit/export_sample result "$work/odd.out" "$work/odd" &&
	exits 0 --markdown --top 1 "$work/odd.out" "$work/odd.out" &&
	grep -qF '| `` a\|b`c `` |' "$work/out"
}

# checked KIND SAMPLES: the output matches its schema, and its rows have that many samples
checked() {
	local got

	got=$(host/export_check.py "$1" "$work/out") && [ "$got" = "$2" ] ||
		{ echo "# $got samples, not $2"; return 1; }
}

diff_is_json() {
	made new 6600 3000 1000 && exits 3 --json --fail-above 2 "$work/old" "$work/new" &&
	checked diff 10600 && exits 0 --json --shares "$work/old" "$work/new" &&
	checked diff 10600 && exits 0 --json --top 1 "$work/old" "$work/new" && checked diff 6600
}

report_is_json() {
	local by

	for by in function line object address process thread program; do
		"$PROFIL" report --json --by $by "$work/old" >"$work/out" 2>"$work/err" &&
		checked report 10000 || { echo "# by $by"; return 1; }
	done
	"$PROFIL" report --json --top 1 "$work/old" >"$work/out" && checked report 6000 &&
	! "$PROFIL" report --json --annotate spin_much "$work/old" 2>"$work/err"
}

# Without the device, or with it
info_is_json() {
	local status

	"$PROFIL" info --json >"$work/out" 2>"$work/err"
	status=$?
	host/export_check.py info "$work/out" >"$work/checks" &&
	[ "$(<"$work/checks")" = "$("$PROFIL" info | grep -c '^[^ ]')" ] &&
	grep -qx '"can_profile":'"$([ $status = 0 ] && echo true || echo false)", "$work/out" &&
	exits 2 --json && ! "$PROFIL" info --json x 2>"$work/err"
}

ktap_print_header
ktap_set_plan 13
check "--fail-above: 20 pairs of equal builds pass" equal_builds_pass
check "--fail-above: 20 builds that are 6 % slower fail" slower_builds_fail
check "--fail-above: the total is known to a sample or two" known_total
check "--fail-above: what chance may hide does not pass" few_samples_are_undecided
check "one run a side: runs of one program differ" one_run_is_no_gate
check "several runs a side: they do not" several_runs_are
check "several runs a side: the command line" command_line
check "--fail-above: faster functions pass, a slower one among faster ones fails" direction
check "--fail-above: wrong limits" wrong_limits
check "--markdown" markdown
check "diff --json matches its schema" diff_is_json
check "report --json matches its schema" report_is_json
check "info --json matches its schema" info_is_json
ktap_finished
