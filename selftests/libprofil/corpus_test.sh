#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The callers of profil(2) on old systems, written anew from their documented behaviour
# (programs/corpus/), each with the dialect of its system, for 64 and for 32 bits.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

top=$(readlink -f ..)
export PROFIL_RATE=1000

# passes PROGRAM [ARG...]: exit status 0, and no message of the library
passes() {
	(cd "$work" && exec "$folder/$1" "${@:2}") >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ]
	local status=$?

	cat "$work/out"
	return $status
}

# prof reads the file of that monitor: all samples, in the order of the shares
seventh_edition() {
	rm -f "$work/mon.out"
	passes v7mon-svid && cp "$work/out" "$work/sums" &&
	"$top/tools/prof" -gh -m "$work/mon.out" "$folder/v7mon-svid" >"$work/table" &&
	awk 'FNR == NR { all = $2 + $3 + $5; next }
		{ names = names " " $NF; ms = $3 * 1000 }
		END { exit names !~ /^ six three one/ || ms < all - 0.5 || ms > all + 0.5 }' \
		"$work/sums" "$work/table" || { cat "$work/table"; false; }
}

# Two processes, one after the other, add to one file in memory that they share.
shared_file() {
	rm -f /dev/shm/ldprof.profile
	passes ldprof-solaris /dev/shm/ldprof.profile && passes ldprof-solaris /dev/shm/ldprof.profile
	local status=$?

	rm -f /dev/shm/ldprof.profile
	return $status
}

programs=(svvs-solaris svvs-bsd svvs-linux099 svvs-osf1 svvs-aix svvs-svid bsdgmon-bsd
	ticker-solaris ticker-svid papi-solaris pcs-solaris)
declare -A what=([svvs]="System V Verification Suite" [bsdgmon]="monstartup() of 4.3BSD"
	[ticker]="clock of Icon" [papi]="scales of PAPI" [pcs]="pcsample()")

ktap_print_header
need_device
ktap_set_plan $((2 * (${#programs[@]} + 2)))
for bits in 64 32; do
	folder=$top/selftests/programs/corpus
	[ $bits = 64 ] || folder=$top/build/m32/selftests/programs/corpus
	# the compiler may be unable to build 32-bit programs, or the kernel to run them
	if [ $bits = 32 ] && ! "$top/build/m32/selftests/programs/old" profil >"$work/out" 2>&1; then
		for ((i = 0; i < ${#programs[@]} + 2; i++)); do
			ktap_test_skip "32-bit program: not supported here"
		done
		continue
	fi
	for program in "${programs[@]}"; do
		check "$bits bits, ${program#*-}: ${what[${program%-*}]}" passes "$program"
	done
	check "$bits bits, svid: monitor() of the Seventh Edition, and prof" seventh_edition
	check "$bits bits, solaris: LD_PROFILE into a shared file" shared_file
done
ktap_finished
