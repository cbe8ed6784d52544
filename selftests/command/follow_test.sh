#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the profil command on programs that execute others, and on code that programs load or map
# while they run. PROFIL: path of the command (default: the tree's).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=$(realpath "${PROFIL:-../tools/profil}")

# run ARG...: runs profil with these arguments, and keeps its table and result
run() {
	"$PROFIL" -o "$work/result" -t "$work/profile" "$@" >"$work/out" 2>"$work/err"
}

# rows [OPTION...]: prints the table of the result without its header. The default columns are
# percent, seconds, samples, name, object and interval.
rows() {
	"$PROFIL" report "$@" "$work/result" | grep -v '^#'
}

# samples FUNCTION: prints its number of samples
samples() {
	rows | awk -v name="$1" '$4 == name { n += $3 } END { print n + 0 }'
}

# processes PATTERN: prints the number of processes whose samples are known and whose program ends
# with PATTERN
processes() {
	rows --by process | awk -v name="$1" '$2 != "-" && $7 ~ name "$" { n++ }
		END { print n + 0 }'
}

# samples_match_cpu_time ALLOWANCE: whether the samples match the CPU time that the processes report
samples_match_cpu_time() {
	between "-$1" "$(rows --by process | awk '
		{ samples += $2; cpu += $4 }
		END { print samples - 100 * cpu }')" "$1"
}

