#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs `profil -p PID` on processes that run already: what it counts, how it ends, what the
# processes may do meanwhile, and what is refused. PROFIL: path of the command (default: the
# tree's).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh
# shellcheck source=../lib/attached.sh
. lib/attached.sh

# attach PIDS OPTION...: starts profil in the background, and waits until it has attached to these
# processes, which are separated by commas
attach() {
	local pids=$1

	shift
	rm -f "$work"/result* "$work/profile"
	"$PROFIL" -c tick -o "$work/result" -t "$work/profile" -p "$pids" "$@" </dev/null \
		>"$work/out" 2>"$work/err" &
	profil=$!
	attached "$(tr , '\n' <<<"$pids" | wc -l)"
}

# --- what is counted -----------------------------------------------------------------

# The profile ends when the process ends. The process keeps its exit status.
until_exit() {
	start programs/spin read 0.4 exit 7 && attach "$target" && release &&
	ended "$target" 7 && finished && spun 1 0.4 &&
	grep -q 'programs/spin read 0.4 exit 7$' "$work/profile" &&
	[ "$(rows --by process | grep -c '/spin ')" = 1 ]
}

several() {
	local first

	start programs/spin read 0.3
	first=$target
	start programs/spin read 0.5
	attach "$first,$target" && release && release && ended "$first" 0 &&
	ended "$target" 0 && finished && spun 2 0.8 &&
	[ "$(rows --by process | grep -c '/spin ')" = 2 ]
}

# as pidof(1) prints them
words() {
	local first

	start programs/spin read 0.1
	first=$target
	start programs/spin read 0.1
	rm -f "$work/result"
	"$PROFIL" -c tick -o "$work/result" -t "$work/profile" -p "$first" "$target" 2>"$work/err" &
	profil=$!
	attached 2 && release && release && ended "$first" 0 &&
	ended "$target" 0 && finished && spun 2 0.2
}

# to_a_pipe: the result goes to a pipe
to_a_pipe() {
	start programs/spin read 0.3
	rm -f "$work/result"
	{ "$PROFIL" -c tick -o - --no-table -p "$target" 2>"$work/err" | cat >"$work/result"; } &
	profil=$!
	attached 1 && release && ended "$target" 0 && finished && spun 1 0.3 &&
	[ ! -s "$work/err" ]
}

# On a terminal, profil says what it profiles, and how to end that.
announced() {
	local inner

	start programs/spin 1000
	script -qec "'$PROFIL' -o '$work/result' -t '$work/profile' -p $target --duration 0.5" \
		"$work/terminal" >"$work/out" </dev/null
	inner=$?
	kill_target && [ $inner = 0 ] &&
	grep -q "profiling $target (spin) for 0.5 s; ^C ends it" "$work/terminal"
}

# -p may be given more than once.
twice_the_option() {
	local first

	start programs/spin read 0.1
	first=$target
	start programs/spin read 0.1
	rm -f "$work/result"
	"$PROFIL" -c tick -o "$work/result" -t "$work/profile" -p "$first" -p "$target" 2>"$work/err" &
	profil=$!
	attached 2 && release && release && ended "$first" 0 &&
	ended "$target" 0 && finished && spun 2 0.2
}

# Children that it forks later, and the programs that these execute
children() {
	start sh -c 'read -r _; programs/spin 0.2; programs/forks 1 0.2' && attach "$target" &&
	echo >&"$go" && ended "$target" 0 && finished && spun 1 0.2 &&
	between 19 "$(rows | awk '$7 == "spin_child" { print $3 }')" 23 &&
	[ "$(rows --by process | grep -c '/forks  ')" = 1 ] &&
	[ "$(rows --by process | grep -c '/forks (fork)')" = 1 ]
}

# attach_family SESSIONS OPTION...: attaches to a shell whose two children wait
attach_family() {
	# what is started with & has /dev/null as its standard input
	start sh -c 'exec 3<&0; programs/spin read 0.3 <&3 & programs/spin read 0.5 <&3 & wait'
	wait_while "$target" has_children "$target" 2 || return
	rm -f "$work/result"
	"$PROFIL" -c tick -o "$work/result" -t "$work/profile" -p "$target" "${@:2}" </dev/null \
		>"$work/out" 2>"$work/err" &
	profil=$!
	attached "$1"
}

# has_children PID NUMBER
has_children() {
	[ "$(pgrep -P "$1" spin | wc -l)" = "$2" ]
}

family() {
	attach_family 3 --children && release && release && ended "$target" 0 && finished &&
	spun 2 0.8 && [ ! -s "$work/err" ]
}

