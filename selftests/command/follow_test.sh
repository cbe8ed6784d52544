#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the profil command on programs of each kind, on programs that execute others, and on code
# that programs load or map while they run. PROFIL: path of the command (default: the tree's).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=$(realpath "${PROFIL:-../tools/profil}")

m32=../build/m32/selftests/programs

# run ARG...: runs profil with these arguments, and keeps its table and result. The samples are at the
# tick unless the arguments say otherwise: then the bounds of a count need no chance.
run() {
	"$PROFIL" -c tick -o "$work/result" -t "$work/profile" "$@" >"$work/out" 2>"$work/err"
}

# rows [OPTION...]: prints the table of the result without its header. The default columns are
# percent, seconds, samples, system%, interval, object and name.
rows() {
	"$PROFIL" report "$@" "$work/result" | grep -v '^#'
}

# samples FUNCTION: prints its number of samples
samples() {
	rows | awk -v name="$1" '$7 == name { n += $3 } END { print n + 0 }'
}

# processes PATTERN: prints the number of processes that executed a program whose path ends with
# PATTERN
processes() {
	rows --by process | awk -v name="$1" '$8 ~ name "$" && $9 != "(fork)" { n++ }
		END { print n + 0 }'
}

# samples_match_cpu_time ALLOWANCE: whether the samples match the CPU time that the processes report
samples_match_cpu_time() {
	between "-$1" "$(rows --by process | awk '
		{ samples += $3; cpu += $2 }
		END { print samples - 100 * cpu }')" "$1"
}

# spun PROCESSES SECONDS: whether PROCESSES of programs/spin have samples for SECONDS in all. Each
# may have one more or less for the phase, and three more for the last rounds of its two loops,
# which take up to 20 ms each.
spun() {
	between "$(awk "BEGIN { print 100 * $2 - $1 }")" \
		$(($(samples spin_much) + $(samples spin_less))) \
		"$(awk "BEGIN { print 100 * $2 + 4 * $1 }")"
}

# A program in a fork of the shell, one that ends by _exit(), and one that replaces the shell. Each
# has one sample more or less for the phase, as the shell.
executed() {
	run sh -c 'programs/spin 0.4; programs/spin 0.4 _exit; exec programs/spin 0.4' &&
	spun 3 1.2 && between 87 "$(samples spin_much)" 96 &&
	[ "$(processes /spin)" = 3 ] && samples_match_cpu_time 4 &&
	grep -q '^# plus .*2 executed programs, using ' "$work/profile"
}

