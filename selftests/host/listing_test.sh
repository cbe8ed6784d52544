#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Instructions with their samples (profil report --annotate --asm): compared with those that objdump
# prints, in programs of several compilers and machines. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s -C unit export_sample fixture-inline-c \
	fixture-inline-c++ fixture-inline-rust fixture-go || exit 1
PROFIL=$(readlink -f "${PROFIL:-../tools/profil}")
sample=$PWD/unit/export_sample
program=$PWD/unit/fixture-inline-c

# check_program LEAST FILE PATTERN [OBJDUMP]: at least LEAST functions of FILE are as by objdump
check_program() {
	host/listing_check.py "$PROFIL" "$sample" "${4:-objdump}" "$work" "$2" "$3" \
		>"$work/out" 2>"$work/err" && read -r functions instructions <"$work/out" &&
	echo "# $functions functions, $instructions instructions" && ((functions >= $1))
}

# compiled COMPILER [FLAG...]: the same for the program of a compiler
compiled() {
	"$@" -g -o "$work/compiled" unit/support/fixture_inline.c \
		unit/support/fixture_inline_other.c 2>"$work/err"
}

i386() {
	compiled gcc -m32 -O2 && check_program 6 "$work/compiled" .
}

arm64() {
	compiled aarch64-linux-gnu-gcc -O2 &&
	check_program 6 "$work/compiled" . aarch64-linux-gnu-objdump
}

# address NAME: of a function of the program
address() {
	nm "$program" | awk -v name="$1" '$3 == name { print $1 }'
}

# make_result FILE LINE...: a result of FILE, whose samples are the lines "ADDRESS SAMPLES"
make_result() {
	printf '0 %s\n' "${@:2}" | "$sample" result "$work/result" "$1"
}

# lists ARG...: the report that is left in $work/out
lists() {
	"$PROFIL" report --asm --annotate "$@" "$work/result" >"$work/out" 2>"$work/err"
}

# has REGEX: a line of that report matches
has() {
	grep -qE -- "$1" "$work/out" || { echo "# no line: $1"; cat "$work/out"; false; }
}

# row ADDRESS SAMPLES INSTRUCTION: the report has this line
row() {
	has "^ {2,8}[ 0-9.]+ +$2 +$(printf %x "$1")  $3"
}

# An address with samples in the middle of what looks like an instruction: they stay there, and the
# bytes before it are no instruction. ("test %edi,%edi" is longer than a byte.)
exact_addresses() {
	local start

	start=$((0x$(address weigh_all)))
	make_result "$program" "$(printf '%x 30' $start)" "$(printf '%x 7' $((start + 1)))" &&
	lists weigh_all --all && has '^# 37 of 37 samples are in weigh_all$' &&
	row $start 30 '\.byte +0x' && row $((start + 1)) 7 '' &&
	make_result "$program" "$(printf '%x 7' $((start + 1)))" &&
	lists weigh_all --all && row $((start + 1)) 7 '' && has "^ {26} *$(printf %x $start)  \\.byte +0x"
}

# rows: the number of instructions in the report
rows() {
	grep -cE '^.{20} *[0-9a-f]+  ' "$work/out"
}

# Only what is near samples, with a mark for the rest; with --all everything
gaps() {
	local start size last

	read -r start size < <(nm -S "$program" | awk '$4 == "main" { print "0x" $1, "0x" $2 }')
	objdump -d -w --start-address=$((start)) --stop-address=$((start + size)) "$program" |
		grep -oE '^ +[0-9a-f]+:' | tr -d ' :' >"$work/addresses" &&
	last=$(tail -n 1 "$work/addresses") &&
	make_result "$program" "$(printf '%x 9' $((start)))" "$last 8" && lists main &&
	[ "$(rows)" = 10 ] && [ "$(grep -c '^ *\.\.\.$' "$work/out")" = 1 ] &&
	row $((start)) 9 '' && row $((0x$last)) 8 '' &&
	lists main --all && [ "$(rows)" = "$(wc -l <"$work/addresses")" ] && ! grep '\.\.\.$' "$work/out"
}

# Each instruction is below its source line, with the name of an inlined function. Of a function that
# is inlined everywhere, there is nothing but its instructions.
source_lines() {
	local start inlined

	start=$((0x$(address weigh_all)))
	make_result "$program" "$(printf '%x 9' $start)" && lists weigh_all --all &&
	has '^ {33}fixture_inline\.c:[0-9]+ {2}.*[a-z]' &&
	has '^ {33}fixture_inline\.c:[0-9]+ \(mix\) {2}.*;$' &&
	inlined=$(awk '/\(mix_both\)/ { getline; print $1; exit }' "$work/out") &&
	make_result "$program" "$(printf '%x 9' $start)" "$inlined 4" && lists mix_both --all &&
	has '^# 4 of 13 samples are in mix_both$' && has ' samples in inlined code$' &&
	row $((0x$inlined)) 4 '[a-z]' && ! grep -qE "  $(printf %x $start)  " "$work/out"
}

