#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Loading and unloading the module, its hook in the tick, which an idle module does not have, and
# kernel.ftrace_enabled. Needs root. PROFIL_MODULE: path of profil.ko, if modprobe does not find it.
# CYCLES: how often the module is loaded and unloaded.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

CYCLES=${CYCLES:-10}
ftrace=/proc/sys/kernel/ftrace_enabled
tracing=/sys/kernel/tracing
functions=$tracing/enabled_functions
most=/sys/module/profil/parameters/max_hook_seconds

# is_attached: whether the module's hook is in the tick
is_attached() {
	grep -q '^update_process_times ' "$functions"
}

is_detached() {
	! is_attached
}

# begin_session [ARG]: starts programs/session in the background; it runs until end_session
begin_session() {
	coproc SESSION { programs/session "$@"; }
	session_pid=$SESSION_PID
	read -r line <&"${SESSION[0]}" && [ "$line" = running ]
}

end_session() {
	end_input "$session_pid" "${SESSION[1]}"
}

# With a maximum of a second, the hook is removed one second after the last session. There are two,
# half a second apart: 0.7 s after the second, and so 1.2 s after the first, the hook is still
# there.
stays_after_last_session() {
	echo 1 >"$most" || return
	start_steps start=1 stop wait start=1 wait stop wait || return
	sleep 0.5
	proceed && until_waiting && proceed && until_waiting || return
	sleep 0.7
	if ! ftrace_stays_enabled; then
		echo 1 >"$ftrace"
		finish_steps
		return 1
	fi
	finish_steps
}

# stays_for LEAST MOST: a session attaches the hook, which is removed so many seconds after it. A
# debug kernel needs another second to show it.
stays_for() {
	local end

	begin_session && end_session || return
	end=$EPOCHREALTIME
	until is_detached; do
		sleep 0.1
	done
	between "$1" "$(awk -v a="$end" -v b="$EPOCHREALTIME" 'BEGIN { print b - a + 0.2 }')" "$2"
}

# After the test with a maximum of a second
stays_longer() {
	echo 256 >"$most" && stays_for 2 3.9 && stays_for 4 7.9
}

# The hook would stay for 8 s, but for the maximum, which changes after a second.
leaves_at_lower_maximum() {
	echo 256 >"$most" && begin_session && end_session && sleep 1.5 && is_attached &&
		echo 1 >"$most" && sleep 0.5 && is_detached
}

# With a maximum of 4 s, a hook that stayed for as long stays half as long after 4 s.
forgets() {
	echo 4 >"$most" && stays_for 4 7.9 && sleep 12 && stays_for 1 3.9
}

rmmod_is_busy() {
	local message

	message=$(rmmod profil 2>&1) && return 1
	[[ $message == *"in use"* ]] && [ -c /dev/profil ]
}

# While the hook is there, ftrace cannot be disabled, which would stop the samples.
ftrace_stays_enabled() {
	echo 0 2>/dev/null >"$ftrace" && return 1
	[ "$(cat "$ftrace")" = 1 ]
}

# Linux 7.3 does not disable ftrace, even if nothing uses it.
ftrace_is_permanent() {
	! { echo 0 >"$ftrace"; } 2>"$work/err" && grep -q 'Operation not supported' "$work/err"
}

start_needs_ftrace() {
	local status=0

	echo 0 >"$ftrace" || return 1
	programs/session </dev/null 2>"$work/err" || status=$?
	# not built for other architectures
	[ ! -e ../tools/profil ] ||
		../tools/profil -o "$work/result" programs/spin 0.1 2>>"$work/err"
	echo 1 >"$ftrace"
	[ "$status" = 1 ] && grep -q 'start: Operation not supported' "$work/err" || return
	[ ! -e ../tools/profil ] ||
		grep -q 'attach.*EOPNOTSUPP.*kernel.ftrace_enabled=1' "$work/err"
}

# No sample is lost if the function tracer and a kprobe trace the tick, and the tracer all functions
# of the module.
beside_tracers() {
	local status

	echo update_process_times >"$tracing/set_ftrace_filter" &&
	echo ':mod:profil' >>"$tracing/set_ftrace_filter" &&
	echo function >"$tracing/current_tracer" || return
	# if the kernel has kprobe events
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
	load && begin_session "$@" && end_session && rmmod profil
}

# The module does its one-time work before the profile starts, so no CPU time is without samples.
first_profile() {
	local status

	load && ../tools/profil -r 250 -o "$work/result" -t "$work/profile" programs/spin 0.5 \
		2>"$work/err"
	status=$?
	# in any case, as the next check loads it
	rmmod profil && [ "$status" = 0 ] && ! grep 'have no samples' "$work/profile"
}

# The first START does not look for functions in all of the kernel: 120 million instructions.
first_session_is_cheap() {
	local used TIMEFORMAT='%3U %3S'

	load && used=$({ time programs/session </dev/null >/dev/null; } 2>&1)
	rmmod profil || return
	echo "# user and system time: $used"
	awk '{ exit $1 + $2 > 0.3 }' <<<"$used"
}

# Whoever loads the module may see anything at /proc: here, another file system.
attaches_without_proc() {
	local status

	unshare --mount sh -c 'mount -t tmpfs none /proc &&
		if [ -n "$PROFIL_MODULE" ]; then
			insmod "$PROFIL_MODULE"
		else
			modprobe profil
		fi' \
		2>"$work/err" || return
	../tools/profil -o "$work/result" -t "$work/profile" programs/spin 0.1 2>"$work/err"
	status=$?
	rmmod profil && [ "$status" = 0 ]
}

# A process that changes the counters' memory after its profile has ended holds no reference.
beside_memory_changes() {
	local i

	for i in $(seq $((CYCLES / 5 + 1))); do
		load && begin_session and-change && rmmod profil && end_session ||
			return
	done
}

all_cycles() {
	local i

	for i in $(seq "$CYCLES"); do
		# the worker of the second may not have returned yet
		if ! cycle || ! cycle on-hit; then
			ktap_print_msg "cycle $i of $CYCLES failed"
			return 1
		fi
	done
}

ktap_print_header
need_module
[ -e "$functions" ] || mount -t tracefs none "$tracing"

ktap_set_plan 19
check "an idle module has no hook in the tick" eventually is_detached
check "a session can start" begin_session
check "a session has a hook in the tick" is_attached
check "kernel.ftrace_enabled stays 1 during a session" ftrace_stays_enabled
check "rmmod during a session: busy" rmmod_is_busy
end_session
check "the hook is removed after a session" eventually is_detached
check "the hook stays for a second after the last session" stays_after_last_session
check "the hook is removed after that" eventually is_detached
check "a hook that is attached anew stays twice as long" stays_longer
check "a lower maximum removes an unused hook" leaves_at_lower_maximum
check "after a while, a hook stays for a second again" forgets
name="no session starts while kernel.ftrace_enabled is 0"
if ftrace_is_permanent; then
	ktap_test_skip "$name: this kernel does not disable ftrace"
else
	check "$name" start_needs_ftrace
fi
begin_session && end_session
check "rmmod at once after a session" rmmod profil
load
# the command is not built for other architectures
check_if ../tools/profil "no sample is lost beside the function tracer and a kprobe" beside_tracers
rmmod profil
check_if ../tools/profil "the first profile after loading has samples for all its CPU time" \
	first_profile
check_if ../tools/profil "a module that was loaded without /proc attaches" attaches_without_proc
check "the first session after loading takes little CPU time" first_session_is_cheap
check "rmmod while memory that had counters changes" beside_memory_changes
check "$CYCLES cycles of load, session, unload" all_cycles
load
ktap_finished
