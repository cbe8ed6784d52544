#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The command prof with mon.out files and a program whose functions have known addresses: the options
# of Solaris, AIX and OSF/1, several files, exit statuses. Each figure is computed by hand from the
# counters of the file. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../tools || exit 1
PROF=$(readlink -f "${PROF:-../tools/prof}" | sed 's|profil$|prof|')
cd "$work" || exit 1

# 64 bytes of text at 0x401000: a function of 12 bytes, a static one of 12, one of 8 with two names,
# one of assembler without a type
cat >program.s <<'END'
	.globl _Z3lowv, middle, also, last, _start
	.text
	.type _Z3lowv, @function
	.type hidden, @function
	.type middle, @function
	.type also, @function
_Z3lowv:	.skip 12
hidden:	.skip 12
middle:
also:	.skip 8
_start:
last:	.skip 32
	.section .note.GNU-stack
END
cc -nostdlib -static -no-pie -Wl,-Ttext=0x401000 -Wl,--build-id=none -o a.out program.s || exit 1

# monout HIGH COUNTER...: the calls of three functions, and counters from 0x401000 on; the layout is
# that of a size_t or pointer of this machine
monout() {
	perl -e 'print pack("L!*", 0x401000, shift, 4,
			0x401001, 4, 0x40100d, 7, 0x401019, 2, 0, 0), pack("S*", @ARGV)' "$@"
}

# counters of 8 bytes: _Z3lowv 8 + 4 of 8, hidden the other 4, middle 6, last 2
monout $((0x401040)) 8 8 0 6 2 0 0 0 >mon.out
# counters of 32 bytes: 12 of them for _Z3lowv, 12 hidden, 8 for middle
monout $((0x401040)) 32 0 >wide

head=" %Time Seconds Cumsecs  #Calls   msec/call  Name"
low="  66.7    0.16    0.16       4     40.      _Z3lowv"
middle="  25.0    0.06    0.22       2     30.      also, middle"
last="   8.3    0.02    0.24                      _start, last"

# prints ARG... <EXPECTED: exit status 0, and nothing on standard error
prints() {
	"$PROF" "$@" >out 2>err && diff - out && [ ! -s err ]
}

# prints_rows ROW... -- ARG...
prints_rows() {
	local rows=()

	while [ "$1" != -- ]; do
		rows+=("$1")
		shift
	done
	shift
	printf '%s\n' "${rows[@]}" | prints "$@"
}

# refuses STATUS WORDS ARG...: standard error contains WORDS, and there is no output
refuses() {
	"$PROF" "${@:3}" >out 2>err </dev/null
	[ $? = "$1" ] && grep -qF -- "$2" err && [ ! -s out ]
}

defaults() {
	prints_rows "$head" "$low" "$middle" "$last" -- &&
	prints_rows "$head" "$low" "$middle" "$last" -- -tl a.out &&
	prints_rows "$head" "$low" "$middle" "$last" -- -m mon.out a.out
}

# The figure of hidden has no decimals: it was called less than ten times.
local_functions() {
	"$PROF" -gh | grep -qx '  16.7    0.04    0.22       7      6.      hidden'
}

orders() {
	prints_rows "$low" "$middle" "$last" -- -ha &&
	prints_rows "$low" "$middle" "$last" -- -hc &&
	prints_rows "  66.7    0.16    0.16       4     40.      _Z3lowv" \
		"   8.3    0.02    0.18                      _start, last" \
		"  25.0    0.06    0.24       2     30.      also, middle" -- -hn &&
	"$PROF" -hgc | awk '{ print $NF }' | tr '\n' ' ' | grep -qx 'hidden _Z3lowv middle last ' &&
	"$PROF" -hga | awk '{ print $NF }' | tr '\n' ' ' | grep -qx '_Z3lowv hidden middle last ' &&
	"$PROF" -hgt | awk '{ print $NF }' | tr '\n' ' ' | grep -qx '_Z3lowv middle hidden last '
}

