#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs compiled with -pg that know nothing of libprofil, and gprof. Time must be the
# number of instructions (scripts/vm/run --icount). GPROF_SECONDS is how long each program runs.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

programs=$PWD/programs
library=$PWD/../lib/libprofil.so
RATE=1000

seconds=${GPROF_SECONDS:-1}

# Percentage points that a function's share may be off, against the program's own clock. A
# function is called 20 times a second, for 5 ms or more, and each time has up to one
# sample more or less: the standard deviation is sqrt(20 / 6) of 1000 samples, 0.2 points.
points=1
# Of all samples, one hundredth may be in the C library, and two are for the phase.
least=0.985 most=1.015

# A round of the program's loops takes up to so many seconds.
round=0.06

# in_work COMMAND: in an empty directory, with what it says in $work/out and err
in_work() {
	rm -rf "$work/dir"
	mkdir "$work/dir"
	(cd "$work/dir" && "$@") >"$work/out" 2>"$work/err"
}

# pg MODE [PROGRAM]: it ends well, says nothing of its own, and leaves nothing behind
# but gmon files
pg() {
	in_work env LD_PRELOAD="$library" PROFIL_RATE=$RATE \
		"$programs/${2:-pg}" $seconds "$1" && [ ! -s "$work/err" ] &&
	[ -z "$(find "$work/dir" -type f ! -name 'gmon.*')" ]
}

# flat PROGRAM FILE: lines of seconds, percent, calls (- if none were seen), function
flat() {
	[ -f "$work/dir/$2" ] || { echo "# no $2" >&2; return 1; }
	gprof -bp "$programs/$1" "$work/dir/$2" | awk '
		$1 ~ /^[0-9.]+$/ && NF >= 4 {
			print $3, $1, NF == 7 ? $4 : "-", $NF
		}'
}

# of PROGRAM FILE FUNCTION FIELD; 0 if it is not there
of() {
	flat "$1" "$2" | awk -v name="$3" -v field="$4" \
		'$4 == name { n = $field } END { print n + 0 }'
}

# same A B
same() {
	[ "$1" = "$2" ] || { echo "# $1 is not $2"; false; }
}

# That gprof has what the program's own clock has: each function's share, and all of
# their CPU time. agrees [PROGRAM [FILE]]
agrees() {
	flat "${1:-pg}" "${2:-gmon.out}" | awk -v points=$points -v least=$least \
		-v most=$most -v out="$work/out" '
		BEGIN {
			split("sixty thirty ten", names)
			while ((getline line < out) > 0)
				if (split(line, field) == 5 && field[1] == "work")
					for (i = 1; i <= 3; i++) {
						want[i] = field[i + 2]
						wanted += want[i]
					}
		}
		{ seconds[$4] = $1; percent[$4] = $2 }
		END {
			for (i = 1; i <= 3; i++) {
				all += percent[names[i]]
				sum += seconds[names[i]]
			}
			if (!wanted || !all) {
				print "# no time"
				exit 1
			}
			for (i = 1; i <= 3; i++) {
				off = 100 * (percent[names[i]] / all - want[i] / wanted)
				text = text sprintf(" %.2f %%", 100 * want[i] / wanted)
				text = text sprintf(" (%+.2f)", off)
				bad += off > points || -off > points
			}
			text = text sprintf(", %.3f s of %.3f", sum, wanted)
			bad += sum < least * wanted || sum > most * wanted
			print "# " (bad ? "not within bounds:" : "") text
			exit !!bad
		}'
}

# That calls are counted as the program has: each function's.
calls() {
	local rounds name

	rounds=$(awk '$1 == "work" { print $2 }' "$work/out")
	for name in sixty thirty ten; do
		same "$(of "${1:-pg}" "${2:-gmon.out}" $name 3)" "$rounds" || return
	done
}

# rate_is SECONDS [PROGRAM]: of a sample, in gmon.out
rate_is() {
	gprof -bp "$programs/${2:-pg}" "$work/dir/gmon.out" |
		grep -q "^Each sample counts as $1 seconds"
}

plain() {
	pg plain "$1" && agrees "$1" && calls "$1" && rate_is 0.001 "$1"
}

without_preload() {
	in_work env PROFIL_RATE=$RATE "$programs/$1" $seconds && [ ! -s "$work/err" ] &&
	agrees "$1" && calls "$1" && rate_is 0.001 "$1"
}

# What the others are compared to
by_the_c_library() {
	in_work "$programs/pg" $seconds && calls && rate_is 0.01
}

threads() {
	pg threads && agrees
}

blocked() {
	pg blocked && agrees && calls
}

