#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Exports of a result of real programs, and of one with unusual names and counts (export_sample
# odd): the tools for the formats read them, or they match the published schemas. Runs natively,
# needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s programs/spin programs/spin-no-pie &&
	make -s -C unit export_sample || exit 1
PROFIL=${PROFIL:-../tools/profil}
sample=unit/export_sample
library=$(readlink -f ../lib/libprofil.so)
pie=$(readlink -f programs/spin)
no_pie=$(readlink -f programs/spin-no-pie)
pprof_schema=/usr/share/gocode/src/github.com/google/pprof/proto

# symbol FILE NAME [OFFSET]: prints its address plus OFFSET, in hexadecimal
symbol() {
	local address

	address=$(nm "$1" | awk -v name="$2" '$3 == name { print $1; exit }')
	printf '%x\n' $((0x$address + ${3:-0}))
}

# counts NUMBER FILE LESS LESS2 MUCH MUCH2: prints two counts each of spin_less and spin_much for
# export_sample, at the function's start and 8 bytes later
counts() {
	printf '%s %s %s\n' "$1" "$(symbol "$2" spin_less)" "$3" \
		"$1" "$(symbol "$2" spin_less 8)" "$4" \
		"$1" "$(symbol "$2" spin_much)" "$5" \
		"$1" "$(symbol "$2" spin_much 8)" "$6"
}

# by_address: sorts lines of counts by object and address, like in a result
by_address() {
	while read -r object address samples; do
		printf '%d %016x %d\n' "$object" $((0x$address)) "$samples"
	done | sort
}

# 200000 samples of the library and 100000 of each program, at 1000 Hz
{
	printf '0 %s 150000\n0 %s 50000\n' "$(symbol "$library" sprofil)" \
		"$(symbol "$library" profil_bsd)"
	counts 1 "$pie" 20000 20000 59999 1
	counts 2 "$no_pie" 10000 20000 4465 65535
} | by_address >"$work/counts"
"$sample" result "$work/result" "$library" "$pie" "$no_pie" <"$work/counts" || exit 1

# One with stacks: spin_less calls itself and spin_much, or the other way around
for name in spin_less spin_much; do
	printf '0 %016x 20\n0 %016x 30 5\n' "0x$(symbol "$pie" "$name")" "0x$(symbol "$pie" "$name" 8)"
done | sort | STACKS=1 "$sample" result "$work/stacks" "$pie" || exit 1

# The same of copies that are gone, so that functions have no names
mkdir "$work/gone" && cp "$library" "$pie" "$no_pie" "$work/gone" &&
"$sample" result "$work/unnamed" "$work/gone/${library##*/}" "$work/gone/${pie##*/}" \
	"$work/gone/${no_pie##*/}" <"$work/counts" && rm -r "$work/gone" || exit 1

# export_unnamed ARG...: exports the result of files that are gone
export_unnamed() {
	"$PROFIL" export "$@" "$work/unnamed" 2>"$work/err"
}

# export_result ARG...: exports the result of the real programs
export_result() {
	"$PROFIL" export "$@" "$work/result" 2>"$work/err"
}

# export_stacks ARG...: exports the result with stacks
export_stacks() {
	"$PROFIL" export "$@" "$work/stacks" 2>"$work/err"
}

# stacks_total: the functions of the result with stacks: samples, and samples with what they call
stacks_total() {
	"$PROFIL" report --all "$work/stacks" | awk '!/^#/ { print $8, $4, $2 }' | sort
}

# export_odd FORMAT FILE: exports the result with unusual names and counts
export_odd() {
	"$sample" odd "$1" "$2" >"$work/out" 2>"$work/err"
}

# equals WHAT WANTED GOT
equals() {
	[ "$2" = "$3" ] || { echo "# $1: $3 instead of $2"; false; }
}

# gprof_has FILE SECONDS-NAME...: gprof prints these rows for the object FILE
gprof_has() {
	local file=$1

	shift
	gprof -p -b "$file" "$work/gmon/${file##*/}.gmon.out" >"$work/out" \
		2>"$work/err" && [ ! -s "$work/err" ] &&
	equals "$file" "$*" "$(awk '$1 ~ /^[0-9.]+$/ { printf "%s%s-%s", sep, $3, $4; sep = " " }' \
		"$work/out")"
}