last_order_wins() {
	"$PROF" -n -a >out 2>err && printf '%s\n' "$head" "$low" "$middle" "$last" | diff - out &&
	[ "$(cat err)" = "prof: -a overrides -n" ]
}

addresses() {
	prints_rows "         Address $head" "          401000 $low" "          401018 $middle" \
		"          401020 $last" -- -x &&
	prints_rows "        20010000 $low" "        20010030 $middle" "        20010040 $last" -- -oh
}

zeros() {
	monout $((0x401040)) 0 0 0 6 0 0 0 0 >some
	"$PROF" -h -m some | awk '{ print $NF }' | tr '\n' ' ' | grep -qx 'middle _Z3lowv ' &&
	prints_rows " 100.0    0.06    0.06       2     30.      also, middle" \
		"   0.0    0.00    0.06       4      0.      _Z3lowv" \
		"   0.0    0.00    0.06                      _start, last" -- -hz -m some &&
	# only the third function begins in this text
	perl -e 'print pack("L!*", 0x401018, 0x401020, 0), pack("S*", 3, 0, 0, 0)' >narrow &&
	prints_rows " 100.0    0.03    0.03                      also, middle" -- -ghz -m narrow
}

# 16 + 24 of 56 samples, 6 + 8, 2
several_files() {
	local rows=("  71.4    0.40    0.40       8     50.      _Z3lowv"
		"  25.0    0.14    0.54       4     35.      also, middle"
		"   3.6    0.02    0.56                      _start, last")

	prints_rows "${rows[@]}" -- -h a.out mon.out wide &&
	prints_rows "${rows[@]}" -- -h -m mon.out -m wide &&
	prints_rows "${rows[@]}" -- -h a.out -m mon.out wide
}

# The samples of all rows are those of the file, at any number of functions for each counter.
divided() {
	prints_rows "  75.0    0.24    0.24       4     60.      _Z3lowv" \
		"  25.0    0.08    0.32       2     40.      also, middle" -- -h -m wide &&
	prints_rows "  37.5    0.12    0.12       7     17.      hidden" \
		"  37.5    0.12    0.24       4     30.      _Z3lowv" \
		"  25.0    0.08    0.32       2     40.      also, middle" -- -gh -m wide
}

demangled() {
	"$PROF" -hC | head -n 1 | grep -q ' low()$'
}

summary() {
	"$PROF" -s >out 2>err && [ "$(wc -l <out)" = 4 ] &&
	printf '%s\n' "    3/4 call counts used" "    3/3 functions with time or calls" \
		"0x4000 scale factor" | diff - err &&
	"$PROF" -S -m some >out 2>err && grep -qx '    2/3 functions with time or calls' err
}

version() {
	"$PROF" -V >out 2>err && grep -q '^prof: profil [0-9]' err && [ ! -s out ] &&
	"$PROF" -hV >out 2>err && [ -s err ] && [ "$(wc -l <out)" = 3 ]
}

rates() {
	PROFIL_RATE=1000 prints_rows "  66.7   0.016   0.016       4      4.      _Z3lowv" \
		"  25.0   0.006   0.022       2      3.      also, middle" \
		"   8.3   0.002   0.024                      _start, last" -- -h &&
	PROFIL_RATE=fast refuses 2 'EINVAL'
}

# OSF/1: -a all symbols, -l by address, -n by calls
letters_of_osf1() {
	local dialect

	for dialect in osf1 bsd; do
		PROFIL_DIALECT=$dialect "$PROF" -ahn | awk '{ print $NF }' | tr '\n' ' ' |
			grep -qx 'hidden _Z3lowv middle last ' &&
		PROFIL_DIALECT=$dialect "$PROF" -hl | awk '{ print $NF }' | tr '\n' ' ' |
			grep -qx '_Z3lowv middle last ' || return
	done
}

# sums ARG...: prints the table and writes mon.sum, without a message
sums() {
	rm -f mon.sum
	"$PROF" -s -h "$@" >out 2>err && [ -s mon.sum ] && [ ! -s err ]
}