# is_spun PROGRAM [COMMAND...]: whether 0.4 s of PROGRAM, started by COMMAND, are sampled
is_spun() {
	local program=$1

	shift
	run "$@" "$program" 0.4 && spun 1 0.4 && [ "$(processes "/${program##*/}")" = 1 ] &&
	samples_match_cpu_time $(($# + 1))
}

# Threads of Go's runtime interrupt the program all the time, so its samples are at random times.
# The tolerance is four standard errors: 80 of the 400 samples, and 0.09 of the share.
go_program() {
	local much less

	run --rate 1000 --clock random programs/spin-go 0.4 && much=$(samples main.spinMuch) &&
	less=$(samples main.spinLess) && between 320 $((much + less)) 480 &&
	between 0.66 "$(awk "BEGIN { print $much / ($much + $less) }")" 0.84
}

# It has no symbols, so its samples are counted by the object.
busybox() {
	# shellcheck disable=SC2016 # for the profiled shell
	run busybox sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' &&
	samples_match_cpu_time 1 &&
	between 95 "$(rows --by object | awk '$6 ~ /busybox$/ { print $1 }')" 100
}

# The kernel executes the dynamic linker, whose argument is the program.
by_linker() {
	local linker

	linker=$(readelf -l programs/spin | sed -n 's/.*program interpreter: \(.*\)]/\1/p') &&
	run "$linker" programs/spin 0.4 && spun 1 0.4 &&
	[ "$(rows --by object | grep -c '/spin$')" = 1 ]
}

killed() {
	run sh -c 'programs/spin 0.4 kill; exit 0' && spun 1 0.4 &&
	[ "$(processes /spin)" = 1 ] && samples_match_cpu_time 2
}

not_followed() {
	run --no-follow sh -c 'programs/spin 0.2; exec programs/spin 0.2' &&
	[ "$(samples spin_much)" = 0 ] && ! rows --by process | awk '{ print $8 }' | grep -q spin
}

static_programs() {
	run sh -c 'programs/spin-static 0.2; programs/forks-static 1 0 exec programs/spin 0.4' &&
	spun 2 0.6 && [ "$(processes /spin-static)" = 1 ] && [ "$(processes /spin)" = 1 ]
}

script() {
	printf '#!%s 0.4\n' "$PWD/programs/spin-static" >"$work/script" &&
	chmod +x "$work/script" && run "$work/script" && spun 1 0.4
}

# A program in another root directory: its path is the one that leads to it here. It runs long
# enough for profil, which reads the log once per second, to open the file in that directory. When
# it is gone, the result has its names, and `profil report` finds a copy with --root.
other_root() {
	local program=$work/below/spin-static

	mkdir "$work/below" "$work/copy" && cp programs/spin-static "$program" &&
	run chroot "$work/below" /spin-static 2 && between 149 "$(samples spin_much)" 153 &&
	[ "$(rows --by object --full-names |
		awk -v path="$program" '$6 == path { print $3 }')" -ge 199 ] &&
	cp --parents "$program" "$work/copy" && rm "$program" &&
	between 149 "$(samples spin_much)" 153 &&
	between 149 "$(rows --root "$work/copy" | awk '$7 == "spin_much" { print $3 }')" 153
}

# A set-user-ID program of root that a user executes is not sampled, and the report has its CPU
# time. Root may profile it.
set_user_id() {
	cp programs/spin "$work/set-user-id" && chmod 4755 "$work/set-user-id" &&
	chmod 755 "$work" &&
	setpriv --reuid 65532 --regid 65532 --clear-groups "$PROFIL" -c tick -o /dev/null \
		sh -c "programs/spin 0.4; $work/set-user-id 0.4" 2>"$work/profile" &&
	between 29 "$(awk '$7 == "spin_much" { n += $3 } END { print n + 0 }' "$work/profile")" 33 &&
	grep -q 'programs that were not profiled: set-user-id 0\.[34]' "$work/profile" &&
	run "$work/set-user-id" 0.4 && spun 1 0.4
}

# A program that the user may execute but not read: the same
unreadable() {
	cp programs/spin "$work/unreadable" && chmod 711 "$work/unreadable" && chmod 755 "$work" &&
	setpriv --reuid 65532 --regid 65532 --clear-groups "$PROFIL" -c tick -o /dev/null \
		sh -c "$work/unreadable 0.4" 2>"$work/profile" &&
	! grep spin_much "$work/profile" &&
	grep -q 'programs that were not profiled: unreadable 0\.[34]' "$work/profile" &&
	run "$work/unreadable" 0.4 && spun 1 0.4
}

many() {
	# shellcheck disable=SC2016 # for the profiled shell
	run sh -c 'for i in $(seq 200); do /bin/true; done' &&
	[ "$(processes /true)" = 200 ] && [ ! -s "$work/err" ] && samples_match_cpu_time 201
}

# Each process has one sample more or less for the phase.
at_once() {
	# shellcheck disable=SC2016 # for the profiled shell
	run sh -c 'for i in $(seq 20); do programs/spin 0.1 & done; wait' &&
	[ "$(processes /spin)" = 20 ] && samples_match_cpu_time 21 &&
	[ "$(rows --by object | grep -c '/spin$')" = 1 ]
}

# Compiles a part of this project: four files, after its Makefile has asked the compiler twice what
# the C library has. Programs that run in bursts shorter than the period are sampled
# at random: the tolerance is four standard errors.
built() {
	cp -r ../lib ../uapi ../version.mk "$work" && rm -f "$work"/lib/*.o "$work"/lib/*/*.o &&
	run make -s -C "$work/lib" -j2 device.o ioctl.o rate.o sprofil.o &&
	[ "$(processes /make)" = 1 ] && [ "$(processes /cc1)" = 6 ] &&
	[ "$(processes '[/-]as')" = 4 ] &&
	samples_match_cpu_time "$(rows | awk '{ n += $3 } END { print 4 * sqrt(n) }')" &&
	between 50 "$(rows --by object | awk '$6 ~ /\/cc1$/ { print $1 }')" 100
}

# is_sampled PROGRAM SECONDS HOW: whether the code that it makes has all of its samples. It has no
# file, so its name as a function is the same as that of the object. The program prints the CPU
# time. The phase accounts for one sample more or less at each end.
is_sampled() {
	run "$@" && rows | grep -q ' \[jit\] *\[jit\]' &&
	between -2 "$(awk -v samples="$(samples '[jit]')" '
		{ print samples - 100 * $1 }' "$work/out")" 2
}

# loaded PROGRAM: it loads and unloads two libraries in turn, ten times, both at the same address.
# Each library is used for 20 ms or more at a time, and the program prints for how long. Each time
# has less than one sample more or less, at the rate of the tick. All ten may have more, because both
# the ticks and the times are periodic. The libraries have about 60 samples each.
loaded() {
	local function due

	run --rate 250 "$1" 0.02 dlopen 10 || return
	for function in spin_follow spin_other; do
		due=$(awk -v function_="$function" '$1 == function_ { n += 250 * $2 }
			END { print n }' "$work/out")
		between "$(awk "BEGIN { print $due - 10 }")" "$(samples $function)" \
			"$(awk "BEGIN { print $due + 10 }")" || return
	done
}

# The vdso and the program's loop share the time.
vdso() {
	local in_vdso

	run programs/follow 0.4 vdso &&
	in_vdso=$(rows | awk '$6 == "[vdso]" { n += $3 } END { print n + 0 }') &&
	between 8 "$in_vdso" 42 &&
	between 39 "$((in_vdso + $(samples spin_in_vdso) + $(samples clock_gettime@plt) +
		$(samples clock_gettime)))" 42
}

# are_apart SECONDS: at least three progress lines, and this long from one to the next on average
are_apart() {
	awk -v apart="$1" '/^profil: .* samples, [0-9]*% CPU$/ { nr++; seconds = $2 }
		END { exit nr < 3 || nr > seconds / apart + 1 }' "$work/err"
}

# profil prints a line every 0.2 s while the program runs. The program waits for three, as the first
# may be late. Its output is unchanged.
progress() {
	run --progress=0.2 sh -c "for i in \$(seq 50); do programs/spin 0.1
		[ \"\$(grep -c 'samples, .*% CPU' $work/err)\" -lt 3 ] || break; done" &&
	[ ! -s "$work/out" ] && are_apart 0.2 &&
	run --progress=0.2 sh -c 'programs/spin 0.3; echo said' && [ "$(<"$work/out")" = said ] &&
	! run --progress=0 true && grep -q 'expected 0.1 to' "$work/err"
}

ktap_print_header
need_device
uninterrupted
ktap_set_plan 25
check "a static program" is_spun programs/spin-static
check_if programs/spin-musl "a program for musl" is_spun programs/spin-musl
check_if "$m32/spin" "a 32-bit program" is_spun "$m32/spin"
check_if programs/spin-go "a program in Go" go_program
if command -v busybox >/dev/null; then
	check "busybox" busybox
else
	ktap_test_skip "busybox: not installed"
fi
check "a program with an empty environment" is_spun programs/spin env -i
check "a script whose interpreter is a static program" script
check "executed programs" executed
check "an executed program that is killed" killed
check "a program as the argument of the dynamic linker" by_linker
check "--no-follow" not_followed
check "static programs, and a program that one executes" static_programs
if [ "$(id -u)" = 0 ]; then
	check "a program in another root directory" other_root
	check "a set-user-ID program: not profiled for a user, with the reason" set_user_id
	check "an unreadable program: not profiled for a user, with the reason" unreadable
else
	ktap_test_skip "a program in another root directory: needs root"
	ktap_test_skip "a set-user-ID program: needs root"
	ktap_test_skip "an unreadable program: needs root"
fi
check "200 programs, one after another" many
check "20 programs at once" at_once
check "make -j2" built
check "libraries at the same address, by dlopen and dlclose" loaded programs/follow
check_if programs/follow-musl "libraries in a program for musl" loaded programs/follow-musl
check "code mapped by mmap" is_sampled programs/follow 0.4 mmap
check "code made executable by mprotect" is_sampled programs/follow 0.4 mprotect
check_if programs/follow-musl "code mapped in a program for musl" \
	is_sampled programs/follow-musl 0.4 mmap
check "the vdso" vdso
check "--progress" progress
ktap_finished