gmon_pie() {
	export_result --gmon -o "$work/gmon" >"$work/out" &&
	grep -q "^$pie $work/gmon/spin.gmon.out$" "$work/out" &&
	gprof_has "$pie" 60.00-spin_much 40.00-spin_less
}

# gprof adds up two files, with more than 65535 samples in a counter. (gprof -s cannot write that.)
gmon_adds_up() {
	equals sum "120.00" "$(gprof -p -b "$pie" "$work"/gmon/spin.gmon.out{,} |
		awk '$4 == "spin_much" { print $3 }')"
}

# gprof finds what spin_much calls, without -pg: the self time and that of its callee are 0.05 s.
gmon_calls() {
	export_stacks --gmon -o "$work/gmon" >"$work/out" &&
	gprof -q -b "$pie" "$work/gmon/spin.gmon.out" >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] &&
	grep -qE '^\[1\] +100\.0 +0\.05 +0\.05 .* spin_much \[1\]$' "$work/out" &&
	grep -qE '^ +0\.05 +0\.00 +50/50 +spin_less \[2\]$' "$work/out"
}

# callgrind_annotate adds up the functions of both programs, which have the same source file.
callgrind() {
	export_result --callgrind -o "$work/callgrind" &&
	callgrind_annotate --threshold=100 "$work/callgrind" >"$work/out" 2>"$work/err" &&
	[ ! -s "$work/err" ] &&
	equals totals 400,000 "$(awk '/PROGRAM TOTALS/ { print $1 }' "$work/out")" &&
	equals functions "sprofil=150,000 spin_much=130,000 spin_less=70,000 profil_bsd=50,000 " \
		"$(sed -n 's/^ *\([0-9,]*\) (.*) .* (.*) 0  *[^: ]*\.c:\([a-z_]*\) \[.*\]$/\2=\1/p' "$work/out" |
			tr '\n' ' ')" &&
	grep -q "^ *150,000 (37.50%)  *150,000,000,000 (37.50%) 0  *[^ ]*/lib/sprofil.c:sprofil \[$library\]$" \
		"$work/out"
}

# With debug information, the source lines have the samples.
callgrind_sources() {
	export_result --callgrind -o "$work/callgrind" &&
	callgrind_annotate --auto=yes --threshold=100 "$work/callgrind" >"$work/out" \
		2>"$work/err" && [ ! -s "$work/err" ] &&
	grep -q '^130,000 (32.50%) 130,000,000,000 (32.50%) 0  *SPIN(spin_much)$' "$work/out" &&
	grep -q '^ *70,000 (17.50%)  *70,000,000,000 (17.50%) 0  *SPIN(spin_less)$' "$work/out"
}

# Without debug information, functions are listed by object.
callgrind_stripped() {
	mkdir -p "$work/root${pie%/*}" &&
	strip -g -o "$work/root$pie" "$pie" &&
	export_result --callgrind --root "$work/root" -o "$work/callgrind" &&
	callgrind_annotate --threshold=100 "$work/callgrind" >"$work/out" 2>"$work/err" &&
	[ ! -s "$work/err" ] &&
	grep -qF "[spin]:spin_much [$pie]" "$work/out"
}

# With callers, costs have those of what a function calls.
callgrind_calls() {
	export_stacks --callgrind -o "$work/callgrind" &&
	callgrind_annotate --inclusive=yes --threshold=100 "$work/callgrind" >"$work/out" \
		2>"$work/err" && [ ! -s "$work/err" ] &&
	equals totals "$(stacks_total | awk '{ print $1, $3 * 1 }')" \
		"$(sed -n 's/^ *\([0-9]*\) (.*:\(spin_[a-z]*\) \[.*/\2 \1/p' "$work/out" | sort)" &&
	callgrind_annotate --tree=calling --threshold=100 "$work/callgrind" >"$work/out" &&
	grep -q '^ *50 .* > .*:spin_less (50x)' "$work/out"
}

