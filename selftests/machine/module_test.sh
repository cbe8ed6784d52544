#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Loading and unloading, and what an idle module costs: nothing. Needs root.
# PROFIL_MODULE names the profil.ko that is loaded, if modprobe cannot know.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

CYCLES=${CYCLES:-10}
ftrace=/proc/sys/kernel/ftrace_enabled
tracing=/sys/kernel/tracing
functions=$tracing/enabled_functions

attached() {
	grep -q '^update_process_times ' "$functions"
}

# (the hook goes a while after the last session)
detached() {
	! attached
}

# begin_session [ARG]: start programs/session in the background; it lives until end_session.
begin_session() {
	coproc SESSION { programs/session "$@"; }
	session_pid=$SESSION_PID
	read -r line <&"${SESSION[0]}" && [ "$line" = running ]
}

end_session() {
	end_input "$session_pid" "${SESSION[1]}"
}

# A second after the last session, which is half a second after the one before.
stays_a_while() {
	start_steps start=1 stop wait start=1 wait stop wait || return
	sleep 0.5
	proceed && until_waiting && proceed && until_waiting || return
	sleep 0.7
	if ! stays_enabled; then
		echo 1 >"$ftrace"
		finish_steps
		return 1
	fi
	finish_steps
}

rmmod_is_busy() {
	local words

	words=$(rmmod profil 2>&1) && return 1
	[[ $words == *"in use"* ]] && [ -c /dev/profil ]
}

# The clock cannot be taken away from a session unseen ...
stays_enabled() {
	echo 0 2>/dev/null >"$ftrace" && return 1
	[ "$(cat "$ftrace")" = 1 ]
}

# ... nor can a session begin where it is off.
refused_without() {
	local status=0

	echo 0 >"$ftrace" || return 1
	programs/session </dev/null 2>"$work/err" || status=$?
	echo 1 >"$ftrace"
	[ "$status" = 1 ] && grep -q 'start: Operation not supported' "$work/err"
}

# As many samples as without: others look at the tick too, and at each function of ours
beside_tracers() {
	local status

	echo update_process_times >"$tracing/set_ftrace_filter" &&
	echo ':mod:profil' >>"$tracing/set_ftrace_filter" &&
	echo function >"$tracing/current_tracer" || return
	# where the kernel has them
	echo 'p:profil_test update_process_times' 2>/dev/null >>"$tracing/kprobe_events" &&
		echo 1 >"$tracing/events/kprobes/profil_test/enable"
	../tools/profil -r 250 -o "$work/result" -t "$work/profile" programs/spin 0.5 2>"$work/err"
	status=$?
	[ ! -e "$tracing/events/kprobes/profil_test" ] || {
		echo 0 >"$tracing/events/kprobes/profil_test/enable"
		echo '-:profil_test' >>"$tracing/kprobe_events"
	}
	echo nop >"$tracing/current_tracer"
	echo >"$tracing/set_ftrace_filter"
	[ "$status" = 0 ] && ! grep 'have no samples' "$work/profile"
}

cycle() {
	load && begin_session && end_session && rmmod profil
}

# What a module does only once is before the profile, and no part of it that has no samples.
first_profile() {
	local status

	load && ../tools/profil -r 250 -o "$work/result" -t "$work/profile" programs/spin 0.5 \
		2>"$work/err"
	status=$?
	# in any case: what comes next loads it
	rmmod profil && [ "$status" = 0 ] && ! grep 'have no samples' "$work/profile"
}

# A process whose profile is over, but that goes on with the memory, keeps nothing.
beside_changes() {
	local i

	for i in $(seq $((CYCLES / 5 + 1))); do
		load && begin_session and-change && rmmod profil && end_session ||
			return
	done
}

cycles() {
	local i

	for i in $(seq "$CYCLES"); do
		if ! cycle; then
			ktap_print_msg "cycle $i of $CYCLES failed"
			return 1
		fi
	done
}

ktap_print_header
need_module
[ -e "$functions" ] || mount -t tracefs none "$tracing"

ktap_set_plan 14
check "an idle module has no hook in the tick" eventually detached
check "a session can be held" begin_session
check "a session has one hook in the tick" attached
check "kernel.ftrace_enabled stays 1 during a session" stays_enabled
check "rmmod during a session: busy" rmmod_is_busy
end_session
check "after the session, the hook goes" eventually detached
check "it stays for a while, after the last of several" stays_a_while
check "and then it goes" eventually detached
check "no session where kernel.ftrace_enabled is 0" refused_without
begin_session && end_session
check "rmmod at once after a session" rmmod profil
load
# (another architecture's machine has none)
check_if ../tools/profil "beside the function tracer and a kprobe" beside_tracers
rmmod profil
check_if ../tools/profil "the first profile of all has samples for all its CPU time" \
	first_profile
check "rmmod beside changes of what were counters" beside_changes
check "$CYCLES cycles of load, session, unload" cycles
load
ktap_finished
