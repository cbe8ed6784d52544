#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that cannot be compiled anew, which have libprofil preloaded; and 32-bit
# programs on a 64-bit kernel.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

m32=../build/m32
old32=$m32/selftests/programs/old

# samples LOW HIGH WHOSE COMMAND...: the old program, which uses 0.3 s of CPU time, has so
# many, and they are whose
samples() {
	local low=$1 high=$2 whose=$3 nr by

	shift 3
	"$@" >"$work/out" 2>"$work/err" || return
	[ ! -s "$work/err" ] || return
	read -r nr by <"$work/out"
	echo "# $nr samples by $by: $*"
	[ "$by" = "$whose" ] && between "$low" "$nr" "$high"
}

# Without us it is the C library that counts: so the program can tell.
alone() {
	samples 28 31 signals "$1/old" profil
}

# preloaded DIRECTORY-OF-LIBRARY PROGRAM FUNCTION: 100 samples a second, one more or less
# for the phase, and one in the C library
preloaded() {
	samples 28 31 kernel env LD_PRELOAD="$1/libprofil.so" "$2" "$3"
}

# 2 samples a second: the library that is preloaded is asked
rate() {
	PROFIL_RATE=2 samples 0 1 kernel env LD_PRELOAD="$1/libprofil.so" "$2" profil
}

# A scale that one dialect refuses
dialect() {
	samples 28 31 kernel env LD_PRELOAD="$1/libprofil.so" "$2" profil 0x20000 &&
	! PROFIL_DIALECT=bsd LD_PRELOAD="$1/libprofil.so" "$2" profil 0x20000 \
		2>"$work/err" &&
	grep -q 'Invalid argument' "$work/err"
}

old_program() {
	local library=$1 program=$2 name=$3

	check "$name: the C library's timer" alone "${program%/old}"
	check "$name: profil() is the kernel's" preloaded "$library" "$program" profil
	check "$name: sprofil() is the kernel's" preloaded "$library" "$program" sprofil
	check "$name: PROFIL_RATE" rate "$library" "$program"
	check "$name: PROFIL_DIALECT" dialect "$library" "$program"
}

# runs PROGRAM ARG...: a selftest, compiled for 32 bits. Its threads ask for the time in 32
# bits, which a kernel need not have (CONFIG_COMPAT_32BIT_TIME).
runs() {
	"$m32/selftests/libprofil/$1" "${@:2}" >"$work/err" 2>&1
	case $? in
	0) grep -q '^# Totals: pass:[1-9]' "$work/err" ;;
	*) false ;;
	esac
}

has_threads() {
	"$m32/selftests/libprofil/lib_test" -t rule >"$work/out" 2>&1
	! grep -q '^The futex facility returned an unexpected error' "$work/out"
}

# By the functions of <profil.h> and by the libraries with the pages' types
vectors() {
	runs vectors_test && grep -q 'random.vectors: [1-9][0-9]* rows of aix' "$work/err"
}

programs=(aix_test sprofil_test pcsample_test dialect_select_test)

ktap_print_header
need_device
ktap_set_plan $((5 + 5 + 2 + ${#programs[@]}))
old_program ../lib programs/old "old program"
# the compiler may make no 32-bit programs, the kernel run none
if "$old32" profil >"$work/out" 2>&1; then
	old_program "$m32/lib" "$old32" "old 32-bit program"
	if has_threads; then
		check "32-bit program: lib_test, its rule" runs lib_test -t rule
		for program in "${programs[@]}"; do
			check "32-bit program: $program" runs "$program"
		done
		check "32-bit program: vectors_test" vectors
	else
		for ((i = 0; i < 2 + ${#programs[@]}; i++)); do
			ktap_test_skip "32-bit programs with threads: the kernel has no CONFIG_COMPAT_32BIT_TIME"
		done
	fi
else
	for ((i = 0; i < 5 + 2 + ${#programs[@]}; i++)); do
		ktap_test_skip "32-bit programs, which are not to be had here"
	done
fi
ktap_finished
