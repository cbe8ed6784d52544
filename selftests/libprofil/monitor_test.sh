#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# monitor() of Solaris, OSF/1 and AIX: programs that call it in the style of these systems, and
# programs that are linked with -p. The contents of mon.out must match what the programs print.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

programs=$PWD/programs
dir=$work/dir
# The tick of most kernels: each tick gives one sample
RATE=250
unset PROFDIR

# run PROGRAM [ARG...]: runs it in an empty directory
run() {
	rm -rf "$dir"
	mkdir "$dir"
	run_here "$@"
}

run_here() {
	(cd "$dir" && PROFIL_RATE=$RATE exec "$programs/dialects/$1" "${@:2}") \
		>"$work/out" 2>"$work/err"
}

# read_file PROGRAM [FILE]: puts FILE (default: mon.out), as monread prints it, in $work/profile
read_file() {
	programs/monread "$dir/${2:-mon.out}" "programs/dialects/$1" >"$work/profile" 2>>"$work/err"
}

# prints LINE...: standard error has a line for each of these regular expressions, and no other
prints() {
	local line

	for line in "$@"; do
		grep -q "$line" "$work/err" || { echo "# not printed: $line"; return 1; }
	done
	[ "$(wc -l <"$work/err")" = $# ]
}

# The line that states how to read the file
rate_line="^libprofil: mon.out: sampled at $RATE Hz: "
rate_line+="read it with PROFIL_RATE=$RATE prof -m mon.out$"

# calls_match: the file has as many calls of each function as the program has printed. A function
# has at most one count, and functions in other objects have none.
calls_match() {
	awk '
		$1 != "calls" { next }
		FNR == NR { want[$2] = $3; next }
		$2 in have { print "# two counts for " $2; bad = 1 }
		{ have[$2] = $3 }
		END {
			for (name in want)
				if (have[name] != want[name]) {
					print "# " name ": " have[name] + 0 " calls, not " \
						want[name]
					bad = 1
				}
			if ("?" in have) {
				print "# a count outside all functions"
				bad = 1
			}
			exit bad
		}' "$work/out" "$work/profile"
}

# calls NAME N: the file has N calls of the function NAME
calls() {
	[ "$(awk -v name="$1" '$1 == "calls" && $2 == name { n += $3 } END { print n + 0 }' \
		"$work/profile")" = "$2" ] || { echo "# $1 was not called $2 times"; false; }
}

# samples_match [STRETCHES [last]]: the number of samples matches the CPU time that the program has
# printed (with "last", only its last line of seconds), and much() has three quarters of them. Each
# stretch of sampling is off by less than one tick. A kernel thread that takes the CPU breaks a
# stretch at a random phase, with a variance of 1/4 at most: allow four standard errors
# (expect_count.h). The share of much() is allowed four standard errors, too.
samples_match() {
	awk -v rate="$RATE" -v stretches="${1:-1}" -v last="$2" '
		$1 == "seconds" { s = last ? $2 : s + $2 }
		$1 == "breaks" { breaks = $2 }
		$1 == "samples" { n[$2] += $3 }
		$1 == "total" { total = $2 }
		END {
			allowed = stretches + 2 * sqrt(breaks)
			both = n["much"] + n["less"]
			share = both ? n["much"] / both : 0
			off = share > 0.75 ? share - 0.75 : 0.75 - share
			printf "# %d samples of %.2f, %.2f allowed; share %.3f of %d\n",
				total, rate * s, allowed, share, both
			exit !(both > 0 && both >= rate * s - allowed &&
				total <= rate * s + allowed &&
				off <= 4 * sqrt(0.75 * 0.25 / both))
		}' "$work/out" "$work/profile"
}

# calls_monitor PROGRAM: it calls monitor() itself. Of its 101 calls of much(), the first is before
# monitor().
calls_monitor() {
	run "$1" && prints "$rate_line" && read_file "$1" && samples_match &&
	calls much 100 && calls less 100 && calls work 1 && calls begin 0
}

# Two profiles in two buffers: the call counts of both, the samples of the second
second_call() {
	run solaris-monitor twice && prints "$rate_line" && read_file solaris-monitor &&
	samples_match 1 last && calls much 200 && calls work 2 && calls begin 1
}

# Two profiles in one buffer, which is not cleared: the samples of both, too
same_buffer() {
	run solaris-monitor again && prints "$rate_line" && read_file solaris-monitor &&
	samples_match 2 && calls much 200 && calls work 2 && calls begin 1 && calls end 1
}

no_room() {
	run solaris-monitor none &&
	prints "^libprofil: monitor: not profiling: .* (EINVAL): the buffer has no room" &&
	[ -z "$(ls -A "$dir")" ]
}

# linked_with_p PROGRAM: linked with -p
linked_with_p() {
	run "$1" && prints "$rate_line" && read_file "$1" && samples_match && calls_match
}

# marks PROGRAM: the marks of <prof.h> have the calls and samples of functions. Their copies have
# numbers. What precedes the first mark has no time that counts.
marks() {
	run "$1" && prints "$rate_line" && read_file "$1" &&
	sed -Ei 's/ MARK\.([a-z]+)(\.[0-9]+)? / \1 /' "$work/profile" && samples_match &&
	calls much 100 && calls less 100 && calls finish 100 &&
	calls one 50 && calls another 50
}

threads() {
	run "$1" threads && prints "$rate_line" && read_file "$1" && calls_match &&
	[ "$(awk '$1 == "signals" { print $2 }' "$work/out")" -gt 0 ]
}

range() {
	grep '^range' "$work/profile"
}

# has_link_addresses PROGRAM: the file has the addresses of the symbol table, also for a PIE, at
# each run
has_link_addresses() {
	local first second

	run "$1-pie" && read_file "$1-pie" && first=$(range) &&
	run "$1-pie" && read_file "$1-pie" && second=$(range) &&
	[ "${first% *}" = "range 0" ] && [ "$first" = "$second" ] &&
	samples_match && calls_match &&
	run "$1" && read_file "$1" && [[ $(range) = "range 400000 "* ]]
}

# counters_are_shifted PROGRAM LPC: AIX rounds up, so with 8 bytes per counter the second counter
# begins at byte 4, and the file begins at LPC. In a PIE, whose addresses begin at 0, the first
# counter is left out.
counters_are_shifted() {
	run "$1" && read_file "$1" && [[ $(range) = "range $2 "* ]] && samples_match
}

profdir() {
	local pid

	rm -rf "$dir"
	mkdir -p "$dir/else"
	PROFDIR=else run_here "$1" &&
	prints "^libprofil: else/[0-9]*.$1: sampled at" &&
	[ "$(ls -A "$dir")" = else ] &&
	pid=$(basename "$dir"/else/*."$1" ".$1") && [ "$pid" -gt 0 ] &&
	[ "$(ls -A "$dir/else")" = "$pid.$1" ] &&
	read_file "$1" "else/$pid.$1" && samples_match
}

# no_profile PROGRAM [ARG...]: with an empty PROFDIR, it writes no file and no message
no_profile() {
	PROFDIR='' run "$@" && [ ! -s "$work/err" ] && [ -z "$(ls -A "$dir")" ]
}

missing_profdir() {
	PROFDIR=nowhere run "$1"
	prints "nowhere/.*: profile not written: No such file or directory (ENOENT): .*PROFDIR" &&
	[ -z "$(ls -A "$dir")" ]
}

# With PROFDIR, parent and child write one file each. The child's includes the time before fork.
fork_writes_two() {
	local file child='' parent=''

	rm -rf "$dir"
	mkdir "$dir"
	PROFDIR=. run_here solaris-monitor fork || return
	for file in "$dir"/*.solaris-monitor; do
		read_file solaris-monitor "${file##*/}" || return
		if calls much 200 >"$work/calls"; then
			child=$file
		else
			parent=$file
		fi
	done
	[ -n "$child" ] && [ -n "$parent" ] &&
	read_file solaris-monitor "${child##*/}" && samples_match 2 &&
	# the last two lines are the child's
	read_file solaris-monitor "${parent##*/}" && calls much 100 &&
	sed -i '3,$d' "$work/out" && samples_match
}

# A symbolic link with the name of the file is replaced; its target does not change
link_is_replaced() {
	rm -rf "$dir"
	mkdir "$dir"
	echo precious >"$dir/victim"
	ln -s victim "$dir/mon.out"
	run_here solaris-p && [ "$(cat "$dir/victim")" = precious ] &&
	[ -f "$dir/mon.out" ] && [ ! -L "$dir/mon.out" ] &&
	[ "$(ls -A "$dir")" = $'mon.out\nvictim' ] && [ "$(stat -c %a "$dir/mon.out")" = 644 ]
}

# 100 Hz is what readers of mon.out assume, so there is no message
default_rate() {
	local RATE=100

	run solaris-p && [ ! -s "$work/err" ] && read_file solaris-p && calls_match && samples_match
}

# One counter for the whole program, which begins at 32700: sampling ends at 32767
full_counter() {
	run solaris-monitor full &&
	prints "$rate_line" "sampling ended early: a counter reached 32767" &&
	read_file solaris-monitor && grep -qx 'total 32767' "$work/profile"
}

moncontrol() {
	run "$1" &&
	prints "not profiling: Invalid argument (EINVAL): the range of addresses is empty" \
		"$rate_line" &&
	read_file "$1" && samples_match 2 && calls much 100 && calls unseen 0 && calls work 2
}

osf1_second_profile() {
	run osf1-monitor again && [ "$(grep -c "$rate_line" "$work/err")" = 2 ] &&
	read_file osf1-monitor && samples_match 1 last && calls much 100 && calls work 1 &&
	calls unseen 0
}

# aix_monitor PROGRAM MODE
aix_monitor() {
	run "$1" "$2" && grep -q "$rate_line" "$work/err" && read_file "$1" && samples_match &&
	calls much 100 && calls less 100 && calls work 1 && calls check 1
}

ktap_print_header
need_device
ktap_set_plan 40
for program in solaris-monitor solaris-monitor-pie; do
	check "$program: calls, samples and shares" calls_monitor $program
done
check "solaris: a second profile has the calls of both" second_call
check "solaris: a second profile adds to the same buffer" same_buffer
check "solaris: a buffer without room is refused" no_room
check "solaris: a full counter ends sampling" full_counter
for program in solaris-p solaris-p-pie solaris-p-fentry osf1-p osf1-p-pie aix-p aix-p-pie; do
	check "$program: calls, samples and shares" linked_with_p $program
	check "$program: calls of 20 threads and a signal handler" threads $program
done
check "solaris: marks divide a function" marks solaris-marks-O0
check "solaris: marks divide a function, optimized" marks solaris-marks-O2
check "the file has the addresses of the symbol table" has_link_addresses solaris-p
check "aix: counters follow AIX's rounding" counters_are_shifted aix-p 3ffffc
check "aix: counters follow AIX's rounding, in a PIE" counters_are_shifted aix-p-pie 4
check "aix: a PIE with its own buffer" aix_monitor aix-monitor-pie buffer
check "PROFDIR sets the directory" profdir solaris-p
check "an empty PROFDIR: no profile" no_profile solaris-p
check "an empty PROFDIR: monitor() has no effect" no_profile solaris-monitor
check "PROFDIR without such a directory is an error" missing_profdir solaris-p
check "fork: a file for each process" fork_writes_two
check "a symbolic link is replaced" link_is_replaced
check "100 Hz: no message about the rate" default_rate
for program in osf1-monitor osf1-monitor-pie; do
	check "$program: moncontrol() stops and continues" moncontrol $program
done
check "osf1: a second profile replaces the first" osf1_second_profile
for mode in buffer array program fragments; do
	check "aix: monitor() with $mode" aix_monitor aix-monitor $mode
done
ktap_finished
