#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What an administrator can observe of all profiles: the figures in /sys/class/misc/profil, and the
# module's tracepoints. Needs root, and no other profiled programs.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

figures=/sys/class/misc/profil
tracing=/sys/kernel/tracing
events=$tracing/events/profil
page=$(getconf PAGESIZE)

# A uid that no other test uses, without locked memory
user=1999970001

# --- figures -------------------------------------------------------------------

names=(sessions samples counted out_of_range lost pinned_bytes forks_followed fork_failures
	fault_ends)

figure() {
	cat "$figures/$1"
}

# is_figure NAME: whether it is one number and a newline, readable by root only, and not writable.
# If only one process is profiled, the sums reveal its own figures.
is_figure() {
	local file=$figures/$1

	[ "$(stat -c %a "$file")" = 400 ] &&
	[[ $(cat "$file") =~ ^[0-9]+$ ]] && [ "$(wc -l <"$file")" = 1 ] &&
	! as_user cat "$file" 2>/dev/null &&
	! { echo 0 >"$file"; } 2>/dev/null
}

as_user() {
	setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
}

# rises NAME BY COMMAND...: whether the figure rises at least BY; earlier sessions that end late may
# add to it
rises() {
	local name=$1 by=$2 before

	shift 2
	before=$(figure "$name")
	"$@" >"$work/out" 2>"$work/err" || return
	rose "$name" "$before" "$by"
}

# rose NAME BEFORE BY: whether the figure is at least BEFORE + BY
rose() {
	local now

	now=$(figure "$1")
	[ $((now - $2)) -ge "$3" ] ||
		{ echo "# $1 rose from $2 to $now, not by $3"; false; }
}

# stays NAME COMMAND...: whether the figure does not change
stays() {
	local name=$1 before

	shift
	before=$(figure "$name")
	"$@" >"$work/out" 2>"$work/err" || return
	equal "$name" "$(figure "$name")" "$before"
}

# equal NAME VALUE EXPECTED
equal() {
	[ "$2" = "$3" ] || { echo "# $1 is $2, not $3"; false; }
}

# becomes NAME VALUE: whether the figure soon has the value; sessions of a process that has exited
# may end later
becomes() {
	eventually is_now "$@" || equal "$1" "$(figure "$1")" "$2"
}

is_now() {
	[ "$(figure "$1")" = "$2" ]
}

sessions_and_pins() {
	local sessions bytes

	sessions=$(figure sessions) bytes=$(figure pinned_bytes)
	start_steps start=5 pinned wait stop wait start=3 wait || return
	equal sessions "$(figure sessions)" $((sessions + 1)) &&
	equal pinned_bytes "$(figure pinned_bytes)" $((bytes + 5 * page)) &&
	equal "pinned_bytes of the process" "$pinned" $((5 * page)) &&
	proceed && until_waiting &&
	equal sessions "$(figure sessions)" "$sessions" &&
	equal pinned_bytes "$(figure pinned_bytes)" "$bytes" &&
	proceed && until_waiting &&
	equal sessions "$(figure sessions)" $((sessions + 1)) &&
	equal pinned_bytes "$(figure pinned_bytes)" $((bytes + 3 * page)) &&
	finish_steps && becomes sessions "$sessions" && becomes pinned_bytes "$bytes"
}

# Pages that are not hit are not pinned.
pins_on_hit() {
	local bytes

	bytes=$(figure pinned_bytes)
	start_steps hit=100 burn pinned wait || return
	equal "pinned_bytes of the process" "$pinned" "$page" &&
	equal pinned_bytes "$(figure pinned_bytes)" $((bytes + page)) &&
	finish_steps && becomes pinned_bytes "$bytes"
}

# A program that runs for 0.1 s, with at least 100 ticks per second, has at least ten samples, less
# one for the phase.
samples_and_counted() {
	local counted

	counted=$(figure counted)
	rises samples 9 programs/steps start=1 burn stop && rose counted "$counted" 9
}

# samples = counted + out_of_range + lost, if none is pending
adds_up() {
	equal samples "$(figure samples)" \
		$(($(figure counted) + $(figure out_of_range) + $(figure lost)))
}

lost() {
	stays counted as_user prlimit --memlock=0 programs/steps hit=1 burn stop &&
	rises lost 9 as_user prlimit --memlock=0 programs/steps hit=1 burn stop
}

# max_user_sessions is 1, so the child of a profiled process is not profiled.
limited_fork() {
	local limit=/sys/module/profil/parameters/max_user_sessions before status

	before=$(<"$limit")
	echo 1 >"$limit"
	as_user programs/steps start=2 fork stop
	status=$?
	echo "$before" >"$limit"
	return $status
}

