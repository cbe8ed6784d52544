#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# monitor() of Solaris, OSF/1 and AIX: programs as they were written for it, and such as are
# linked with -p. What is in mon.out is compared with what the programs print.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

programs=$PWD/programs
dir=$work/dir
# The scheduler's tick of most kernels: each sample is one
RATE=250
unset PROFDIR

# run PROGRAM [ARG...]: in an empty directory
run() {
	rm -rf "$dir"
	mkdir "$dir"
	run_here "$@"
}

run_here() {
	(cd "$dir" && PROFIL_RATE=$RATE exec "$programs/dialects/$1" "${@:2}") \
		>"$work/out" 2>"$work/err"
}

# read_file PROGRAM [FILE]: what monread prints of it, in $work/profile
read_file() {
	programs/monread "$dir/${2:-mon.out}" "programs/dialects/$1" >"$work/profile" 2>>"$work/err"
}

# says LINE...: that is all on stderr, and each is a regular expression
says() {
	local line

	for line in "$@"; do
		grep -q "$line" "$work/err" || { echo "# not said: $line"; return 1; }
	done
	[ "$(wc -l <"$work/err")" = $# ]
}

# How it is to be read
rate_line="^libprofil: mon.out: sampled at $RATE Hz: read it with profil report --rate $RATE mon.out$"

# Of each function the calls that the program has printed. A function has one count, and those
# in other objects have none.
counts() {
	awk '
		$1 != "calls" { next }
		FNR == NR { want[$2] = $3; next }
		$2 in have { print "# two counts of " $2; bad = 1 }
		{ have[$2] = $3 }
		END {
			for (name in want)
				if (have[name] != want[name]) {
					print "# " name ": " have[name] + 0 " calls, not " want[name]
					bad = 1
				}
			if ("?" in have) {
				print "# a call of no function"
				bad = 1
			}
			exit bad
		}' "$work/out" "$work/profile"
}

# calls NAME N
calls() {
	[ "$(awk -v name="$1" '$1 == "calls" && $2 == name { n += $3 } END { print n + 0 }' \
		"$work/profile")" = "$2" ] || { echo "# $1 was not called $2 times"; false; }
}

# samples [STRETCHES [last]]: as many as the seconds of CPU time have (or the last seconds that
# the program has printed), of which much() has three quarters. Each stretch of sampling is
# off by less than one tick. Where a thread of the kernel takes the CPU meanwhile is a break at
# a random phase, with a variance of 1/4 at most: four standard errors (expect_count.h). So
# is the share.
samples() {
	awk -v rate="$RATE" -v stretches="${1:-1}" -v last="$2" '
		$1 == "seconds" { s = last ? $2 : s + $2 }
		$1 == "breaks" { breaks = $2 }
		$1 == "samples" { n[$2] = $3 }
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

# own PROGRAM: with monitor() in it. 101 calls of much(), the first before monitor()
own() {
	run "$1" && says "$rate_line" && read_file "$1" && samples &&
	calls much 100 && calls less 100 && calls work 1 && calls begin 0
}

# The call counts are of both times, the samples of the second
twice() {
	run solaris-monitor twice && says "$rate_line" && read_file solaris-monitor &&
	samples 1 last && calls much 200 && calls work 2 && calls begin 1
}

# The same in the same buffer, which is not cleared: the samples of both, too
again() {
	run solaris-monitor again && says "$rate_line" && read_file solaris-monitor &&
	samples 2 && calls much 200 && calls work 2 && calls begin 1 && calls end 1
}

none() {
	run solaris-monitor none &&
	says "^libprofil: monitor: not profiling: Invalid argument (EINVAL): the buffer has no room" &&
	[ -z "$(ls -A "$dir")" ]
}

# linked PROGRAM: with -p
linked() {
	run "$1" && says "$rate_line" && read_file "$1" && samples && counts
}

threads() {
	run "$1" threads && says "$rate_line" && read_file "$1" && counts &&
	[ "$(awk '$1 == "signals" { print $2 }' "$work/out")" -gt 0 ]
}

range() {
	grep '^range' "$work/profile"
}

# same_addresses PROGRAM: the range in the file is that of the linker, also in a PIE, each time
same_addresses() {
	local first second

	run "$1-pie" && read_file "$1-pie" && first=$(range) &&
	run "$1-pie" && read_file "$1-pie" && second=$(range) &&
	[ "${first% *}" = "range 0" ] && [ "$first" = "$second" ] && samples && counts &&
	run "$1" && read_file "$1" && [[ $(range) = "range 400000 "* ]]
}

# half_a_counter PROGRAM LPC: the second of the counters for 8 bytes begins at the 4th, as AIX
# rounds. Of a PIE, whose addresses begin at 0, the first counter is left out.
half_a_counter() {
	run "$1" && read_file "$1" && [[ $(range) = "range $2 "* ]] && samples
}

profdir() {
	local pid

	rm -rf "$dir"
	mkdir -p "$dir/else"
	PROFDIR=else run_here "$1" &&
	says "^libprofil: else/[0-9]*.$1: sampled at" &&
	[ "$(ls -A "$dir")" = else ] &&
	pid=$(basename "$dir"/else/*."$1" ".$1") && [ "$pid" -gt 0 ] &&
	[ "$(ls -A "$dir/else")" = "$pid.$1" ] &&
	read_file "$1" "else/$pid.$1" && samples
}

# no_profile PROGRAM [ARG...]: of an empty PROFDIR
no_profile() {
	PROFDIR='' run "$@" && [ ! -s "$work/err" ] && [ -z "$(ls -A "$dir")" ]
}

no_directory() {
	PROFDIR=nowhere run "$1"
	says "nowhere/.*: profile not written: No such file or directory (ENOENT): .*PROFDIR" &&
	[ -z "$(ls -A "$dir")" ]
}

# Parent and child: with a directory a file each. The child's has what came before the fork.
forks() {
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
	read_file solaris-monitor "${child##*/}" && samples 2 &&
	# what the child has printed are the last two lines
	read_file solaris-monitor "${parent##*/}" && calls much 100 &&
	sed -i '3,$d' "$work/out" && samples
}

# A link in the file's place is replaced, and what it leads to stays
link() {
	rm -rf "$dir"
	mkdir "$dir"
	echo precious >"$dir/victim"
	ln -s victim "$dir/mon.out"
	run_here solaris-p && [ "$(cat "$dir/victim")" = precious ] &&
	[ -f "$dir/mon.out" ] && [ ! -L "$dir/mon.out" ] &&
	[ "$(ls -A "$dir")" = $'mon.out\nvictim' ] && [ "$(stat -c %a "$dir/mon.out")" = 644 ]
}

# Nothing is to be said of it
default_rate() {
	local RATE=100

	run solaris-p && [ ! -s "$work/err" ] && read_file solaris-p && counts && samples
}

# One counter for all the program, which had 32700: it stays at 32767
full() {
	run solaris-monitor full &&
	says "$rate_line" "sampling ended early: a counter reached 32767" &&
	read_file solaris-monitor && grep -qx 'total 32767' "$work/profile"
}

osf1() {
	run "$1" &&
	says "not profiling: Invalid argument (EINVAL): the range of addresses is empty" \
		"$rate_line" &&
	read_file "$1" && samples 2 && calls much 100 && calls unseen 0 && calls work 2
}

osf1_again() {
	run osf1-monitor again && [ "$(grep -c "$rate_line" "$work/err")" = 2 ] &&
	read_file osf1-monitor && samples 1 last && calls much 100 && calls work 1 &&
	calls unseen 0
}

# aix PROGRAM MODE
aix() {
	run "$1" "$2" && grep -q "$rate_line" "$work/err" && read_file "$1" && samples &&
	calls much 100 && calls less 100 && calls work 1 && calls check 1
}

ktap_print_header
need_device
ktap_set_plan 38
for program in solaris-monitor solaris-monitor-pie; do
	check "$program: counts, samples and shares" own $program
done
check "solaris: a second call" twice
check "solaris: the same buffer again" again
check "solaris: a buffer without room" none
check "solaris: a full counter" full
for program in solaris-p solaris-p-pie solaris-p-fentry osf1-p osf1-p-pie aix-p aix-p-pie; do
	check "$program: counts, samples and shares" linked $program
	check "$program: 20 threads and a signal handler" threads $program
done
check "the linker's addresses" same_addresses solaris-p
check "aix: what a counter stands for" half_a_counter aix-p 3ffffc
check "aix: what a counter stands for, in a PIE" half_a_counter aix-p-pie 4
check "aix: a PIE in a buffer of its own" aix aix-monitor-pie buffer
check "PROFDIR: a directory" profdir solaris-p
check "PROFDIR: empty" no_profile solaris-p
check "PROFDIR: empty, and monitor() called" no_profile solaris-monitor
check "PROFDIR: no directory" no_directory solaris-p
check "a fork" forks
check "a link in the file's place" link
check "100 Hz" default_rate
for program in osf1-monitor osf1-monitor-pie; do
	check "$program: moncontrol()" osf1 $program
done
check "osf1: a second profile" osf1_again
for mode in buffer array program fragments; do
	check "aix: $mode" aix aix-monitor $mode
done
ktap_finished
