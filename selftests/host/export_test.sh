#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Exports of results, read by the tools that they are made for, or held against the
# published schemas: of a result about real programs, and of one with all that is odd.
# Runs natively, needs no module.

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

# symbol FILE NAME: its address in hex, and OFFSET bytes more
symbol() {
	local address

	address=$(nm "$1" | awk -v name="$2" '$3 == name { print $1; exit }')
	printf '%x\n' $((0x$address + ${3:-0}))
}

# counts NUMBER FILE LESS LESS2 MUCH MUCH2: two counts each of spin_less and spin_much,
# at their start and 8 bytes on, for export_sample
counts() {
	printf '%s %s %s\n' "$1" "$(symbol "$2" spin_less)" "$3" \
		"$1" "$(symbol "$2" spin_less 8)" "$4" \
		"$1" "$(symbol "$2" spin_much)" "$5" \
		"$1" "$(symbol "$2" spin_much 8)" "$6"
}

# by_address: lines of counts, as a result has them
by_address() {
	while read -r object address samples; do
		printf '%d %016x %d\n' "$object" $((0x$address)) "$samples"
	done | sort
}

# 200000 samples of the library, 100000 of each program; at 1000 Hz
{
	printf '0 %s 150000\n0 %s 50000\n' "$(symbol "$library" sprofil)" \
		"$(symbol "$library" profil_bsd)"
	counts 1 "$pie" 20000 20000 59999 1
	counts 2 "$no_pie" 10000 20000 4465 65535
} | by_address >"$work/counts"
"$sample" result "$work/result" "$library" "$pie" "$no_pie" <"$work/counts" || exit 1

# export ARG...: what `profil export` does with the result
export_result() {
	"$PROFIL" export "$@" "$work/result" 2>"$work/err"
}

odd() {
	"$sample" odd "$1" "$2" >"$work/out" 2>"$work/err"
}

# is WHAT WANTED GOT
is() {
	[ "$2" = "$3" ] || { echo "# $1: $3 instead of $2"; false; }
}

# gprof_has FILE SECONDS-NAME...: the flat profile of one object
gprof_has() {
	local file=$1

	shift
	gprof -p -b "$file" "$work/gmon/${file##*/}.gmon.out" >"$work/out" \
		2>"$work/err" && [ ! -s "$work/err" ] &&
	is "$file" "$*" "$(awk '$1 ~ /^[0-9.]+$/ { printf "%s%s-%s", sep, $3, $4; sep = " " }' \
		"$work/out")"
}

gmon_pie() {
	export_result --gmon -o "$work/gmon" >"$work/out" &&
	grep -q "^$pie $work/gmon/spin.gmon.out$" "$work/out" &&
	gprof_has "$pie" 60.00-spin_much 40.00-spin_less
}

# More than 65535 in one count: gprof -s, which writes them again, could not
gmon_adds_up() {
	is sum "120.00" "$(gprof -p -b "$pie" "$work"/gmon/spin.gmon.out{,} |
		awk '$4 == "spin_much" { print $3 }')"
}

# What it takes for the same: both programs' functions, which are in one source.
callgrind() {
	export_result --callgrind -o "$work/callgrind" &&
	callgrind_annotate --threshold=100 "$work/callgrind" >"$work/out" 2>"$work/err" &&
	[ ! -s "$work/err" ] &&
	is totals 400,000 "$(awk '/PROGRAM TOTALS/ { print $1 }' "$work/out")" &&
	is functions "sprofil=150,000 spin_much=130,000 spin_less=70,000 profil_bsd=50,000 " \
		"$(sed -n 's/^ *\([0-9,]*\) (.*) .* (.*)  [^:]*\.c:\([a-z_]*\) \[.*\]$/\2=\1/p' "$work/out" |
			tr '\n' ' ')" &&
	grep -q "^ *150,000 (37.50%)  *150,000,000,000 (37.50%)  .*/lib/sprofil.c:sprofil \[$library\]$" \
		"$work/out"
}

# Where there is debug information, as in these programs
callgrind_sources() {
	export_result --callgrind -o "$work/callgrind" &&
	callgrind_annotate --auto=yes --threshold=100 "$work/callgrind" >"$work/out" \
		2>"$work/err" && [ ! -s "$work/err" ] &&
	grep -q '^130,000 (32.50%) 130,000,000,000 (32.50%)  SPIN(spin_much)$' "$work/out" &&
	grep -q '^ *70,000 (17.50%)  *70,000,000,000 (17.50%)  SPIN(spin_less)$' "$work/out"
}

# And where there is none: by object
callgrind_stripped() {
	mkdir -p "$work/root${pie%/*}" &&
	strip -g -o "$work/root$pie" "$pie" &&
	export_result --callgrind --root "$work/root" -o "$work/callgrind" &&
	callgrind_annotate --threshold=100 "$work/callgrind" >"$work/out" 2>"$work/err" &&
	[ ! -s "$work/err" ] &&
	grep -qF "[spin]:spin_much [$pie]" "$work/out"
}

