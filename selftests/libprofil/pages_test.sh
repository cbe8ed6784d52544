#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs written from one manual page alone, with the page's own declaration of profil()
# and no header of ours, each linked with that system's library: the counter that the page
# names moves, and each way of the page turns profiling off. By several compilers and
# levels of optimisation; and next to the system's header.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# 20 ms of CPU time, which is what a program stays at its instruction, are 20 samples.
runs() {
	PROFIL_RATE=1000 "$1" && return
	echo "# $1: status $?"
	false
}

# A program that is not linked again: plain profil() of libprofil is the page's, by the choice
# of the user
by_environment() {
	PROFIL_DIALECT=$1 LD_PRELOAD=../lib/libprofil.so runs "programs/pages/$1-gnu17-O2"
}

# A PIE is out of the reach of 32 bits: one line says so, and the program goes on
too_far() {
	"$1" >"$work/out" 2>"$work/err"
	[ "$(wc -l <"$work/err")" = 1 ] && grep -q 'link it with -no-pie' "$work/err"
}

compilers=(gnu89 gnu17 cxx clang)
levels=(O0 O2 O3 header)
pages=(solaris bsd linux099 osf1 aix)

ktap_print_header
need_device
ktap_set_plan $((${#pages[@]} * ${#compilers[@]} * ${#levels[@]} + 5 + 4))
for page in "${pages[@]}"; do
	for compiler in "${compilers[@]}"; do
		for level in "${levels[@]}"; do
			program=programs/pages/$page-$compiler-$level
			if [ -x "$program" ] || [ "$compiler" != clang ]; then
				check "$page, $compiler, $level" runs "$program"
			else
				ktap_test_skip "$page, $level: no clang"
			fi
		done
	done
	check "$page, PROFIL_DIALECT" by_environment "$page"
done
for page in solaris bsd linux099 osf1; do
	check "$page: a PIE, and 32 bits of offset" too_far programs/pages/$page-gnu17-pie
done
ktap_finished