# Without debug information, and without symbols: there are instructions.
stripped() {
	local start

	start=$((0x$(address weigh_all)))
	strip -o "$work/stripped" "$program" &&
	make_result "$work/stripped" "$(printf '%x 5' $start)" &&
	lists "$(printf '0x%x' $start)" && row $start 5 '[a-z]' &&
	# not even the bounds of functions
	strip --strip-section-headers "$work/stripped" 2>/dev/null ||
		objcopy -R .eh_frame -R .eh_frame_hdr "$work/stripped" 2>"$work/err"
	make_result "$work/stripped" "$(printf '%x 5' $start)" && lists '(no symbols)' &&
	row $start 5 '[a-z]' && has '^# 5 of 5 samples are in \(no symbols\)$'
}

# The lines are in a separate debug file, the code is not.
separate_debug_file() {
	local start

	start=$((0x$(address weigh_all)))
	mkdir -p "$work/debug/.debug" && cp "$program" "$work/debug/program" &&
	objcopy --only-keep-debug "$program" "$work/debug/.debug/program.debug" &&
	(cd "$work/debug/.debug" && objcopy --strip-all --add-gnu-debuglink=program.debug ../program) &&
	make_result "$work/debug/program" "$(printf '%x 5' $start)" && lists weigh_all &&
	row $start 5 '[a-z]' && has '^ {33}fixture_inline.c:[0-9]+'
}

# A file that is gone or was replaced, and code that is in no file: the samples, and the reason
without_file() {
	local start

	start=$((0x$(address weigh_all)))
	cp "$program" "$work/gone" && make_result "$work/gone" "$(printf '%x 5' $start)" &&
	rm "$work/gone" && lists "$(printf '0x%x' $start)" && row $start 5 '$' &&
	has "^# $work/gone: no instructions: No such file or directory$" &&
	cp unit/fixture-inline-c++ "$work/gone" && lists "$(printf '0x%x' $start)" &&
	row $start 5 '$' && has 'no instructions: not the file that ran: its build-id differs$'
}

# A library that cannot be loaded: the samples, and the remedy
without_capstone() {
	mkdir -p "$work/lib" && touch "$work"/lib/libcapstone.so.{4,5,6} &&
	make_result "$program" "$(address weigh_all) 5" &&
	LD_LIBRARY_PATH=$work/lib lists weigh_all && row $((0x$(address weigh_all))) 5 '$' &&
	has 'no instructions: libcapstone.so.* cannot be loaded: install '
}

usage() {
	! "$PROFIL" report --asm "$work/result" >"$work/out" 2>"$work/err" &&
	grep -q -- '--asm needs --annotate=FUNCTION' "$work/err"
}

has_compiler() {
	command -v "$1" >/dev/null && compiled "$@"
}

# The file of the function itself is the first one, though another one has more samples.
own_file_first() {
	local inlined

	make_result "$program" "$(address weigh_all) 9" && lists weigh_all --all &&
	inlined=$(awk '/fixture_inline\.h:/ { getline; print $1; exit }' "$work/out") &&
	for samples in 4 40; do
		make_result "$program" "$(address weigh_all) 9" "$inlined $samples" &&
		"$PROFIL" report --annotate weigh_all "$work/result" >"$work/out" 2>"$work/err" &&
		grep -o '^# /.*fixture_inline\.[ch]$' "$work/out" | sed 's/.*\.//' | paste -sd ' '
	done >"$work/order" && [ "$(paste -sd , "$work/order")" = "c h,c h" ]
}

ktap_print_header
ktap_set_plan 15
check "C: instructions and samples" check_program 6 "$program" .
check_if unit/fixture-inline-c++ "C++: instructions and samples" \
	check_program 6 "$PWD/unit/fixture-inline-c++" .
check_if unit/fixture-inline-rust "Rust: instructions and samples" \
	check_program 10 "$PWD/unit/fixture-inline-rust" 'fixture_inline|main|3std2rt'
check_if unit/fixture-go "Go: instructions and samples" \
	check_program 20 "$PWD/unit/fixture-go" '^(main|memeqbody|runtime.m[a-c])'
if has_compiler gcc -m32; then
	check "i386: instructions and samples" i386
else
	ktap_test_skip "i386: instructions and samples"
fi
if has_compiler aarch64-linux-gnu-gcc; then
	check "arm64: instructions and samples" arm64
else
	ktap_test_skip "arm64: instructions and samples"
fi
check "samples stay at their addresses" exact_addresses
check "only instructions near samples" gaps
check "source lines and inlined functions" source_lines
check "without debug information" stripped
check "a separate debug file" separate_debug_file
check "without the file" without_file
check "source files: its own, then by samples" own_file_first
check "without capstone" without_capstone
check "--asm without a function" usage
ktap_finished