fault_ends() {
	rises fault_ends 1 programs/steps start=2 unmap stop &&
	stays fault_ends programs/steps start=2 burn fork stop
}

# --- tracepoints ---------------------------------------------------------------

tracepoints=(profil_start profil_stop profil_fork profil_fault profil_lost)

is_tracepoint() {
	[ -r "$events/$1/format" ] && grep -q "^name: $1\$" "$events/$1/format" &&
	grep -q '^print fmt: ' "$events/$1/format"
}

# enable_events 0|1: disables or enables all of the module's events, and clears the trace
enable_events() {
	echo "$1" >"$events/enable"
	echo 1 >"$tracing/tracing_on"
	: >"$tracing/trace"
}

# traced PATTERN: whether a line of the trace matches
traced() {
	grep -qE -- "$1" "$work/trace" || { echo "# no $1 in the trace"; false; }
}

# Each line begins with the name and ID of the process that the event is in.
trace_has_all_events() {
	local pid child

	enable_events 1
	start_steps start=3 burn fork unmap stop wait || return
	pid=$steps_pid
	finish_steps
	as_user prlimit --memlock=0 programs/steps hit=1 burn stop
	limited_fork >"$work/out"
	tee "$work/trace" <"$tracing/trace" >"$work/err"
	enable_events 0
	child=$(sed -n 's/^child //p' "$work/out")
	memory='regions=1 pages=3$'

	traced " steps-$pid +.* profil_start: tgid=$pid rate=[0-9]+ flags=(0|0x0) $memory" &&
	traced " steps-$pid +.* profil_fork: child=[0-9]+ error=0\$" &&
	traced " steps-$pid +.* profil_fault: tgid=$pid error=14\$" &&
	traced " steps-$pid +.* profil_stop: tgid=$pid state=4 samples=[1-9][0-9]* lost=0\$" &&
	traced " profil_start: tgid=[0-9]+ rate=[0-9]+ flags=0x4 regions=1 pages=1\$" &&
	traced " profil_lost: tgid=[0-9]+ samples=[1-9][0-9]* error=12\$" &&
	traced " profil_stop: tgid=[0-9]+ state=1 samples=[1-9][0-9]* lost=[1-9][0-9]*\$" &&
	traced " steps-[0-9]+ +.* profil_fork: child=$child error=-28\$" &&
	# the child of the first process has no start, but a stop
	child=$(sed -n "s/.* steps-$pid .* profil_fork: child=//p" "$work/trace") &&
	traced " profil_stop: tgid=${child% error*} state=1 samples=[1-9][0-9]* lost=0\$" &&
	# no other events
	equal starts "$(grep -c ' profil_start: ' "$work/trace")" 3 &&
	equal forks "$(grep -c ' profil_fork: ' "$work/trace")" 2 &&
	equal faults "$(grep -c ' profil_fault: ' "$work/trace")" 1 &&
	equal stops "$(grep -c ' profil_stop: ' "$work/trace")" 4
}

trace_is_empty() {
	enable_events 0
	programs/steps start=3 burn fork unmap stop >"$work/out" || return
	grep -v '^#' "$tracing/trace" >"$work/err"
	[ ! -s "$work/err" ]
}

# perf and trace-cmd enable events one by one.
trace_one() {
	enable_events 0
	echo 1 >"$events/profil_fork/enable"
	programs/steps start=3 burn fork unmap stop >"$work/out"
	echo 0 >"$events/profil_fork/enable"
	grep -v '^#' "$tracing/trace" >"$work/err"
	equal lines "$(wc -l <"$work/err")" 1 && grep -q profil_fork "$work/err"
}

ktap_print_header
need_root_and_device
mountpoint -q "$tracing" || mount -t tracefs none "$tracing"

ktap_set_plan $((${#names[@]} + 8 + ${#tracepoints[@]} + 3))
for name in "${names[@]}"; do
	check "$name: one number, readable by root only" is_figure "$name"
done
check "sessions and pinned_bytes follow a process" sessions_and_pins
check "pinned_bytes includes pages pinned on their first hit" pins_on_hit
check "samples and counted rise" samples_and_counted
check "samples above RLIMIT_MEMLOCK are lost, not counted" lost
check "samples is the sum of counted, out_of_range and lost" adds_up
check "forks_followed rises" rises forks_followed 1 programs/steps start=1 fork stop
check "fork_failures rises" rises fork_failures 1 limited_fork
check "fault_ends rises only if counters are unmapped" fault_ends
for name in "${tracepoints[@]}"; do
	check "$name has a format" is_tracepoint "$name"
done
check "each event has the right process and fields" trace_has_all_events
check "one event can be enabled alone" trace_one
check "disabled events are not traced" trace_is_empty
ktap_finished