nothing_left() {
	pg signal && grep -q '^SIGPROF is free, its timer off$' "$work/out"
}

# Each of three parts of the program has its signals, of its own timer, of 20 ms: one
# less for the phase, and more for the last round. A timer that the program has lost has none.
own_timer() {
	local signals n

	pg "$1" && agrees && calls || return
	signals=$(sed -n 's/^signals //p' "$work/out")
	echo "# signals: $signals"
	for n in ${signals:-0}; do
		between "$(awk "BEGIN { print $seconds / 2 / 0.02 - 1 }")" "$n" \
			"$(awk "BEGIN { print ($seconds / 2 + $round) / 0.02 }")" ||
			return
	done
}

# moncontrol PROGRAM
moncontrol() {
	pg moncontrol "$1" && agrees "$1" && calls "$1" &&
	same "$(of "$1" gmon.out unseen 1)" 0 &&
	same "$(of "$1" gmon.out unseen 3)" 0
}

# again PROGRAM
again() {
	pg again "$1" && agrees "$1" && calls "$1" &&
	same "$(of "$1" gmon.out unseen 1)" 0 &&
	# of do_again() only: it was called, and no more (but main() by a static program's
	# own text)
	same "$(flat "$1" gmon.first | awk '$3 != "-" && $4 != "main" { print $4 }')" \
		do_again
}

# child_agrees FILE: it has the child's time, and none of its parent's
child_agrees() {
	local rounds

	rounds=$(awk '$1 == "child" { print $3 }' "$work/out")
	between "$(awk "BEGIN { print $least * $seconds }")" \
		"$(of pg "$1" of_child 1)" \
		"$(awk "BEGIN { print $most * $seconds + $round }")" &&
	same "$(of pg "$1" of_child 3)" "$rounds" &&
	same "$(of pg "$1" sixty 1)" 0
}

forks() {
	local child

	pg fork && agrees && calls &&
	same "$(of pg gmon.out of_child 1)" 0 &&
	child=$(awk '$1 == "child" { print $2 }' "$work/out") &&
	child_agrees "gmon.out.$child"
}

prefix() {
	local child

	in_work env LD_PRELOAD="$library" PROFIL_RATE=$RATE GMON_OUT_PREFIX=x \
		"$programs/pg" $seconds fork && [ ! -s "$work/err" ] &&
	child=$(awk '$1 == "child" { print $2 }' "$work/out") &&
	# nothing but these two
	mv "$work/dir/x.$child" "$work/dir/child" &&
	mv "$work/dir"/x.* "$work/dir/parent" &&
	same "$(ls -A "$work/dir" | tr '\n' ' ')" "child parent " &&
	child_agrees child && agrees pg parent && calls pg parent
}

executes() {
	pg exec && agrees && calls && same "$(of pg gmon.out unseen 3)" 0
}

# What the program counts itself, from there on: 16-bit counters of 2 bytes of text
own_profile() {
	pg profil && agrees && same "$(of pg gmon.out unseen 1)" 0 &&
	between "$(awk "BEGIN { print 2 * $least * $seconds * $RATE }")" \
		"$(sed -n 's/^counted //p' "$work/out")" \
		"$(awk "BEGIN { print 2 * ($most * $seconds + $round) * $RATE }")"
}

rates() {
	RATE=50 pg plain && rate_is 0.02 && calls &&
	between "$(awk "BEGIN { print 50 * $seconds - 2 }")" \
		"$(flat pg gmon.out | awk '{ n += 50 * $1 } END { print n }')" \
		"$(awk "BEGIN { print 50 * ($seconds + $round) + 1 }")"
}

# The kernel refuses that rate.
refused() {
	in_work env LD_PRELOAD="$library" PROFIL_RATE=100000 "$programs/pg" $seconds &&
	rate_is 0.01 && calls && between 0.1 "$(of pg gmon.out sixty 1)" $seconds &&
	grep -q 'the kernel offers 1 to' "$work/err" &&
	grep -q "refused.*EINVAL.*using the C library's SIGPROF timer" "$work/err" &&
	in_work env LD_PRELOAD="$library" PROFIL_RATE=100000 PROFIL_FALLBACK=fatal \
		"$programs/pg" $seconds signal &&
	grep -q 'refused.*not profiling' "$work/err" &&
	grep -q '^SIGPROF is free, its timer off$' "$work/out" && calls &&
	same "$(of pg gmon.out sixty 1)" 0
}