not_the_family() {
	attach_family 1 && release && release && ended "$target" 0 && finished &&
	grep -q ': 2 child processes run already, not profiled: --children does it$' "$work/err" &&
	! rows | grep spin_much
}

# The others still run, and their memory is that of the process.
first_thread_ended() {
	start python3 -c 'import ctypes, sys, threading, time
def work():
	sys.stdin.read(1)
	begin = time.thread_time()
	while time.thread_time() < begin + 0.3: pass
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall(60, 0)'
	wait_while "$target" grep -q '^State:.*zombie' "/proc/$target/status" && attach "$target" &&
	release && ended "$target" 0 && finished && between 29 "$(all_samples)" 34 &&
	! rows | grep -F '(outside all objects)' && rows --by process | grep -q '/python3'
}

executes() {
	start sh -c 'read -r _; exec programs/spin 0.4' && attach "$target" && echo >&"$go" &&
	ended "$target" 0 && finished && spun 1 0.4
}

not_followed() {
	start sh -c 'read -r _; exec programs/spin 0.2' && attach "$target" --no-follow &&
	echo >&"$go" && ended "$target" 0 && finished && ! rows | grep spin_much
}

# All samples up to the kill are there.
killed() {
	start programs/spin read 0.4 kill && attach "$target" && release &&
	ended "$target" 137 2>/dev/null && finished && spun 1 0.4
}

# --- how it ends ---------------------------------------------------------------------

duration() {
	start programs/spin 1000 && lasts -p "$target"
}

# The command continues after the profile, and keeps its exit status. What it does then has no
# samples.
command_continues() {
	rm -f "$work/result"
	# shellcheck disable=SC2016 # for the profiled shell
	"$PROFIL" -o "$work/result" -t "$work/profile" --duration 0.3 sh -c '
		while read -r nr <"$0" && [ "$nr" != 0 ]; do programs/spin 0.1; done
		programs/forks 1 0.2; exit 9' $sessions 2>"$work/err"
	[ $? = 9 ] && rows | grep -q spin_much && ! rows | grep spin_child && eventually sessions_are 0
}

# interrupted SIGNAL: it ends the profile, which is complete, and the target lives on
interrupted() {
	start programs/spin 1000 && attach "$target" && wait_while "$profil" snapshot_has 1 &&
	kill -"$1" "$profil" && finished && [ "$(all_samples)" -gt 0 ] &&
	grep -q spin_much "$work/profile" && kill_target
}

snapshots() {
	local before

	start programs/spin 1000
	attach "$target" && wait_while "$profil" snapshot_has 1 && before=$(all_samples) &&
	wait_while "$profil" snapshot_has $((before + 1)) && [ ! -s "$work/profile" ] &&
	kill_target && finished && [ -s "$work/profile" ] && [ "$(all_samples)" -gt "$before" ]
}

# has_more SAMPLES: whether the result has more
has_more() {
	[ -s "$work/result" ] && [ "$(all_samples)" -gt "$1" ]
}

# The last snapshot is a complete result. The kernel keeps nothing, and the target does not notice.
killed_profil() {
	local before

	start programs/spin 1000
	attach "$target" --interval 0.2 && wait_while "$profil" has_more 0 && before=$(all_samples) &&
	wait_while "$profil" has_more "$before" && kill -KILL "$profil" &&
	ended "$profil" 137 2>/dev/null && eventually sessions_are 0 &&
	[ "$(all_samples)" -gt "$before" ] && rows | grep -q spin_much && kill_target
}

# The result is written once per minute, so that no more is lost.
killed_after_a_minute() {
	local began

	# shellcheck disable=SC2016 # for the target
	start sh -c 'read -r _; programs/spin 0.3; exec sleep 1000'
	began=$(date +%s)
	attach "$target" && echo >&"$go" && sleep 60 && wait_while "$profil" test -e "$work/result" &&
	[ "$(stat -c %Y "$work/result")" -ge $((began + 60)) ] &&
	kill -KILL "$profil" && ended "$profil" 137 2>/dev/null && eventually sessions_are 0 &&
	rows | grep -q spin_much && kill "$target" && ended "$target" 143 2>/dev/null
}

# The disk is full. Of the snapshots, only the first is reported; the other message is that of the
# end. In half a second there are others.
unwritten() {
	mkdir "$work/full" && mount -t tmpfs -o size=4k tmpfs "$work/full" &&
	head -c 4096 /dev/zero >"$work/full/file" && start programs/spin 1000 || return
	attach "$target" --interval 0.1 -o "$work/full/result" &&
	wait_while "$profil" grep -q ENOSPC "$work/err" && sleep 0.5 && kill -INT "$profil" &&
	ended "$profil" 125 && kill_target && umount "$work/full" &&
	[ "$(grep -c '(ENOSPC)' "$work/err")" = 2 ] && grep -q spin_much "$work/profile"
}

