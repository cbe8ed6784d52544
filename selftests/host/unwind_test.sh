#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Call stacks compared with gdb's: programs of several compilers and languages are stopped at random
# (unwind_points.py), and unwound from the words that the kernel would keep (unit/support/sieve.h).
# Each frame must be gdb's, and 99 of 100 stacks complete: a stop in ld.so's first function, of
# which gdb makes up callers, is. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

command -v gdb >/dev/null || skip_all "no gdb"
make -s -C unit unwind_points || exit 1
export POINTS=${POINTS:-50} GAP=0.02
unset DEBUGINFOD_URLS

# equal COMMAND [ARG...]: at stops of the command, all frames are gdb's
equal() {
	OUT=$work/points gdb -q -batch -x host/unwind_points.py --args "$@" >"$work/err" 2>&1 &&
	unit/unwind_points "$work/points" >"$work/profile" &&
	sed 's/^.*points: /# /' "$work/profile"
}

# compiled COMPILER [FLAG...]: the same for programs/stacks.c
compiled() {
	"$@" -o "$work/stacks" programs/stacks.c -lpthread 2>"$work/err" &&
	equal "$work/stacks" 20 100 all
}

# with_file NAME COMMAND [ARG...]: runs the rest if a program is there
with_file() {
	if command -v "$2" >/dev/null; then
		check "$1" "${@:3}"
	else
		ktap_test_skip "$1: no $2"
	fi
}

perl_work='my $n = 0;
sub deep { my $d = shift; return $d ? deep($d - 1) + 1 : work() }
sub work { my %h; for my $i (1 .. 500) { $h{"k" . $i % 97}++; $n++ if "x$i" =~ /(\d+)9$/ }
	return scalar(sort { $a cmp $b } keys %h) // 0 }
deep($_ % 20) for 1 .. 1e7;'
python_work='
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
while True: fib(15); sorted(range(3000), key=lambda x: x * 7919 % 1009)'
sql_work='create table t(a, b);
with recursive r(x) as (select 1 union all select x + 1 from r where x < 9e6)
insert into t select x, "row" || x from r; select count(*) from t where b like "%99%";'

ktap_print_header
ktap_set_plan 10
check "gcc -O0" compiled gcc -O0
check "gcc -O2" compiled gcc -O2
check "gcc -O3, with frame pointers" compiled gcc -O3 -fno-omit-frame-pointer
check "gcc -O2 -static" compiled gcc -O2 -static
with_file "clang -O2" clang compiled clang -O2
check "perl" equal perl -e "$perl_work"
with_file "python3" /usr/bin/python3 equal /usr/bin/python3 -c "$python_work"
with_file "sqlite3" sqlite3 equal sqlite3 :memory: "$sql_work"

rust() {
	rustc -O -o "$work/rust" host/unwind_rust.rs 2>"$work/err" && equal "$work/rust"
}

go_program() {
	go build -o "$work/go" host/unwind_go.go 2>"$work/err" && equal "$work/go"
}
with_file "Rust" rustc rust
# gdb goes on behind goexit
with_file "Go" go go_program
ktap_finished
