#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs programs compiled with -pg with libprofil.so preloaded or linked, and compares gprof's output
# with the programs' own measurements. The clock must count instructions (scripts/vm/run --icount).
# GPROF_SECONDS: how long each program runs.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

programs=$PWD/programs
library=$PWD/../lib/libprofil.so
RATE=2000 interval=0.0005

seconds=${GPROF_SECONDS:-1}

# Tolerance of a function's share, in percentage points, compared with the program's own clock. A
# function is called 20 times per second, for 5 ms or more. Each interval of the clock has a sample at
# a random point. A call begins and ends within one: of a part f of it, the variance is f (1 - f), a
# sixth in the mean. So the standard deviation is sqrt(20 / 3) of 2000 samples, 0.13 points.
points=1
# 1 % of the samples may be in the C library, and two samples are for the phase.
least=0.985 most=1.015

# Longest duration of one round of the program's loops, in seconds
round=0.06

# in_work COMMAND: runs the command in an empty directory, with its output in $work/out and err
in_work() {
	rm -rf "$work/dir"
	mkdir "$work/dir"
	(cd "$work/dir" && "$@") >"$work/out" 2>"$work/err"
}

# pg MODE [PROGRAM]: runs the program with the library preloaded; whether it succeeds, prints no
# message, and creates no files except gmon files
pg() {
	in_work env LD_PRELOAD="$library" PROFIL_RATE=$RATE \
		"$programs/${2:-pg}" $seconds "$1" && [ ! -s "$work/err" ] &&
	[ -z "$(find "$work/dir" -type f ! -name 'gmon.*')" ]
}

# flat PROGRAM FILE: prints lines of seconds, percent, calls (- if none were recorded), function
flat() {
	[ -f "$work/dir/$2" ] || { echo "# no $2" >&2; return 1; }
	gprof -bp "$programs/$1" "$work/dir/$2" | awk '
		$1 ~ /^[0-9.]+$/ && NF >= 4 {
			print $3, $1, NF == 7 ? $4 : "-", $NF
		}'
}

# gprof_field PROGRAM FILE FUNCTION FIELD: prints that field of a line of flat; 0 if there is none
gprof_field() {
	flat "$1" "$2" | awk -v name="$3" -v field="$4" \
		'$4 == name { n = $field } END { print n + 0 }'
}

# same A B: whether they are equal
same() {
	[ "$1" = "$2" ] || { echo "# $1 is not $2"; false; }
}

