#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs written from one manual page alone, with the page's own declaration of profil() and no
# header of this project, linked with the library of that dialect. The counter that the page
# specifies is incremented, and each call that turns profiling off on the page does so. The programs
# are built by several compilers, at several levels of optimisation, and with the dialect's header.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# A program stays at one instruction until 20 samples are due, which is 20 ms of CPU time.
passes() {
	PROFIL_RATE=1000 "$1" && return
	echo "# $1: status $?"
	false
}

# The same at the rate of the page's system, in ten times the CPU time
passes_at_default_rate() {
	env -u PROFIL_RATE "$1" && return
	echo "# $1: status $?"
	false
}

# A program that is not linked again: the environment selects the dialect of libprofil's profil().
passes_by_environment() {
	PROFIL_DIALECT=$1 LD_PRELOAD=../lib/libprofil.so passes "programs/pages/$1-gnu17-O2"
}

# The addresses of a PIE need more than 32 bits, but it may profile code in low memory: no warning
is_a_pie() {
	passes "$1" 2>"$work/err" && [ ! -s "$work/err" ]
}

compilers=(gnu89 gnu17 cxx clang)
levels=(O0 O2 O3 header)
pages=(solaris bsd linux099 osf1 aix svid)
# those whose offset has 32 bits
low_pages=(solaris bsd linux099 osf1 svid)

ktap_print_header
need_device
ktap_set_plan $((${#pages[@]} * ${#compilers[@]} * ${#levels[@]} + 2 * ${#pages[@]} + ${#low_pages[@]}))
for page in "${pages[@]}"; do
	for compiler in "${compilers[@]}"; do
		for level in "${levels[@]}"; do
			program=programs/pages/$page-$compiler-$level
			if [ -x "$program" ] || [ "$compiler" != clang ]; then
				check "$page, $compiler, $level" passes "$program"
			else
				ktap_test_skip "$page, $level: no clang"
			fi
		done
	done
	check "$page, default rate" passes_at_default_rate programs/pages/$page-gnu17-O2
	check "$page, PROFIL_DIALECT" passes_by_environment "$page"
done
for page in "${low_pages[@]}"; do
	check "$page: a PIE that profiles code below 2^32" is_a_pie programs/pages/$page-gnu17-pie
done
ktap_finished
