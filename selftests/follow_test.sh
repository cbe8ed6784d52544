#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The profil command on programs that execute others, and on code that comes while they
# run. PROFIL names another one than the tree's.

cd "$(dirname "$0")" || exit 1
# shellcheck source=ktap.sh
. ./ktap.sh

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

# whole LOW HIGH: the samples against the CPU time that the processes told of
whole() {
	between "$1" "$(rows --by process | awk '
		{ samples += $2; cpu += $4 }
		END { if (cpu > 0) print samples / 100 / cpu }')" "$2"
}

# One that the shell forks for, one that ends by _exit(), and what it becomes itself
executed() {
	run sh -c './spin 1; ./spin 1 _exit; exec ./spin 1' &&
	between 290 "$(($(samples spin_much) + $(samples spin_less)))" 320 &&
	between 0.65 "$(awk "BEGIN { print $(samples spin_much) / 300 }")" 0.85 &&
	[ "$(programs /spin)" = 3 ] && whole 0.96 1.04 &&
	grep -q '^# and 2 executed programs used' "$work/profile"
}

# The dynamic linker, told to load the program, which then is not what the kernel executed
by_linker() {
	local linker

	linker=$(readelf -l ./spin | sed -n 's/.*program interpreter: \(.*\)]/\1/p') &&
	run "$linker" ./spin 1 &&
	between 95 "$(($(samples spin_much) + $(samples spin_less)))" 110 &&
	[ "$(rows --by object | grep -c '/spin ')" = 1 ]
}

# Whose end is not told: its samples are there, and that is said.
killed() {
	run sh -c './spin 1 kill; exit 0' &&
	between 95 "$(($(samples spin_much) + $(samples spin_less)))" 110 &&
	[ "$(programs /spin)" = 0 ] &&
	grep -q '^# 1 of them did not come to exit()' "$work/profile"
}

not_followed() {
	run --no-follow sh -c './spin 1; exec ./spin 0.5' &&
	[ "$(samples spin_much)" = 0 ] && ! rows --by process | grep -q spin
}

# They are not profiled, and what they execute is.
past_static() {
	run sh -c './spin-static 0.5; ./forks-static 1 0 exec ./spin 1' &&
	between 95 "$(($(samples spin_much) + $(samples spin_less)))" 110 &&
	! rows --by process | grep -q static
}

# Its dynamic linker loads what is in LD_PRELOAD, too.
past_another_libc() {
	run sh -c './forks-musl 1 0 exec ./spin 1' && [ ! -s "$work/err" ] &&
	between 95 "$(($(samples spin_much) + $(samples spin_less)))" 110 &&
	run sh -c './follow-musl 0.1 dlopen libfollow.so && ./follow-musl 0.1 mmap' &&
	[ "$(wc -l <"$work/out")" = 2 ] && ! rows --by process | grep -q musl
}

# Who takes the environment away is left alone.
without_environment() {
	run env -i ./spin 0.5 && [ "$(samples spin_much)" = 0 ] &&
	run sh -c 'LD_PRELOAD= ./spin 0.5' && [ "$(samples spin_much)" = 0 ]
}

many() {
	# shellcheck disable=SC2016 # it is the other shell's
	run sh -c 'for i in $(seq 200); do /bin/true; done' &&
	[ "$(rows --by process | grep -c '/true ')" = 200 ] && [ ! -s "$work/err" ]
}

# At once, all of them the first to have loaded what they have. (Of so many short ones
# that share a processor the ticks see some more often than others.)
at_once() {
	# shellcheck disable=SC2016 # it is the other shell's
	run sh -c 'for i in $(seq 20); do ./spin 0.1 & done; wait' &&
	[ "$(programs /spin)" = 20 ] && whole 0.8 1.2 &&
	[ "$(rows --by object | grep -c '/spin ')" = 1 ]
}