no_device() {
	in_work unshare -m sh -c 'mount -t tmpfs none /dev &&
		LD_PRELOAD=$1 exec $2 $3' sh "$library" "$programs/pg" $seconds &&
	rate_is 0.01 && calls && between 0.1 "$(of pg gmon.out sixty 1)" $seconds &&
	same "$(wc -l <"$work/err")" 1 &&
	grep -q "ENOENT.*modprobe profil; using the C library's SIGPROF" "$work/err"
}

# One at the device's name, as a number that is out of date may leave it
another_device() {
	in_work unshare -m sh -c 'mount -t tmpfs none /dev && mknod /dev/profil c 1 3 &&
		LD_PRELOAD=$1 exec $2 0' sh "$library" "$programs/pg" &&
	same "$(wc -l <"$work/err")" 1 &&
	grep -q "refused.*ENOTTY.*see profil(4).*using the C library's SIGPROF" "$work/err"
}

# by_user COMMAND...: by one without rights
by_user() {
	rm -rf "$work/dir"
	mkdir -m 777 "$work/dir" && chmod 755 "$work" &&
	(cd "$work/dir" && setpriv --reuid 65532 --regid 65532 --clear-groups \
		env LD_PRELOAD="$library" PROFIL_RATE=$RATE "$@") \
		>"$work/out" 2>"$work/err"
}

set_ftrace() {
	echo "$1" 2>/dev/null >/proc/sys/kernel/ftrace_enabled
}

# What can be done about it is told, too.
no_hook() {
	# the last profile's goes a while later
	soon set_ftrace 0
	in_work env LD_PRELOAD="$library" "$programs/pg" 0
	set_ftrace 1
	grep -q 'refused.*EOPNOTSUPP.*kernel.ftrace_enabled=1' "$work/err"
}

no_more_profiles() {
	local limit=/sys/module/profil/parameters/max_user_sessions was

	was=$(cat $limit) && echo 0 >$limit || return
	by_user "$programs/pg" 0
	echo "$was" >$limit
	grep -q 'refused.*ENOSPC.*max_user_sessions' "$work/err"
}

# Of a user who may lock no memory all samples are lost, which is told.
memlock() {
	by_user prlimit --memlock=0 "$programs/pg" $seconds &&
	grep -q 'samples lost: .*ENOMEM.*ulimit -l' "$work/err" && calls &&
	same "$(of pg gmon.out sixty 1)" 0
}

not_pg() {
	in_work env LD_PRELOAD="$library" "$programs/spin" 0.1 &&
	same "$(ls -A "$work/dir")" "" && [ ! -s "$work/err" ]
}

# command_goes_first PROGRAM: it has its report, and gmon.out is the C library's. The
# standard deviation is sqrt(20 / 6) of 250 samples, 0.7 points.
command_goes_first() {
	in_work "$PWD/../tools/profil" --rate 250 -o /dev/null \
		-t "$work/profile" "$programs/$1" $seconds &&
	between 57 "$(awk '$4 == "sixty" { print $1 }' "$work/profile")" 63 &&
	rate_is 0.01 "$1" && calls "$1"
}

ktap_print_header
need_device
if ! command -v gprof >/dev/null; then
	skip_all "no gprof: install binutils"
fi
ktap_set_plan 30
check "the C library's own run has as many calls" by_the_c_library
check "a position-independent program" plain pg
check "a program at fixed addresses" plain pg-no-pie
check "a program linked with the library" without_preload pg-linked
check "a static program" without_preload pg-static
check "a static program, position-independent" without_preload pg-static-pie
check "four threads" threads
check "SIGPROF blocked by the program" blocked
check "neither SIGPROF nor its timer is taken" nothing_left
check "ITIMER_PROF set by the program" own_timer timer
check "ITIMER_PROF set before the profile begins" own_timer early-timer
check "moncontrol off and on" moncontrol pg
check "moncontrol in a static program" moncontrol pg-static
check "ended, and begun again, by the program" again pg
check "ended, and begun again, by a static program" again pg-static
check "a forked child has its own file" forks
check "by GMON_OUT_PREFIX" prefix
check "a program that it executes" executes
check "a profile of the program's own" own_profile
check "another rate" rates
check "a rate that the kernel refuses: the C library's" refused
check "no device: the C library's, and one line" no_device
check "another device: the C library's, and one line" another_device
check "a tick that cannot be hooked" no_hook
check "one profile too many" no_more_profiles
check "no memory to lock: lost, and told" memlock
check "a program that was not compiled so" not_pg
check "the profil command goes first" command_goes_first pg
check "also where a program has the library" command_goes_first pg-linked
check "a program that runs no time at all" in_work env LD_PRELOAD="$library" \
	"$programs/pg" 0
ktap_finished