# Whether the samples match a CPU time between the one that the processes report and the one that
# the command waited for. The start of a program is sampled, but not reported, while it is a fork of
# its parent. Programs that run in bursts shorter than the period are sampled at random: the
# tolerance is four standard errors.
samples_match_cpu_time_in_bursts() {
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

# spun PROCESSES SECONDS: whether PROCESSES of programs/spin have samples for SECONDS in all. Each
# may have one more or less for the phase, and three more for the last rounds of its two loops,
# which take up to 20 ms each.
spun() {
	between "$(awk "BEGIN { print 100 * $2 - $1 }")" \
		$(($(samples spin_much) + $(samples spin_less))) \
		"$(awk "BEGIN { print 100 * $2 + 4 * $1 }")"
}

# A program in a fork of the shell, one that ends by _exit(), and one that replaces the shell
executed() {
	run sh -c 'programs/spin 0.4; programs/spin 0.4 _exit; exec programs/spin 0.4' &&
	spun 3 1.2 && between 87 "$(samples spin_much)" 96 &&
	[ "$(processes /spin)" = 3 ] && samples_match_cpu_time 8 &&
	grep -q '^# plus 2 executed programs, using ' "$work/profile"
}

# The kernel executes the dynamic linker, whose argument is the program.
by_linker() {
	local linker

	linker=$(readelf -l programs/spin | sed -n 's/.*program interpreter: \(.*\)]/\1/p') &&
	run "$linker" programs/spin 0.4 && spun 1 0.4 &&
	[ "$(rows --by object | grep -c '/spin ')" = 1 ]
}

# Its samples are counted, and the report has a line about processes without a known end.
killed() {
	run sh -c 'programs/spin 0.4 kill; exit 0' && spun 1 0.4 &&
	[ "$(processes /spin)" = 0 ] &&
	grep -q '^# 1 of them did not call exit()' "$work/profile"
}

not_followed() {
	run --no-follow sh -c 'programs/spin 0.2; exec programs/spin 0.2' &&
	[ "$(samples spin_much)" = 0 ] && ! rows --by process | grep -q spin
}

# Programs that are not profiled are listed with their CPU time, and the listed times add up to the
# total; each is rounded to 0.01 s. profil reads the CPU time of a program every 0.1 s, so at most
# that much is missing.
unprofiled() {
	run sh -c 'programs/spin-static 0.5; :' &&
	grep -q '^#   0\.[45][0-9] s in programs that were not profiled: spin-static 0\.[45]' \
		"$work/profile" &&
	awk '/^# all processes used .* of CPU time:$/ { all = $5 }
	     /^#   [0-9.]* s / { sum += $2 }
	     END { exit !(all - sum <= 0.02 && sum - all <= 0.02) }' "$work/profile"
}

# The static programs are not profiled, but the dynamic one is.
by_static_program() {
	run sh -c 'programs/spin-static 0.2; programs/forks-static 1 0 exec programs/spin 0.4' &&
	spun 1 0.4 &&
	! rows --by process | grep -q static
}

# The other dynamic linker loads the library in LD_PRELOAD too. The programs run undisturbed.
by_program_for_musl() {
	run sh -c 'programs/forks-musl 1 0 exec programs/spin 0.4' && [ ! -s "$work/err" ] &&
	spun 1 0.4 &&
	run sh -c 'programs/follow-musl 0.1 dlopen libfollow.so && programs/follow-musl 0.1 mmap' &&
	[ "$(wc -l <"$work/out")" = 2 ] && ! rows --by process | grep -q musl
}

# Programs executed without LD_PRELOAD are not profiled.
without_environment() {
	run env -i programs/spin 0.5 && [ "$(samples spin_much)" = 0 ] &&
	run sh -c 'LD_PRELOAD= programs/spin 0.5' && [ "$(samples spin_much)" = 0 ]
}

many() {
	# shellcheck disable=SC2016 # for the profiled shell
	run sh -c 'for i in $(seq 200); do /bin/true; done' &&
	[ "$(rows --by process | grep -c '/true ')" = 200 ] && [ ! -s "$work/err" ]
}

# They add the same objects to the run at the same time.
at_once() {
	# shellcheck disable=SC2016 # for the profiled shell
	run sh -c 'for i in $(seq 20); do programs/spin 0.1 & done; wait' &&
	[ "$(processes /spin)" = 20 ] && samples_match_cpu_time 22 &&
	[ "$(rows --by object | grep -c '/spin ')" = 1 ]
}

# Compiles a part of this project.
built() {
	cp -r ../lib ../uapi ../version.mk "$work" && rm -f "$work"/lib/*.o "$work"/lib/*/*.o &&
	run make -s -C "$work/lib" -j2 device.o ioctl.o rate.o sprofil.o &&
	[ "$(processes /make)" = 1 ] && [ "$(processes /cc1)" = 4 ] &&
	[ "$(processes '[/-]as')" = 4 ] && samples_match_cpu_time_in_bursts &&
	between 50 "$(rows --by object | awk '$4 ~ /\/cc1$/ { print $1 }')" 100
}

# is_sampled FUNCTION ARG...: whether programs/follow has all samples of FUNCTION, which it adds
# while it runs, and reports as many samples as the table has. The program prints for how long it
# used the function each time. The phase accounts for one sample at each end.
is_sampled() {
	local function=$1

	shift
	run programs/follow 0.4 "$@" && [ "$(rows | awk '{ n += $3 } END { print n }')" -le \
		"$(rows --by process | awk '{ print $2 + 3 }')" ] &&
	between -2 "$(awk -v samples="$(samples "$function")" '
		{ seconds += $1 }
		END { print samples - 100 * seconds }' "$work/out")" 2
}

# dlopen() finds a library by a name in the program's RUNPATH, by $ORIGIN, and by a path, and
# fails with the same error, as without profil.
# shellcheck disable=SC2016 # $ORIGIN is for the dynamic linker
found() {
	run programs/follow 0.1 dlopen libfollow.so && [ "$(samples spin_loaded)" -gt 5 ] &&
	run programs/follow 0.1 dlopen '$ORIGIN/follow-libraries/libfollow.so' &&
	[ "$(samples spin_loaded)" -gt 5 ] &&
	run programs/follow 0.1 dlopen programs/follow-libraries/libfollow.so &&
	[ "$(samples spin_loaded)" -gt 5 ] &&
	! run programs/follow 0.1 dlopen libnosuch.so &&
	grep -q '^libnosuch.so: cannot open shared object file' "$work/err"
}

# libouter.so needs libloader.so, which loads libinner.so by a name that only the RPATH of
# libouter.so resolves.
found_by_path_of_loader() {
	run programs/follow 0.1 dlopen libouter.so && [ "$(samples spin_inner)" -gt 5 ]
}

# The dynamic linker's cache has precedence over the default directories.
found_in_cache() {
	echo "$PWD/programs/follow-libraries/cached" >"$work/conf" &&
	/sbin/ldconfig -X -C "$work/cache" -f "$work/conf" &&
	run unshare -m sh -c 'mount --bind "$0" /etc/ld.so.cache &&
		programs/follow 0.1 dlopen libBrokenLocale.so.1' "$work/cache" &&
	[ "$(samples spin_loaded)" -gt 5 ]
}

# Code without a file has the same name as function and as object.
without_file() {
	local name=$1

	shift
	is_sampled "$name" "$@" && rows | grep -q " \\$name *\\$name "
}

# The vdso and the program's loop share the time.
vdso() {
	run programs/follow 0.4 vdso && between 8 "$(samples '[vdso]')" 42 &&
	between 39 "$(($(samples '[vdso]') + $(samples spin_in_vdso) +
		$(samples '[.plt]') + $(samples clock_gettime)))" 42
}

# profil prints a line every 0.2 s while the program runs. The program's output is unchanged.
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
check "a program as the argument of the dynamic linker" by_linker
check "--no-follow" not_followed
check "a program executed by a static program" by_static_program
check "unprofiled programs are listed, and the CPU times add up" unprofiled
check_if programs/forks-musl "a program executed by a program for musl" by_program_for_musl
check "programs executed without LD_PRELOAD" without_environment
check "200 programs, one after another" many
check "20 programs at once" at_once
check "make -j2" built
check "a library loaded by dlopen" is_sampled spin_loaded dlopen libfollow.so
check "a library loaded by dlopen twice" is_sampled spin_loaded dlopen libfollow.so again
check "dlopen finds libraries as without profil" found
check "dlopen by the path of a library's loader" found_by_path_of_loader
check "dlopen by the dynamic linker's cache" found_in_cache
check "a library beside a gigabyte of executable memory" \
	is_sampled spin_loaded dlopen libfollow.so huge
check "code mapped by mmap" without_file '[jit]' mmap
check "code made executable by mprotect" without_file '[jit]' mprotect
check "the vdso" vdso
check "--progress" progress
ktap_finished
