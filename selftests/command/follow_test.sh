#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The profil command on programs that execute others, and on code that comes while they
# run. PROFIL names another one than the tree's.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=$(realpath "${PROFIL:-../tools/profil}")

# run ARG...: the command with these arguments; its table and result are kept
run() {
	"$PROFIL" -o "$work/result" -t "$work/profile" "$@" >"$work/out" 2>"$work/err"
}

# rows [OPTION...]: of the result's table, percent seconds samples name object interval
rows() {
	"$PROFIL" report "$@" "$work/result" | grep -v '^#'
}

# samples FUNCTION
samples() {
	rows | awk -v name="$1" '$4 == name { n += $3 } END { print n + 0 }'
}

# programs PATTERN: of how many processes with such a program the samples are known
programs() {
	rows --by process | awk -v name="$1" '$2 != "-" && $7 ~ name "$" { n++ }
		END { print n + 0 }'
}

# whole ALLOWANCE: as many samples as the CPU time has that the processes report
whole() {
	between "-$1" "$(rows --by process | awk '
		{ samples += $2; cpu += $4 }
		END { print samples - 100 * cpu }')" "$1"
}

# As many as the CPU time has that is between the reported one and all that the command
# waited for: the starts of programs have samples where they are in a parent's memory.
# Programs that run in bursts shorter than the period are sampled at random: four standard
# errors.
whole_in_bursts() {
	local all

	all=$(sed -n 's/^# all processes used \([0-9.]*\) s of CPU time:$/\1/p' \
		"$work/profile")
	rows --by process | awk -v all="$all" '
		{ samples += $2; cpu += $4 }
		END {
			error = sqrt(samples)
			print "# " samples " samples, " cpu " s of " all " s"
			exit !(samples >= 100 * cpu - 4 * error &&
			       samples <= 100 * all + 4 * error)
		}'
}

# spun PROCESSES SECONDS: all samples of programs/spin: one more or less for the phase of each, and
# three more for the last rounds of its two loops, which take up to 20 ms each
spun() {
	between "$(awk "BEGIN { print 100 * $2 - $1 }")" \
		$(($(samples spin_much) + $(samples spin_less))) \
		"$(awk "BEGIN { print 100 * $2 + 4 * $1 }")"
}

# One that the shell forks for, one that ends by _exit(), and what it becomes itself
executed() {
	run sh -c 'programs/spin 0.4; programs/spin 0.4 _exit; exec programs/spin 0.4' &&
	spun 3 1.2 && between 87 "$(samples spin_much)" 96 &&
	[ "$(programs /spin)" = 3 ] && whole 8 &&
	grep -q '^# plus 2 executed programs, using ' "$work/profile"
}

# The dynamic linker, told to load the program, which then is not what the kernel executed
by_linker() {
	local linker

	linker=$(readelf -l programs/spin | sed -n 's/.*program interpreter: \(.*\)]/\1/p') &&
	run "$linker" programs/spin 0.4 && spun 1 0.4 &&
	[ "$(rows --by object | grep -c '/spin ')" = 1 ]
}

# Whose end is not told: its samples are there, and that is said.
killed() {
	run sh -c 'programs/spin 0.4 kill; exit 0' && spun 1 0.4 &&
	[ "$(programs /spin)" = 0 ] &&
	grep -q '^# 1 of them did not call exit()' "$work/profile"
}

not_followed() {
	run --no-follow sh -c 'programs/spin 0.2; exec programs/spin 0.2' &&
	[ "$(samples spin_much)" = 0 ] && ! rows --by process | grep -q spin
}

# What is not profiled is named with its CPU time, and the lines below the sum add up to it:
# each of them is rounded to 0.01 s. Of a program that is looked at each 0.1 s, no more than
# that is missing.
unprofiled() {
	run sh -c 'programs/spin-static 0.5; :' &&
	grep -q '^#   0\.[45][0-9] s in programs that were not profiled: spin-static 0\.[45]' \
		"$work/profile" &&
	awk '/^# all processes used .* of CPU time:$/ { all = $5 }
	     /^#   [0-9.]* s / { sum += $2 }
	     END { exit !(all - sum <= 0.02 && sum - all <= 0.02) }' "$work/profile"
}

# They are not profiled, and what they execute is.
past_static() {
	run sh -c 'programs/spin-static 0.2; programs/forks-static 1 0 exec programs/spin 0.4' && spun 1 0.4 &&
	! rows --by process | grep -q static
}

# Its dynamic linker loads what is in LD_PRELOAD, too.
past_another_libc() {
	run sh -c 'programs/forks-musl 1 0 exec programs/spin 0.4' && [ ! -s "$work/err" ] &&
	spun 1 0.4 &&
	run sh -c 'programs/follow-musl 0.1 dlopen libfollow.so && programs/follow-musl 0.1 mmap' &&
	[ "$(wc -l <"$work/out")" = 2 ] && ! rows --by process | grep -q musl
}

# Who takes the environment away is left alone.
without_environment() {
	run env -i programs/spin 0.5 && [ "$(samples spin_much)" = 0 ] &&
	run sh -c 'LD_PRELOAD= programs/spin 0.5' && [ "$(samples spin_much)" = 0 ]
}