callgrind_odd() {
	odd callgrind "$work/callgrind" &&
	callgrind_annotate --threshold=100 "$work/callgrind" >"$work/out" 2>"$work/err" &&
	[ ! -s "$work/err" ] &&
	grep -qF '[big.so]:(1) hot [/lib/big.so]' "$work/out" &&
	is totals 4,295,098,432 "$(awk '/PROGRAM TOTALS/ { print $1 }' "$work/out")"
}

# decode FILE: pprof's message as text, by its own schema
decode() {
	gzip -dc "$1" | protoc -I "$pprof_schema" \
		--decode=perftools.profiles.Profile "$pprof_schema/profile.proto" \
		>"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] &&
	# a field that the schema does not have is a number there
	! grep -nE '^ *[0-9]+[:{ ]' "$work/out"
}

pprof() {
	export_result --pprof -o "$work/pprof" && decode "$work/pprof" &&
	is samples 10 "$(grep -c '^sample {' "$work/out")" &&
	is mappings 3 "$(grep -c '^mapping {' "$work/out")" &&
	is values 400000 "$(awk '/^sample {/ { inside = 1 }
		inside && /value:/ { sum += $2; inside = 0 } END { print sum }' \
		"$work/out")" &&
	# the program's is the first
	is program "\"$no_pie\"" "$(awk '/^mapping {/ { inside = 1 }
		inside && /filename:/ { print $2; exit }' "$work/out" |
		while read -r index; do
			sed -n 's/^string_table: //p' "$work/out" | sed -n "$((index + 1))p"
		done)" &&
	grep -q '^period: 1000000$' "$work/out"
}

# pprof_tool ARG...: what pprof itself shows; it leaves nothing in the home directory
pprof_tool() {
	HOME=$work PPROF_BINARY_PATH=$work PPROF_TMPDIR=$work go tool pprof "$@" \
		"$work/pprof" >"$work/out" 2>"$work/err"
}

# source_line NAME: where spin.c defines it
source_line() {
	grep -n "^SPIN($1)" programs/spin.c | cut -d: -f1
}

# The source of a function, and its samples at its line
pprof_lists() {
	local name=spin_much

	export_result --pprof -o "$work/pprof" && pprof_tool -list "^$name\$" &&
	grep -q "^ROUTINE =* $name in $PWD/programs/spin.c$" "$work/out" &&
	grep -qE "^ +130s +130s +$(source_line $name):SPIN\($name\)$" "$work/out" &&
	pprof_tool -top -lines &&
	grep -qE "^ +70s .* spin_less $PWD/programs/spin.c:$(source_line spin_less)$" "$work/out"
}