# A part of this project, compiled. What a child of vfork() uses until it executes counts
# for its parent, in whose memory it runs.
built() {
	cp -r ../lib ../uapi "$work" && rm -f "$work"/lib/*.o &&
	run make -s -C "$work/lib" -j2 device.o call.o rate.o overlap.o &&
	[ "$(programs /make)" = 1 ] && [ "$(programs /cc1)" = 4 ] &&
	[ "$(programs '[/-]as')" = 4 ] && whole 0.97 1.08 &&
	! grep 'more than the CPU time' "$work/profile" &&
	between 50 "$(rows --by object | awk '$4 ~ /\/cc1$/ { print $1 }')" 100
}

# came FUNCTION WHAT...: nothing is missing from when it was there, nor in what the process
# tells. Printed was for how long each of them was used.
came() {
	local function=$1

	shift
	run ./follow 1 "$@" && [ "$(rows | awk '{ n += $3 } END { print n }')" -le \
		"$(rows --by process | awk '{ print $2 + 3 }')" ] && between 0.98 "$(awk -v samples="$(samples "$function")" '
		{ seconds += $1 }
		END { print (samples + 1) / 100 / seconds }' "$work/out")" 1.03
}

# By a name that only the program itself knows the way to, or a path: as without us
# shellcheck disable=SC2016 # the dynamic linker knows it
found() {
	run ./follow 0.1 dlopen libfollow.so && [ "$(samples spin_loaded)" -gt 5 ] &&
	run ./follow 0.1 dlopen '$ORIGIN/follow-libraries/libfollow.so' &&
	[ "$(samples spin_loaded)" -gt 5 ] &&
	run ./follow 0.1 dlopen ./follow-libraries/libfollow.so &&
	[ "$(samples spin_loaded)" -gt 5 ] &&
	! run ./follow 0.1 dlopen libnosuch.so &&
	grep -q '^libnosuch.so: cannot open shared object file' "$work/err"
}

# Asked for by a library that knows no way, but was loaded by one that does
found_for_another() {
	run ./follow 0.1 dlopen libasker.so && [ "$(samples spin_asked)" -gt 5 ]
}

# Where directories that all have hold one too, the dynamic linker's cache says which it is
found_in_cache() {
	echo "$PWD/follow-libraries/cached" >"$work/conf" &&
	/sbin/ldconfig -X -C "$work/cache" -f "$work/conf" &&
	run unshare -m sh -c 'mount --bind "$0" /etc/ld.so.cache &&
		./follow 0.1 dlopen libBrokenLocale.so.1' "$work/cache" &&
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
	run ./follow 1 vdso && between 20 "$(samples '[vdso]')" 110 &&
	between 95 "$(($(samples '[vdso]') + $(samples ask_kernel) +
		$(samples clock_gettime)))" 110
}

# While it runs, a line each half second; and what the program prints is its own.
progress() {
	run --progress=0.5 ./spin 2 && [ ! -s "$work/out" ] &&
	[ "$(grep -c '^profil: .* samples: .*% spin_much' "$work/err")" -ge 2 ] &&
	run --progress=0.5 sh -c './spin 1; echo said' && [ "$(<"$work/out")" = said ] &&
	! run --progress=0 true && grep -q 'from 0.1 to' "$work/err"
}

ktap_print_header
need_device
ktap_set_plan 20
check "executed programs" at_last executed
check "an executed program that is killed" at_last killed
check "a program that the dynamic linker is told to load" at_last by_linker
check "--no-follow" not_followed
check "past a static program" at_last past_static
check_if forks-musl "past a program for another C library" at_last past_another_libc
check "without the environment" without_environment
check "200 programs, one after another" many
check "20 programs at once" at_last at_once
check "make -j2" at_last built
check "a library that is loaded" at_last came spin_loaded dlopen libfollow.so
check "a library that is loaded twice" at_last came spin_loaded dlopen libfollow.so again
check "libraries are found as before" at_last found
check "a library that another's loader knows" at_last found_for_another
check "a library that is in the cache" at_last found_in_cache
check "a library beside a gigabyte for code" at_last came spin_loaded dlopen libfollow.so huge
check "code that is made by mmap" at_last nameless '[jit]' mmap
check "code that is made by mprotect" at_last nameless '[jit]' mprotect
check "the kernel's code" at_last vdso
check "--progress" at_last progress
ktap_finished