# --- what the process may do ---------------------------------------------------------

# A stopped process uses no CPU time, so it has no samples. Two results of it are equal, except for
# their times.
stopped() {
	local before

	start programs/spin 1000
	attach "$target" && wait_while "$profil" snapshot_has 1 && kill -STOP "$target" &&
	wait_for grep -q '^State:.*stopped' "/proc/$target/status" && snapshot &&
	before=$(all_samples) && sleep 0.3 && snapshot && [ "$(all_samples)" = "$before" ] &&
	kill -CONT "$target" && wait_while "$profil" snapshot_has $((before + 1)) &&
	kill_target && finished
}

# strace traces the target before and after profil attaches to it. A system call of a traced process
# takes CPU time, so the samples of both functions and of the system call are counted.
traced() {
	start strace -o "$work/strace" programs/spin read 0.4 exit 5
	wait_while "$target" pgrep -P "$target" spin >"$work/pid" && attach "$(<"$work/pid")" && release &&
	ended "$target" 5 && finished && between 39 "$(all_samples)" 44 &&
	grep -q '^+++ exited with 5 +++$' "$work/strace"
}

# gdb runs the program, stops it at a breakpoint and continues.
debugged() {
	"$PROFIL" -c tick -o "$work/result" -t "$work/profile" gdb -batch -ex 'break spin_less' -ex run \
		-ex continue --args programs/spin 0.4 >"$work/out" 2>"$work/err" </dev/null &&
	grep -q '^Breakpoint 1, ' "$work/out" && grep -q 'exited normally' "$work/out" &&
	spun 1 0.4 && eventually sessions_are 0
}

# gdb_attaches: gdb attaches to the profiled process, and detaches
gdb_attaches() {
	start programs/spin read 0.4 && attach "$target" &&
	gdb -batch -p "$target" -ex 'info registers' >"$work/gdb" 2>&1 </dev/null && release &&
	ended "$target" 0 && finished && spun 1 0.4
}

# The program has its own profile of 0.3 s, which has the usual number of samples, and the log has
# them too. One more or less for the phase; a round of its loop takes less than 10 ms.
itself() {
	local nr by

	LD_PRELOAD=../lib/libprofil.so "$PROFIL" -c tick -o "$work/result" -t "$work/profile" \
		programs/old profil >"$work/out" 2>"$work/err" && read -r nr by <"$work/out" &&
	[ "$by" = kernel ] && between 28 "$nr" 31 &&
	between 29 "$(rows --by object | awk '$6 ~ /\/old$/ { print $3 }')" 32 &&
	eventually sessions_are 0
}

# --- what is refused -----------------------------------------------------------------

no_process() {
	refused 'no process 4194304 .*ESRCH' -p 4194304
}

# If one process is refused, the others are not profiled.
one_of_two() {
	start programs/spin read 0.1
	refused 'no process 4194304 .*ESRCH' -p "$target,4194304" && release && ended "$target" 0
}

kernel_thread() {
	refused '\(ESRCH\).*kernel thread' -p 2
}

# a thread is not a process, but its process is known
thread() {
	local tid

	start python3 -c 'import threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()'
	wait_while "$target" has_threads "$target" 2 && tid=$(ls "/proc/$target/task" | tail -n 1) &&
	refused "$tid is a thread of process $target .*-p $target" -p "$tid"
	local status=$?

	kill -KILL "$target"
	ended "$target" 137 2>/dev/null && [ $status = 0 ]
}

# has_threads PID NUMBER
has_threads() {
	[ "$(ls "/proc/$1/task" | wc -l)" = "$2" ]
}

rate() {
	refused 'the kernel offers 1 to' -p $$ --rate 100000
}

other_user() {
	as_user -p $$
	[ $? = 125 ] && grep -q "/proc/$$/mem: .*(EACCES): .*another user: run profil as root" \
		"$work/err" && [ "$(wc -l <"$work/err")" = 1 ]
}

# has_loops RESULT: it has the samples of programs/spin's loops, 0.5 s at 100 Hz. Ticks are off by one
# sample at each end, and one more for each of a few interruptions by the other profil.
has_loops() {
	"$PROFIL" report --full-names "$1" | awk '$7 ~ /^spin_/ { n += $3 }
		END { print "# " n + 0 " samples"; exit n < 46 || n > 54 }'
}

