#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profil for scripts: the exit status of `profil diff --fail-above`, its table for a pull request, and
# JSON of report, diff and info by their schemas. Runs natively, needs no module.

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

# made NAME MUCH LESS OTHER: makes a result of spin, with these numbers of samples at 1000 Hz
made() {
	printf '1 %s %s\n1 %s %s\n0 %s %s\n' "$less" "$3" "$much" "$2" "$sprofil" "$4" | sort |
		unit/export_sample result "$work/$1" "$library" "$spin"
}

# at_random SEED FACTOR: makes a result "new". A run of 10 s: the numbers of samples are those of
# independent events, and spin_much takes FACTOR times as long.
at_random() {
	# shellcheck disable=SC2046 # three words
	made new $(python3 -c 'import random, sys
random.seed(int(sys.argv[1]))
for mean in 6000 * float(sys.argv[2]), 3000, 1000:
    print(round(random.gauss(mean, mean ** 0.5)))' "$1" "$2")
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

# 20 pairs of equal builds pass, also at the level of single functions.
equal_builds_pass() {
	local seed

	for seed in {1..20}; do
		at_random "$seed" 1 && exits 0 --fail-above 2 "$work/old" "$work/new" || return
	done
	[ ! -s "$work/err" ]
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
	exits 0 --fail-above 8 "$work/old" "$work/new"
}

# It is the lower end of the interval that counts. 60 of 100 samples have become 66: that may be
# chance. 6000 of 10000 have become 6600: that is 6 percent, and at least 3.8.
few_samples_pass() {
	made few 60 30 10 && made more 66 30 10 && exits 0 --fail-above 0 "$work/few" "$work/more" &&
	made new 6600 3000 1000 && exits 0 --fail-above 4 "$work/old" "$work/new" &&
	exits 3 --fail-above 3 "$work/old" "$work/new"
}

# A function that becomes faster does not fail, nor does one that hides behind others.
direction() {
	made faster 6000 2000 1000 && exits 0 --fail-above 0 "$work/old" "$work/faster" &&
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
ktap_set_plan 9
check "--fail-above: 20 pairs of equal builds pass" equal_builds_pass
check "--fail-above: 20 builds that are 6 % slower fail" slower_builds_fail
check "--fail-above: a change that may be chance passes" few_samples_pass
check "--fail-above: faster functions pass, a slower one among faster ones fails" direction
check "--fail-above: wrong limits" wrong_limits
check "--markdown" markdown
check "diff --json matches its schema" diff_is_json
check "report --json matches its schema" report_is_json
check "info --json matches its schema" info_is_json
ktap_finished