many() {
	# shellcheck disable=SC2016 # it is the other shell's
	run sh -c 'for i in $(seq 200); do /bin/true; done' &&
	[ "$(rows --by process | grep -c '/true ')" = 200 ] && [ ! -s "$work/err" ]
}

# At once, all of them the first to have loaded what they have
at_once() {
	# shellcheck disable=SC2016 # it is the other shell's
	run sh -c 'for i in $(seq 20); do programs/spin 0.1 & done; wait' &&
	[ "$(programs /spin)" = 20 ] && whole 22 &&
	[ "$(rows --by object | grep -c '/spin ')" = 1 ]
}

# A part of this project, compiled
built() {
	cp -r ../lib ../uapi "$work" && rm -f "$work"/lib/*.o &&
	run make -s -C "$work/lib" -j2 device.o ioctl.o rate.o sprofil.o &&
	[ "$(programs /make)" = 1 ] && [ "$(programs /cc1)" = 4 ] &&
	[ "$(programs '[/-]as')" = 4 ] && whole_in_bursts &&
	between 50 "$(rows --by object | awk '$4 ~ /\/cc1$/ { print $1 }')" 100
}

# came FUNCTION WHAT...: nothing is missing from when it was there, nor in what the process
# reports. Printed was for how long each of them was used: one sample more or less for the
# phase, at each end.
came() {
	local function=$1

	shift
	run programs/follow 0.4 "$@" && [ "$(rows | awk '{ n += $3 } END { print n }')" -le \
		"$(rows --by process | awk '{ print $2 + 3 }')" ] && between -2 "$(awk -v samples="$(samples "$function")" '
		{ seconds += $1 }
		END { print samples - 100 * seconds }' "$work/out")" 2
}

# By a name that only the program itself knows the way to, or a path: as without us
# shellcheck disable=SC2016 # the dynamic linker knows it
found() {
	run programs/follow 0.1 dlopen libfollow.so && [ "$(samples spin_loaded)" -gt 5 ] &&
	run programs/follow 0.1 dlopen '$ORIGIN/follow-libraries/libfollow.so' &&
	[ "$(samples spin_loaded)" -gt 5 ] &&
	run programs/follow 0.1 dlopen programs/follow-libraries/libfollow.so &&
	[ "$(samples spin_loaded)" -gt 5 ] &&
	! run programs/follow 0.1 dlopen libnosuch.so &&
	grep -q '^libnosuch.so: cannot open shared object file' "$work/err"
}

# Asked for by a library that knows no way, but was loaded by one that does
found_for_another() {
	run programs/follow 0.1 dlopen libouter.so && [ "$(samples spin_inner)" -gt 5 ]
}

# Where directories that all have hold one too, the dynamic linker's cache says which it is
found_in_cache() {
	echo "$PWD/programs/follow-libraries/cached" >"$work/conf" &&
	/sbin/ldconfig -X -C "$work/cache" -f "$work/conf" &&
	run unshare -m sh -c 'mount --bind "$0" /etc/ld.so.cache &&
		programs/follow 0.1 dlopen libBrokenLocale.so.1' "$work/cache" &&
	[ "$(samples spin_loaded)" -gt 5 ]
}

# Of a thing without a file: it has one name
nameless() {
	local name=$1

	shift
	came "$name" "$@" && rows | grep -q " \\$name *\\$name "
}

# The kernel's code and our own loop share the time.
vdso() {
	run programs/follow 0.4 vdso && between 8 "$(samples '[vdso]')" 42 &&
	between 39 "$(($(samples '[vdso]') + $(samples spin_in_vdso) +
		$(samples '[.plt]') + $(samples clock_gettime)))" 42
}

# While it runs, a line each fifth of a second; and what the program prints is its own.
progress() {
	run --progress=0.2 programs/spin 0.7 && [ ! -s "$work/out" ] &&
	[ "$(grep -c '^profil: .* samples: .*% spin_much' "$work/err")" = 3 ] &&
	run --progress=0.2 sh -c 'programs/spin 0.3; echo said' && [ "$(<"$work/out")" = said ] &&
	! run --progress=0 true && grep -q 'expected 0.1 to' "$work/err"
}

ktap_print_header
need_device
ktap_set_plan 21
check "executed programs" executed
check "an executed program that is killed" killed
check "a program started by calling the dynamic linker" by_linker
check "--no-follow" not_followed
check "past a static program" past_static
check "programs that are not profiled are named, and the sum is right" unprofiled
check_if programs/forks-musl "past a program for another C library" past_another_libc
check "without the environment" without_environment
check "200 programs, one after another" many
check "20 programs at once" at_once
check "make -j2" built
check "a library that is loaded" came spin_loaded dlopen libfollow.so
check "a library that is loaded twice" came spin_loaded dlopen libfollow.so again
check "libraries are found as before" found
check "a library that another's loader knows" found_for_another
check "a library that is in the cache" found_in_cache
check "a library beside a gigabyte for code" came spin_loaded dlopen libfollow.so huge
check "code that is made by mmap" nameless '[jit]' mmap
check "code that is made by mprotect" nameless '[jit]' mprotect
check "the kernel's code" vdso
check "--progress" progress
ktap_finished
