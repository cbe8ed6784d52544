#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profil report with mon.out files: which files it accepts, with which program, and its errors
# for all others. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s programs/spin &&
	make -s -C unit export_sample || exit 1
PROFIL=$(readlink -f "${PROFIL:-../tools/profil}")
spin=$(readlink -f programs/spin)
address=$((16#$(nm "$spin" | awk '$3 == "spin_much" { print $1 }')))
head=" %Time Seconds Cumsecs  #Calls   msec/call  Name"

echo "0 $(printf %x "$address") 1000" | unit/export_sample result "$work/result" "$spin" || exit 1
cd "$work" || exit 1

# words NUMBER...: numbers in the layout of a size_t or pointer of this machine
words() {
	perl -e "print pack('L!*', @ARGV)" "$@"
}

# monout LOW HIGH: a file with an unused cell, a cell for calls of spin_much, and two counters
monout() {
	words "$1" "$2" 2 0 0 $((address + 1)) 4
	perl -e "print pack('S*', 10, 0)"
}

monout "$address" $((address + 16)) >mon.out

# shows ROW ARG...: the output is the titles and this row
shows() {
	"$PROFIL" report "${@:2}" >out 2>err || return
	printf '%s\n%s\n' "$head" "$1" | diff - out >>err && [ ! -s err ]
}

# refuses STATUS WORDS ARG...: standard error contains WORDS, and there is no output
refuses() {
	"$PROFIL" report "${@:3}" >out 2>err </dev/null
	[ $? = "$1" ] && grep -qF -- "$2" err && [ ! -s out ]
}

row=" 100.0    0.10    0.10       4     25.      spin_much"

named_program() {
	shows "$row" --program "$spin" mon.out && shows "$row" --program "$spin" &&
	shows " 100.0   0.010   0.010       4      2.      spin_much" --rate 1000 --program="$spin"
}

# shellcheck disable=SC2002 # tests a pipe
standard_input() {
	shows "$row" --program "$spin" - <mon.out &&
	cat mon.out | shows "$row" --program "$spin" - &&
	refuses 1 "standard input: the file is empty" -
}

names() {
	objcopy --redefine-sym spin_much=_Z9spin_muchd "$spin" mangled &&
	shows "${row}(double)" --program mangled &&
	shows "${row/spin_much/_Z9spin_muchd}" --program mangled --no-demangle &&
	shows "${row}(double)" --program mangled --top 1 --sort=name --min-percent=100 \
		--full-names --color=never
}

default_program() {
	refuses 1 'not a profil result file (`profil COMMAND' mon.out &&
	grep -q 'a.out: the program a.out: No such file or directory (ENOENT): .*--program' err &&
	cp "$spin" a.out && shows "$row" mon.out &&
	refuses 1 'profil.out: No such file' &&
	# a result is still recognised
	"$PROFIL" report result >out 2>err && grep -q ' 1000 .* spin_much$' out
	local status=$?

	rm -f a.out
	return $status
}

other_programs() {
	refuses 1 'nothing: No such file or directory (ENOENT)' --program nothing &&
	refuses 1 'result: not an ELF file (ENOEXEC)' --program result &&
	strip -o stripped "$spin" && refuses 1 'it is stripped' --program stripped &&
	grep -q '(ENOEXEC).*with its symbols' err &&
	monout "$address" $((1 << 40)) >high && monout 1 2 >low &&
	refuses 1 'do not end within the text' --program "$spin" high &&
	refuses 1 'do not end within the text' --program "$spin" low &&
	grep -q 'from 0x1 to 0x2, do not end' err
}

# Old programs call monitor() with a first pc of 2, which is below their text.
below_the_text() {
	monout 2 $((address + 16)) >below &&
	"$PROFIL" report --program "$spin" below >out 2>err && [ ! -s err ] &&
	[ "$(head -n 1 out)" = "$head" ] && grep -q '  4 .* spin_much$' out
}

other_files() {
	cp "$spin" a.out || return
	head -c 20 mon.out >short
	head -c -1 mon.out >odd
	truncate -s 300M large
	echo text that is not a mon.out >text
	refuses 1 'nothing: No such file' nothing && refuses 1 '.: not a regular file' . &&
	: >empty && refuses 1 'empty: the file is empty' empty &&
	refuses 1 'counters of 2 bytes (EBADMSG)' odd &&
	refuses 1 'for the header of a mon.out (EBADMSG)' short &&
	refuses 1 'nor a mon.out of a.out: not the header' text &&
	refuses 1 '256 MiB' large && grep -q '(EFBIG)' err &&
	refuses 1 'counters of 2 bytes (EBADMSG)' --program a.out odd
	local status=$?

	rm -f a.out
	return $status
}

options_of_results() {
	local option

	for option in --by=line --lines --annotate=spin_much --root=/; do
		refuses 2 "${option%%=*} cannot be used with a mon.out" --program "$spin" "$option" || return
	done
	refuses 2 "--rate is for a mon.out file; result contains its rate" --rate=7 result &&
	refuses 2 "invalid rate '0'" --program "$spin" --rate 0
}

ktap_print_header
ktap_set_plan 8
check "the program is set by --program" named_program
check "the file is standard input" standard_input
check "C++ names are demangled" names
check "the default program is a.out" default_program
check "other programs are refused" other_programs
check "pcs may begin below the text" below_the_text
check "other files are refused" other_files
check "options for other files are refused" options_of_results
ktap_finished