# A profiled process, and a process of a profiled command: both profiles have all samples.
several_profiles() {
	start programs/spin read 0.5 && attach "$target" && {
		"$PROFIL" -c tick -o "$work/other" -t /dev/null -p "$target" &
	} && other=$! && wait_while "$other" sessions_are 2 && wait_while "$other" waits "$other" &&
	release && ended "$target" 0 && finished &&
	wait "$other" && has_loops "$work/other" &&
	"$PROFIL" -c tick -o "$work/outer" -t /dev/null \
		"$PROFIL" -c tick -o "$work/other" -t /dev/null programs/spin 0.5 &&
	has_loops "$work/other" && has_loops "$work/outer" && eventually sessions_are 0
}

# A user profiles an own process as often as is possible, and root once more.
too_many_profiles() {
	local nr others=()

	start setpriv --reuid 65532 --regid 65532 --clear-groups programs/spin read 0.1
	# a process that has changed its user cannot be traced before it executes a program
	wait_for grep -qx spin "/proc/$target/comm"
	for nr in 1 2 3 4; do
		as_user -p "$target" &
		others+=($!)
		wait_while $! sessions_are "$nr" || return
	done
	as_user -p "$target"
	[ $? = 125 ] && grep -q 'EBUSY.*as often as the module permits' "$work/err" &&
	{
		"$PROFIL" -o /dev/null -t /dev/null -p "$target" &
	} && others+=($!) && wait_while $! sessions_are 5 && release && ended "$target" 0 &&
	wait "${others[@]}" && eventually sessions_are 0
}

# yama SCOPE REASON ARG...: profil, run by a user, is refused
yama() {
	echo "$1" >"$scope" || return
	as_user "${@:3}"
	[ $? = 125 ] && grep -qE "$2" "$work/err"
}

# Yama allows only ancestors from 1 on, and only root from 2 on.
scope=/proc/sys/kernel/yama/ptrace_scope
ptrace_scope() {
	local before status user

	before=$(<"$scope")
	setpriv --reuid 65532 --regid 65532 --clear-groups sleep 1000 &
	user=$!
	wait_for grep -q '^Uid:.*65532' /proc/$user/status &&
	yama 1 'EACCES.*ptrace_scope is 1: ' -p $user && as_user true &&
	yama 2 'EACCES.*ptrace_scope is 2: ' -p $user &&
	yama 2 'EACCES.*ptrace_scope is 2: ' true && "$PROFIL" -o /dev/null true 2>"$work/err"
	status=$?
	echo "$before" >"$scope"
	kill $user
	wait $user 2>/dev/null
	return $status
}

# check_with PROGRAM NAME FUNCTION: a test that needs a program of the machine
check_with() {
	if command -v "$1" >/dev/null; then
		check "$2" "$3"
	else
		ktap_test_skip "$2: no $1"
	fi
}

ktap_print_header
need_root_and_device
uninterrupted
ktap_set_plan 35
check "a process, until it exits" until_exit
check "two processes" several
check "two processes as words, as pidof prints them" words
check "-o -: the result goes to a pipe" to_a_pipe
check_with script "on a terminal, profil says how to end" announced
check "-p twice" twice_the_option
check "the children of a process, and their programs" children
check "--children: those that a process has already" family
check "children that a process has already: said" not_the_family
check_with python3 "a process whose first thread has ended" first_thread_ended
check "a process that executes another program" executes
check "--no-follow" not_followed
check "a process that is killed" killed
check "--duration" duration
check "--duration with a command" command_continues
check "SIGINT ends the profile" interrupted INT
check "SIGTERM ends the profile" interrupted TERM
check "SIGUSR1 writes a result" snapshots
check "profil is killed: the last result of --interval is complete" killed_profil
check "profil is killed after a minute: there is a result" killed_after_a_minute
check "the result cannot be written: status 125, and the message once" unwritten
check "a process that is stopped" stopped
check_with strace "a process traced by strace" traced
check_with gdb "a program run by gdb" debugged
check_with gdb "a process that gdb attaches to" gdb_attaches
check "a program that profiles itself" itself
check "no such process: refused" no_process
check "one of two processes: both refused" one_of_two
check "a kernel thread: refused" kernel_thread
check_with python3 "a thread: its process is named" thread
check "a rate that the kernel does not offer: refused" rate
check "the process of another user: refused" other_user
check "a process that is already attached, and a profil in a profil" several_profiles
check "a process that its user has attached too often: refused, but not to root" too_many_profiles
check_if "$scope" "Yama: refused, with the remedy" ptrace_scope
ktap_finished