# time_agrees [PROGRAM [FILE]]: whether gprof agrees with the program's own clock on the share of
# each function, and on their total CPU time
time_agrees() {
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
				print "# no CPU time"
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

# calls_agree [PROGRAM [FILE]]: whether gprof agrees with the program on each function's calls
calls_agree() {
	local rounds name

	rounds=$(awk '$1 == "work" { print $2 }' "$work/out")
	for name in sixty thirty ten; do
		same "$(gprof_field "${1:-pg}" "${2:-gmon.out}" $name 3)" "$rounds" || return
	done
}

# rate_is SECONDS [PROGRAM]: whether a sample in gmon.out counts as SECONDS
rate_is() {
	gprof -bp "$programs/${2:-pg}" "$work/dir/gmon.out" |
		grep -q "^Each sample counts as $1 seconds"
}

plain() {
	pg plain "$1" && time_agrees "$1" && calls_agree "$1" && rate_is $interval "$1"
}

without_preload() {
	in_work env PROFIL_RATE=$RATE "$programs/$1" $seconds && [ ! -s "$work/err" ] &&
	time_agrees "$1" && calls_agree "$1" && rate_is $interval "$1"
}

# Without libprofil, for comparison
c_library_alone() {
	in_work "$programs/pg" $seconds && calls_agree && rate_is 0.01
}

threads() {
	pg threads && time_agrees && calls_agree
}

blocked() {
	pg blocked && time_agrees && calls_agree
}

nothing_left() {
	pg signal && grep -q '^SIGPROF is free, its timer off$' "$work/out"
}

# The program gets the signals of its own 20 ms timer, in each of its three parts: one less for the
# phase, and more for the last round. If the library took the timer, there would be none.
own_timer() {
	local signals n

	pg "$1" && time_agrees && calls_agree || return
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
	pg moncontrol "$1" && time_agrees "$1" && calls_agree "$1" &&
	same "$(gprof_field "$1" gmon.out unseen 1)" 0 &&
	same "$(gprof_field "$1" gmon.out unseen 3)" 0
}

# again PROGRAM
again() {
	pg again "$1" && time_agrees "$1" && calls_agree "$1" &&
	same "$(gprof_field "$1" gmon.out unseen 1)" 0 &&
	# do_again() is the only function that was called (in a static program, main() too)
	same "$(flat "$1" gmon.first | awk '$3 != "-" && $4 != "main" { print $4 }')" \
		do_again
}

# child_agrees FILE: whether it has the child's time, and none of its parent's
child_agrees() {
	local rounds

	rounds=$(awk '$1 == "child" { print $3 }' "$work/out")
	between "$(awk "BEGIN { print $least * $seconds }")" \
		"$(gprof_field pg "$1" of_child 1)" \
		"$(awk "BEGIN { print $most * $seconds + $round }")" &&
	same "$(gprof_field pg "$1" of_child 3)" "$rounds" &&
	same "$(gprof_field pg "$1" sixty 1)" 0
}

forks() {
	local child

	pg fork && time_agrees && calls_agree &&
	same "$(gprof_field pg gmon.out of_child 1)" 0 &&
	child=$(awk '$1 == "child" { print $2 }' "$work/out") &&
	child_agrees "gmon.out.$child"
}

prefix() {
	local child

	in_work env LD_PRELOAD="$library" PROFIL_RATE=$RATE GMON_OUT_PREFIX=x \
		"$programs/pg" $seconds fork && [ ! -s "$work/err" ] &&
	child=$(awk '$1 == "child" { print $2 }' "$work/out") &&
	# these two are the only files
	mv "$work/dir/x.$child" "$work/dir/child" &&
	mv "$work/dir"/x.* "$work/dir/parent" &&
	same "$(ls -A "$work/dir" | tr '\n' ' ')" "child parent " &&
	child_agrees child && time_agrees pg parent && calls_agree pg parent
}

executes() {
	pg exec && time_agrees && calls_agree && same "$(gprof_field pg gmon.out unseen 3)" 0
}

# The program starts its own profile: its samples are no longer in gmon.out, but in its 16-bit
# counters of 2 bytes of text.
own_profile() {
	pg profil && time_agrees && same "$(gprof_field pg gmon.out unseen 1)" 0 &&
	between "$(awk "BEGIN { print 2 * $least * $seconds * $RATE }")" \
		"$(sed -n 's/^counted //p' "$work/out")" \
		"$(awk "BEGIN { print 2 * ($most * $seconds + $round) * $RATE }")"
}

rates() {
	RATE=50 pg plain && rate_is 0.02 && calls_agree &&
	between "$(awk "BEGIN { print 50 * $seconds - 2 }")" \
		"$(flat pg gmon.out | awk '{ n += 50 * $1 } END { print n }')" \
		"$(awk "BEGIN { print 50 * ($seconds + $round) + 1 }")"
}

# The kernel refuses the rate, so the library falls back to a timer, or with
# PROFIL_FALLBACK=fatal does not profile.
refused_rate() {
	in_work env LD_PRELOAD="$library" PROFIL_RATE=100000 "$programs/pg" $seconds &&
	rate_is 0.01 && calls_agree && between 0.1 "$(gprof_field pg gmon.out sixty 1)" $seconds &&
	grep -q 'the kernel offers 1 to' "$work/err" &&
	grep -q "refused.*EINVAL.*using a SIGPROF timer" "$work/err" &&
	in_work env LD_PRELOAD="$library" PROFIL_RATE=100000 PROFIL_FALLBACK=fatal \
		"$programs/pg" $seconds signal &&
	grep -q 'refused.*not profiling' "$work/err" &&
	grep -q '^SIGPROF is free, its timer off$' "$work/out" && calls_agree &&
	same "$(gprof_field pg gmon.out sixty 1)" 0
}

no_device() {
	in_work unshare -m sh -c 'mount -t tmpfs none /dev &&
		LD_PRELOAD=$1 exec $2 $3' sh "$library" "$programs/pg" $seconds &&
	rate_is 0.01 && calls_agree && between 0.1 "$(gprof_field pg gmon.out sixty 1)" $seconds &&
	same "$(wc -l <"$work/err")" 1 &&
	grep -q "ENOENT.*the module is loaded, .*; using a SIGPROF" "$work/err"
}

# Another device has the name /dev/profil, as a stale device number may leave it.
another_device() {
	in_work unshare -m sh -c 'mount -t tmpfs none /dev && mknod /dev/profil c 1 3 &&
		LD_PRELOAD=$1 exec $2 0' sh "$library" "$programs/pg" &&
	same "$(wc -l <"$work/err")" 1 &&
	grep -q "refused.*ENOTTY.*see profil(4).*using a SIGPROF" "$work/err"
}

# as_user COMMAND...: runs the command as an unprivileged user, with the library preloaded. Both are
# copies, as other users may not be allowed to read the checkout.
as_user() {
	rm -rf "$work/dir"
	mkdir -m 777 "$work/dir" && chmod 755 "$work" && cp -L "$library" "$programs/pg" "$work" &&
	(cd "$work/dir" && setpriv --reuid 65532 --regid 65532 --clear-groups \
		env LD_PRELOAD="$work/${library##*/}" PROFIL_RATE=$RATE "$@") \
		>"$work/out" 2>"$work/err"
}

set_ftrace() {
	echo "$1" 2>/dev/null >/proc/sys/kernel/ftrace_enabled
}

# The message has the remedy.
no_hook() {
	local most=/sys/module/profil/parameters/max_hook_seconds was

	# the hook of the last profile is removed a second later
	was=$(cat $most) && echo 1 >$most && eventually set_ftrace 0 && echo "$was" >$most || return
	in_work env LD_PRELOAD="$library" "$programs/pg" 0
	set_ftrace 1
	grep -q 'refused.*EOPNOTSUPP.*kernel.ftrace_enabled=1' "$work/err"
}

session_limit() {
	local limit=/sys/module/profil/parameters/max_user_sessions was

	was=$(cat $limit) && echo 0 >$limit || return
	as_user "$work/pg" 0
	echo "$was" >$limit
	grep -q 'refused.*ENOSPC.*max_user_sessions' "$work/err"
}

# All samples of a user who may lock no memory are lost, and the library reports it.
memlock() {
	as_user prlimit --memlock=0 "$work/pg" $seconds &&
	grep -q 'samples lost: .*ENOMEM.*ulimit -l' "$work/err" && calls_agree &&
	same "$(gprof_field pg gmon.out sixty 1)" 0
}

not_pg() {
	in_work env LD_PRELOAD="$library" "$programs/spin" 0.1 &&
	same "$(ls -A "$work/dir")" "" && [ ! -s "$work/err" ]
}

# command_too PROGRAM SECONDS: whether the profil command and the program itself sample it at the
# same time, each at its own rate; SECONDS: what a sample in gmon.out counts as. The standard
# deviation of the command's share is sqrt(20 / 6) of 250 samples, 0.7 points.
command_too() {
	in_work env PROFIL_RATE=$RATE "$PWD/../tools/profil" --rate 250 -o /dev/null \
		-t "$work/profile" "$programs/$1" $seconds && [ ! -s "$work/err" ] &&
	between 57 "$(awk '$7 == "sixty" { print $1 }' "$work/profile")" 63 &&
	rate_is "$2" "$1" && calls_agree "$1"
}

library_and_command() {
	command_too pg-linked $interval && time_agrees pg-linked
}

ktap_print_header
need_device
uninterrupted
if ! command -v gprof >/dev/null; then
	skip_all "no gprof: install binutils"
fi
ktap_set_plan 30
check "the C library alone: as many calls" c_library_alone
check "a position-independent program" plain pg
check "a program at fixed addresses" plain pg-no-pie
check "a program linked with the library" without_preload pg-linked
check "a static program" without_preload pg-static
check "a static program, position-independent" without_preload pg-static-pie
check "four threads" threads
check "SIGPROF blocked by the program" blocked
check "SIGPROF and ITIMER_PROF stay free" nothing_left
check "ITIMER_PROF set by the program" own_timer timer
check "ITIMER_PROF set before the profile begins" own_timer early-timer
check "moncontrol off and on" moncontrol pg
check "moncontrol in a static program" moncontrol pg-static
check "stopped and restarted by the program" again pg
check "stopped and restarted by a static program" again pg-static
check "a forked child has its own file" forks
check "files named by GMON_OUT_PREFIX" prefix
check "a program executes another" executes
check "the program starts its own profile" own_profile
check "another rate" rates
check "a rate that the kernel refuses: a timer" refused_rate
check "no device: a timer, and one line" no_device
check "another device: a timer, and one line" another_device
check "a tick that cannot be hooked: refused, with the remedy" no_hook
check "max_user_sessions reached: refused, with the reason" session_limit
check "no memory can be locked: samples are lost, and reported" memlock
check "a program that was not compiled with -pg" not_pg
check "the profil command and the C library sample a program at once" command_too pg 0.01
check "the profil command and the linked library sample a program at once" library_and_command
check "a program that exits at once" in_work env LD_PRELOAD="$library" \
	"$programs/pg" 0
ktap_finished