# -s of AIX, OSF/1 and BSD: mon.sum has the samples and calls of all files, and can be added to.
mon_sum() {
	local dialect rows

	# the last function was called only in this run
	perl -e 'print pack("L!*", 0x401000, 0x401040, 2, 0x401022, 5, 0x401001, 1),
		pack("S*", 0, 1, 0, 0, 0, 0, 0, 300)' >second
	rows=$("$PROF" -gh a.out mon.out second) || return
	for dialect in aix osf1 bsd; do
		export PROFIL_DIALECT=$dialect
		sums a.out mon.out second && [ "$(PROFIL_DIALECT='' "$PROF" -gh -m mon.sum)" = "$rows" ] &&
		# the header, three cells of functions and one of the last, eight counters
		[ "$(stat -c %s mon.sum)" = $((11 * $(getconf LONG_BIT) / 8 + 16)) ] &&
		cp mon.sum first && sums a.out first second &&
		[ "$(PROFIL_DIALECT='' "$PROF" -gh -m mon.sum)" = \
			"$(PROFIL_DIALECT='' "$PROF" -gh a.out mon.out second second)" ] || return
	done
	unset PROFIL_DIALECT
	# -s of Solaris and -S of AIX write no file
	rm mon.sum
	"$PROF" -s >out 2>err && PROFIL_DIALECT=aix "$PROF" -S >out 2>err && [ ! -e mon.sum ]
}

# refuses_sum WORDS ARG...: the message has WORDS, and mon.sum stays as it was
refuses_sum() {
	! PROFIL_DIALECT=aix "$PROF" -s "${@:2}" >out 2>err && grep -qF -- "$1" err &&
	[ "$(cat mon.sum)" = old ]
}

no_mon_sum() {
	echo old >mon.sum
	monout $((0x401040)) 65535 0 0 0 0 0 0 0 >full
	perl -e 'print pack("L!*", 0x401000, 0x401040, 1, 0x401001, -1), pack("S*", (0) x 8)' >calls
	refuses_sum 'wide: not the pcs of mon.out (ERANGE): mon.sum is not written;' \
		a.out mon.out wide &&
	refuses_sum 'full: with this file, a count does not fit into a mon.out (EOVERFLOW)' \
		a.out mon.out full &&
	refuses_sum 'calls: with this file, a count does not fit' a.out mon.out calls &&
	rm mon.sum && mkdir mon.sum && ! PROFIL_DIALECT=bsd "$PROF" -s >out 2>err &&
	grep -q 'mon.sum: not a regular file (EINVAL): run prof in a directory' err && rmdir mon.sum
}

refusals() {
	head -c 20 mon.out >short
	monout $((0x501040)) 1 >other
	strip -o stripped a.out
	refuses 2 'usage: prof' -q && refuses 1 'nothing: No such file' -m nothing &&
	refuses 1 'nothing: No such file' nothing && refuses 1 '(EBADMSG)' -m short &&
	refuses 1 'other: its pcs do not end within the text of the program (ERANGE)' -m other &&
	refuses 1 'stripped: no function names, as it is stripped (ENOEXEC)' stripped &&
	refuses 1 'mon.out: not an ELF file (ENOEXEC)' mon.out &&
	"$PROF" >/dev/full 2>err
	[ $? = 1 ] && grep -q ENOSPC err
}

ktap_print_header
ktap_set_plan 16
check "the defaults: a.out, mon.out, by time, without static functions" defaults
check "-g: static functions have their own rows and calls" local_functions
check "-a, -c, -n, -t: orders" orders
check "of two orders, the last one is used, with a warning" last_order_wins
check "-o, -x: addresses" addresses
check "-z: functions without time and calls" zeros
check "several files are summed up" several_files
check "a counter is divided among the functions that it covers" divided
check "-C: C++ names" demangled
check "-s: a summary" summary
check "-V: the version" version
check "the rate is that of PROFIL_RATE" rates
check "the letters of OSF/1 and BSD" letters_of_osf1
check "-s of AIX, OSF/1 and BSD: mon.sum is the sum" mon_sum
check "mon.sum is not written if it would be wrong" no_mon_sum
check "refusals have an exit status and a message" refusals
ktap_finished
