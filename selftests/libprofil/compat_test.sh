#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Existing programs with libprofil preloaded, without recompilation; 32-bit programs on a 64-bit
# kernel; and static programs of musl, another C library.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

m32=../build/m32
musl=../build/musl
old32=$m32/selftests/programs/old

# samples LOW HIGH SAMPLER COMMAND...: the program "old", which uses 0.3 s of CPU time, prints a
# number of samples from LOW to HIGH, and SAMPLER: "kernel" or "signals"
samples() {
	local low=$1 high=$2 sampler=$3 nr by

	shift 3
	"$@" >"$work/out" 2>"$work/err" || return
	[ ! -s "$work/err" ] || return
	read -r nr by <"$work/out"
	echo "# $nr samples by $by: $*"
	[ "$by" = "$sampler" ] && between "$low" "$nr" "$high"
}

# Without the preload, the C library samples by signals. This shows that the program can tell the
# two apart.
without_preload() {
	samples 28 31 signals "$1/old" profil
}

# preloaded DIRECTORY-OF-LIBRARY PROGRAM FUNCTION: 100 samples per second, plus or minus one for
# the phase, and minus one in the C library, outside the counters
preloaded() {
	samples 28 31 kernel env LD_PRELOAD="$1/libprofil.so" "$2" "$3"
}

# 2 samples per second: the preloaded library reads PROFIL_RATE
rate() {
	PROFIL_RATE=2 samples 0 1 kernel env LD_PRELOAD="$1/libprofil.so" "$2" profil
}

# A scale that glibc accepts and bsd refuses
dialect() {
	samples 28 31 kernel env LD_PRELOAD="$1/libprofil.so" "$2" profil 0x20000 &&
	! PROFIL_DIALECT=bsd LD_PRELOAD="$1/libprofil.so" "$2" profil 0x20000 \
		2>"$work/err" &&
	grep -q 'Invalid argument' "$work/err"
}

old_program() {
	local library=$1 program=$2 name=$3

	check "$name: without the preload, the C library samples" without_preload "${program%/old}"
	check "$name: profil() samples in the kernel" preloaded "$library" "$program" profil
	check "$name: sprofil() samples in the kernel" preloaded "$library" "$program" sprofil
	check "$name: PROFIL_RATE sets the rate" rate "$library" "$program"
	check "$name: PROFIL_DIALECT selects the dialect" dialect "$library" "$program"
}

# passes FOLDER PROGRAM ARG...: a selftest that was compiled there. Threads of 32-bit programs use
# system calls with 32-bit times, which a kernel may lack (CONFIG_COMPAT_32BIT_TIME).
passes() {
	"$1/selftests/libprofil/$2" "${@:3}" >"$work/err" 2>&1
	case $? in
	0) grep -q '^# Totals: pass:[1-9]' "$work/err" ;;
	*) false ;;
	esac
}

has_32bit_time() {
	"$m32/selftests/libprofil/lib_test" -t counter_follows_rule >"$work/out" 2>&1
	! grep -q '^The futex facility returned an unexpected error' "$work/out"
}

# vectors FOLDER: the functions of <profil.h>, and profil() of the libraries with the types of the
# manual pages. The program for this machine runs ten times the random cases, of the same source.
vectors() {
	CASES=33 passes "$1" vectors_test &&
	grep -q 'random cases: [1-9][0-9]* rows of aix' "$work/err"
}

programs=(aix_test sprofil_test pcsample_test profil_start_test)

ktap_print_header
need_device
ktap_set_plan $((5 + 5 + 2 + ${#programs[@]} + 2))
old_program ../lib programs/old "old program"
# the compiler may be unable to build 32-bit programs, or the kernel to run them
if "$old32" profil >"$work/out" 2>&1; then
	old_program "$m32/lib" "$old32" "old 32-bit program"
	if has_32bit_time; then
		check "32-bit program: lib_test -t counter_follows_rule" \
			passes "$m32" lib_test -t counter_follows_rule
		for program in "${programs[@]}"; do
			check "32-bit program: $program" passes "$m32" "$program"
		done
		check "32-bit program: vectors_test" vectors "$m32"
	else
		for ((i = 0; i < 2 + ${#programs[@]}; i++)); do
			ktap_test_skip "32-bit program: the kernel has no CONFIG_COMPAT_32BIT_TIME"
		done
	fi
else
	for ((i = 0; i < 5 + 2 + ${#programs[@]}; i++)); do
		ktap_test_skip "32-bit program: not supported here"
	done
fi
if [ -e "$musl/selftests/libprofil/vectors_test" ]; then
	check "static program of musl: regions_test" passes "$musl" regions_test
	check "static program of musl: vectors_test" vectors "$musl"
else
	ktap_test_skip "static program of musl: regions_test: install musl-tools"
	ktap_test_skip "static program of musl: vectors_test: install musl-tools"
fi
ktap_finished