callgrind_odd() {
	export_odd callgrind "$work/callgrind" &&
	callgrind_annotate --threshold=100 "$work/callgrind" >"$work/out" 2>"$work/err" &&
	[ ! -s "$work/err" ] &&
	grep -qF '[big.so]:(1) hot [/lib/big.so]' "$work/out" &&
	equals totals 4,295,098,432 "$(awk '/PROGRAM TOTALS/ { print $1 }' "$work/out")"
}

# decode FILE: decodes the export as text, by the schema of pprof
decode() {
	gzip -dc "$1" | protoc -I "$pprof_schema" \
		--decode=perftools.profiles.Profile "$pprof_schema/profile.proto" \
		>"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] &&
	# protoc prints a field that is not in the schema as a number
	! grep -nE '^ *[0-9]+[:{ ]' "$work/out"
}

pprof() {
	export_result --pprof -o "$work/pprof" && decode "$work/pprof" &&
	equals samples 10 "$(grep -c '^sample {' "$work/out")" &&
	equals mappings 3 "$(grep -c '^mapping {' "$work/out")" &&
	equals values 400000 "$(awk '/^sample {/ { inside = 1 }
		inside && /value:/ { sum += $2; inside = 0 } END { print sum }' \
		"$work/out")" &&
	# the first mapping is the program
	equals program "\"$no_pie\"" "$(awk '/^mapping {/ { inside = 1 }
		inside && /filename:/ { print $2; exit }' "$work/out" |
		while read -r index; do
			sed -n 's/^string_table: //p' "$work/out" | sed -n "$((index + 1))p"
		done)" &&
	grep -q '^period: 1000000$' "$work/out"
}

# pprof_tool ARG...: runs pprof, without files in the home directory
pprof_tool() {
	HOME=$work PPROF_BINARY_PATH=$work PPROF_TMPDIR=$work go tool pprof "$@" \
		"$work/pprof" >"$work/out" 2>"$work/err"
}

# Recursion counts once.
pprof_calls() {
	export_stacks --pprof -o "$work/pprof" && decode "$work/pprof" &&
	pprof_tool -sample_index=samples -top -cum &&
	equals totals "$(stacks_total)" \
		"$(awk '$6 ~ /^spin_/ { printf "%s %d %.2f\n", $6, $1, $5 }' "$work/out" | sort)" &&
	pprof_tool -peek spin_ &&
	grep -q "| *spin_much *$" "$work/out"
}

# source_line NAME: prints the line of its definition in spin.c
source_line() {
	grep -n "^SPIN($1)" programs/spin.c | cut -d: -f1
}

# pprof finds the source, and attributes the samples to the line of the function.
pprof_lists() {
	local name=spin_much

	export_result --pprof -o "$work/pprof" && pprof_tool -list "^$name\$" &&
	grep -q "^ROUTINE =* $name in $PWD/programs/spin.c$" "$work/out" &&
	grep -qE "^ +130s +130s +$(source_line $name):SPIN\($name\)$" "$work/out" &&
	pprof_tool -top -lines &&
	grep -qE "^ +70s .* spin_less $PWD/programs/spin.c:$(source_line spin_less)$" "$work/out"
}