# Without names, no two functions become one; pprof itself would find these files
pprof_nameless() {
	export_result --pprof --root "$work" -o "$work/pprof" &&
	pprof_tool -symbolize=none -nodefraction=0 -top &&
	is functions 10 "$(grep -cE "(${library##*/}|${pie##*/}|${no_pie##*/})\+0x[0-9a-f]+$" "$work/out")"
}

# protoc complains of strings that are not UTF-8
pprof_odd() {
	odd pprof "$work/pprof" && decode "$work/pprof" &&
	is samples 14 "$(grep -c '^sample {' "$work/out")"
}

json() {
	export_result --json -o "$work/json" &&
	is samples 400000 "$(host/export_check.py json "$work/json" 2>"$work/err")" &&
	odd json "$work/json" &&
	is samples 4295098432 "$(host/export_check.py json "$work/json" 2>"$work/err")"
}

# What the schema is for: without a figure, or with another kind, it is refused.
json_schema() {
	local broken

	export_result --json -o "$work/json" || return
	for broken in '/^"rate":/d' 's/^"rate":/&-/' 's/"address":"0x/"address":"/' \
			's/^"version":1/"version":2/' 's/^"start_time":"/&x/'; do
		sed "$broken" "$work/json" >"$work/broken"
		if host/export_check.py json "$work/broken" >"$work/out" 2>"$work/err" ||
				! grep -q 'Failed validating' "$work/err"; then
			echo "# not refused: $broken"
			return 1
		fi
	done
}

speedscope() {
	export_result --speedscope -o "$work/speedscope" &&
	is ns 400000000000 "$(host/export_check.py speedscope "$work/speedscope" 2>"$work/err")" &&
	odd speedscope "$work/speedscope" &&
	host/export_check.py speedscope "$work/speedscope" >"$work/out" 2>"$work/err"
}

folded() {
	local base=${library##*/}

	export_result --folded >"$work/folded" &&
	is lines "$base;sprofil 150000,spin-no-pie;spin_much 70000,spin;spin_much 60000,$base;profil_bsd 50000,spin;spin_less 40000,spin-no-pie;spin_less 30000" \
		"$(paste -sd, "$work/folded")" &&
	odd folded "$work/folded" &&
	! grep -vE '^[^;]+(;[^;]+)? [0-9]+$' "$work/folded" &&
	iconv -f UTF-8 -t UTF-8 "$work/folded" >/dev/null 2>"$work/err" &&
	is samples 4295098432 "$(awk '{ n += $NF } END { printf "%.0f", n }' "$work/folded")"
}

# drawn FILE: is well-formed, and can be drawn
drawn() {
	xmllint --noout --nonet "$1" 2>"$work/err" &&
	rsvg-convert "$1" -o "$1.png" 2>"$work/err" &&
	[ ! -s "$work/err" ] && [ -s "$1.png" ] &&
	# nothing runs, and nothing is fetched
	! grep -nE '<script|href|url\(|@import| on[a-z]+=' "$1"
}

svg() {
	local name

	export_result --svg -o "$work/svg" && drawn "$work/svg" &&
	for name in sprofil profil_bsd spin_much spin_less; do
		grep -q ">$name</text>" "$work/svg" || return
	done &&
	grep -qF "sprofil&#10;$library&#10;150000 samples, 37.50 %, 150.000 s" "$work/svg" &&
	odd svg "$work/svg" && drawn "$work/svg"
}

standard_output() {
	export_result --json -o "$work/json" && export_result --json >"$work/out" &&
	cmp "$work/json" "$work/out"
}

# Nothing that one would have to get a terminal back from
no_terminal() {
	script -qec "$PROFIL export --pprof $work/result" /dev/null >"$work/out" </dev/null &&
		return 1
	grep -q 'use --output to name a file' "$work/out"
}

# refused TEXT ARG...: fails, and says so
refused() {
	local text=$1

	shift
	"$PROFIL" export "$@" >"$work/out" 2>"$work/err" && return 1
	[ ! -s "$work/out" ] && grep -q -e "$text" "$work/err"
}

arguments() {
	refused 'choose a format: --gmon, .*--svg' "$work/result" &&
	refused 'choose one format: --svg or --json' --svg --json "$work/result" &&
	refused 'only one FILE can be converted' --svg "$work/result" "$work/result" &&
	refused 'No such file or directory (ENOENT): `profil COMMAND' --svg "$work/nothing" &&
	refused 'result' --json "$pie" &&
	refused '/nonexistent/out: No such file' --json -o /nonexistent/out "$work/result" &&
	refused '/dev/full: No space left' --json -o /dev/full "$work/result"
}

# Not by another name, and not at its end either
over_the_result() {
	local name

	ln "$work/result" "$work/link" && ln -s result "$work/symlink" &&
	cp "$work/result" "$work/before" &&
	for name in result link symlink; do
		refused "$name is the result itself, .*: name another file with --output" \
			--json -o "$work/$name" "$work/result" || return
	done &&
	! export_result --json >>"$work/result" &&
	grep -q 'standard output is the result itself' "$work/err" &&
	cmp "$work/before" "$work/result" &&
	# and a copy is not it
	export_result --json -o "$work/before"
}

# As on a machine that has none of the files: addresses for names, and it says why
elsewhere() {
	export_result --json --root "$work" -o "$work/json" &&
	grep -q "^.*: $library: No such file or directory below the root: no function names" "$work/err" &&
	is samples 400000 "$(host/export_check.py json "$work/json")" &&
	grep -q '"symbol":null' "$work/json"
}

ktap_print_header
ktap_set_plan 22
check "gprof: a program at any address" gmon_pie
check "gprof: a program at fixed addresses, counts above 65535 in sum" \
	gprof_has "$no_pie" 70.00-spin_much 30.00-spin_less
check "gprof: a shared library, counts above 65535" \
	gprof_has "$library" 150.00-sprofil 50.00-profil_bsd
check "gprof: sums of files" gmon_adds_up
check "callgrind_annotate" callgrind
check "callgrind_annotate: sources" callgrind_sources
check "callgrind_annotate: no debug information" callgrind_stripped
check "callgrind_annotate: odd names" callgrind_odd
check "pprof's schema" pprof
check "pprof's schema: odd names" pprof_odd
for name in lists nameless; do
	if go tool pprof -help >/dev/null 2>&1; then
		check "go tool pprof: $name" "pprof_$name"
	else
		ktap_test_skip "go tool pprof: $name: there is no go (Debian: golang-go)"
	fi
done
check "JSON by its schema" json
check "JSON's schema refuses what is wrong" json_schema
check "speedscope's schema" speedscope
check "folded lines" folded
check "SVG is well-formed, and is drawn" svg
check "to standard output" standard_output
check "nothing binary to a terminal" no_terminal
check "errors name the next step" arguments
check "a result is not written over" over_the_result
check "without the objects" elsewhere
ktap_finished
