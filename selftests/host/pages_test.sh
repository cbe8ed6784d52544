#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs written from one manual page alone, with the page's own declaration of profil() and no
# header of this project, linked with the library of that dialect. They are built by several
# compilers, at several levels of optimisation, with the dialect's header, and as a PIE: each passes
# the library what the page specifies. The rate is that of the page's system.
#
# Runs natively, needs no module: unit/support/preloaded_device.c takes its place. No build makes a
# difference to the kernel, so ../libprofil/pages_test.sh runs one build of each page with it.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C unit preloaded_device.so && make -s -C programs/pages || exit 1
device=$PWD/unit/preloaded_device.so
unset PROFIL_RATE PROFIL_DIALECT

# passes PROGRAM [LIBRARY]: it finds no fault, and the library prints no warning
passes() {
	LD_PRELOAD="$device $2" "programs/pages/$1" >"$work/err" 2>&1 && [ ! -s "$work/err" ]
}

# A program that is not linked again: the environment selects the dialect of libprofil's profil().
passes_by_environment() {
	PROFIL_DIALECT=$1 passes "$1-gnu17-O2" ../lib/libprofil.so
}

compilers=(gnu89 gnu17 cxx clang)
levels=(O0 O2 O3 header)
pages=(solaris bsd linux099 osf1 aix svid)
# those whose offset has 32 bits
low_pages=(solaris bsd linux099 osf1 svid)

ktap_print_header
ktap_set_plan $((${#pages[@]} * (${#compilers[@]} * ${#levels[@]} + 1) + ${#low_pages[@]}))
for page in "${pages[@]}"; do
	for compiler in "${compilers[@]}"; do
		for level in "${levels[@]}"; do
			program=$page-$compiler-$level
			if [ "$compiler" = clang ] && [ ! -x "programs/pages/$program" ]; then
				ktap_test_skip "$page, $level: no clang"
			else
				check "$page, $compiler, $level" passes "$program"
			fi
		done
	done
	check "$page, PROFIL_DIALECT" passes_by_environment "$page"
done
# The addresses of a PIE need more than 32 bits, but it may profile code in low memory: no warning
for page in "${low_pages[@]}"; do
	check "$page: a PIE that profiles code below 2^32" passes "$page-gnu17-pie"
done
ktap_finished