# Without function names, each object is one function. -symbolize=none: pprof would find the files.
pprof_nameless() {
	export_unnamed --pprof -o "$work/pprof" &&
	pprof_tool -symbolize=none -nodefraction=0 -top &&
	equals functions 3 \
		"$(grep -cE "(${library##*/}|${pie##*/}|${no_pie##*/}) \(no symbols\)$" "$work/out")"
}

# protoc prints an error for strings that are not UTF-8.
pprof_odd() {
	export_odd pprof "$work/pprof" && decode "$work/pprof" &&
	equals samples 14 "$(grep -c '^sample {' "$work/out")"
}

json() {
	export_result --json -o "$work/json" &&
	equals samples 400000 "$(host/export_check.py json "$work/json" 2>"$work/err")" &&
	export_odd json "$work/json" &&
	equals samples 4295098432 "$(host/export_check.py json "$work/json" 2>"$work/err")"
}

# The names of each stack, the caller first
json_calls() {
	export_stacks --json -o "$work/json" &&
	equals samples 100 "$(host/export_check.py json "$work/json" 2>"$work/err")" &&
	equals stacks "spin_much 20;spin_much;spin_much 30;spin_much;spin_much;spin_less 20" \
		"$(python3 -c 'import json, sys
result = json.load(sys.stdin)
def name(node):
    of = result["nodes"][node]
    return (name(of["caller"]) + ";" if of["caller"] is not None else "") + of["name"]
stacks = [name(stack["node"]) + " " + str(stack["samples"]) for stack in result["stacks"]]
print(*stacks[:3], sep=";")' \
			<"$work/json")"
}

# The schema refuses a missing member, and values of a wrong type or form.
json_schema() {
	local broken

	export_result --json -o "$work/json" || return
	for broken in '/^"rate":/d' 's/^"rate":/&-/' 's/"address":"0x/"address":"/' \
			's/^"version":1/"version":2/' 's/^"start_time":"/&x/'; do
		sed "$broken" "$work/json" >"$work/broken"
		if host/export_check.py json "$work/broken" >"$work/out" 2>"$work/err" ||
				! grep -q 'Failed validating' "$work/err"; then
			echo "# accepted: $broken"
			return 1
		fi
	done
}

# The samples, and those in the kernel. Wrong profiles are refused. (The profiler's own code reads
# them, too, which was tried with its version 70.)
firefox() {
	local broken

	export_result --firefox -o "$work/firefox" &&
	equals samples "400000 0" "$(host/export_check.py firefox "$work/firefox" 2>"$work/err" | head -n 1)" &&
	grep -q "$PWD/programs/spin.c" "$work/firefox" &&
	export_odd firefox "$work/firefox" &&
	equals samples "4295098432 8" \
		"$(host/export_check.py firefox "$work/firefox" 2>"$work/err" | head -n 1)" ||
		return
	for broken in 's/"weightType":"samples"/"weightType":"bytes"/' '/^"pid":/s/"//3g' \
			's/^"category":\[[12]/"category":[0/' 's/"frame":\[0/"frame":[99/' \
			's/^"weight":\[[0-9]*,/"weight":[/'; do
		sed "$broken" "$work/firefox" >"$work/broken"
		if host/export_check.py firefox "$work/broken" >"$work/out" 2>"$work/err"; then
			echo "# accepted: $broken"
			return 1
		fi
	done
}

firefox_calls() {
	export_stacks --firefox -o "$work/firefox" &&
	equals totals "100 10 $(stacks_total | awk '{ print $1, $3 * 1 }' | paste -sd ' ')" \
		"$(host/export_check.py firefox "$work/firefox" 2>"$work/err" | paste -sd ' ')"
}

folded() {
	local base=${library##*/}

	export_result --folded >"$work/folded" &&
	equals lines "$base;sprofil 150000,spin-no-pie;spin_much 70000,spin;spin_much 60000,$base;profil_bsd 50000,spin;spin_less 40000,spin-no-pie;spin_less 30000" \
		"$(paste -sd, "$work/folded")" &&
	export_odd folded "$work/folded" &&
	! grep -vE '^[^;]+(;[^;]+)? [0-9]+$' "$work/folded" &&
	iconv -f UTF-8 -t UTF-8 "$work/folded" >/dev/null 2>"$work/err" &&
	equals samples 4295098432 "$(awk '{ n += $NF } END { printf "%.0f", n }' "$work/folded")"
}

# A picture: of the functions without a caller, all are as wide as it, and have all samples.
svg() {
	export_stacks --svg -o "$work/svg" &&
	equals picture "1200.0 100" "$(host/export_check.py svg "$work/svg" 2>"$work/err")" &&
	equals "with odd names" "1200.0 20" \
		"$(host/export_check.py svg unit/support/golden/svg 2>"$work/err")" &&
	refuses 'no call stacks (ENODATA)' --svg "$work/result"
}

standard_output() {
	export_result --json -o "$work/json" && export_result --json >"$work/out" &&
	cmp "$work/json" "$work/out"
}

# A binary export would make a terminal unusable.
refuses_terminal() {
	script -qec "$PROFIL export --pprof $work/result" /dev/null >"$work/out" </dev/null &&
		return 1
	grep -q 'use --output to name a file' "$work/out"
}

# refuses TEXT ARG...: export fails, and prints TEXT on standard error
refuses() {
	local text=$1

	shift
	"$PROFIL" export "$@" >"$work/out" 2>"$work/err" && return 1
	[ ! -s "$work/out" ] && grep -q -e "$text" "$work/err"
}

arguments() {
	refuses 'choose a format: --gmon, .*--html' "$work/result" &&
	refuses 'choose one format: --folded or --json' --folded --json "$work/result" &&
	refuses 'only one FILE can be converted' --json "$work/result" "$work/result" &&
	refuses 'two FILEs at most' --html "$work/result" "$work/result" "$work/result" &&
	refuses 'only one of the files can be standard input' --html - - &&
	refuses 'No such file or directory (ENOENT): `profil COMMAND' --json "$work/nothing" &&
	refuses 'result' --json "$pie" &&
	refuses '/nonexistent/out: No such file' --json -o /nonexistent/out "$work/result" &&
	refuses '/dev/full: No space left' --json -o /dev/full "$work/result"
}

# The result is not overwritten: not by a link to it, and not by appending to it.
keeps_result() {
	local name

	ln "$work/result" "$work/link" && ln -s result "$work/symlink" &&
	cp "$work/result" "$work/before" &&
	for name in result link symlink; do
		refuses "$name is the result itself, .*: name another file with --output" \
			--json -o "$work/$name" "$work/result" || return
	done &&
	refuses 'is the result itself' --html -o "$work/result" "$work/before" "$work/result" &&
	! export_result --json >>"$work/result" &&
	grep -q 'standard output is the result itself' "$work/err" &&
	cmp "$work/before" "$work/result" &&
	# a copy of the result can be overwritten
	export_result --json -o "$work/before"
}

# Without the objects and without names in the result, a message gives the reason.
without_objects() {
	export_unnamed --json -o "$work/json" &&
	grep -q "/gone/${library##*/}: No such file or directory: no function names" "$work/err" &&
	equals samples 400000 "$(host/export_check.py json "$work/json")" &&
	grep -q '"symbol":null' "$work/json"
}

# As for profil run, - is standard output, and no file of this name is made.
dash() (
	PROFIL=$(readlink -f "$PROFIL") && mkdir -p "$work/dash" && cd "$work/dash" &&
	equals output "$(export_result --folded)" "$(export_result --folded -o -)" && [ -z "$(ls -A)" ]
)

ktap_print_header
ktap_set_plan 28
check "--output=- is standard output" dash
check "gprof: a PIE" gmon_pie
check "gprof: a program at fixed addresses, with a sum above 65535" \
	gprof_has "$no_pie" 70.00-spin_much 30.00-spin_less
check "gprof: a shared library, with counts above 65535" \
	gprof_has "$library" 150.00-sprofil 50.00-profil_bsd
check "gprof adds up two files" gmon_adds_up
check "gprof: calls" gmon_calls
check "callgrind_annotate: functions" callgrind
check "callgrind_annotate: sources" callgrind_sources
check "callgrind_annotate: without debug information" callgrind_stripped
check "callgrind_annotate: calls" callgrind_calls
check "callgrind_annotate: unusual names" callgrind_odd
check "pprof matches its schema" pprof
check "pprof matches its schema: unusual names" pprof_odd
for name in lists nameless calls; do
	if go tool pprof -help >/dev/null 2>&1; then
		check "go tool pprof: $name" "pprof_$name"
	else
		ktap_test_skip "go tool pprof: $name: needs go (Debian: golang-go)"
	fi
done
check "JSON matches its schema" json
check "JSON: call stacks" json_calls
check "the schema of JSON refuses wrong files" json_schema
check "Firefox Profiler: a profile matches its types" firefox
check "Firefox Profiler: call stacks" firefox_calls
check "folded: a line per function" folded
check "a flame graph is a picture" svg
check "standard output is the default" standard_output
check "binary formats are not written to a terminal" refuses_terminal
check "error messages name the next step" arguments
check "a result is not overwritten" keeps_result
check "functions have no names without the objects" without_objects
ktap_finished
