#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs `profil --cgroup PATH`: which processes it covers, how it ends, and what is refused. PROFIL:
# path of the command (default: the tree's).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh
# shellcheck source=../lib/attached.sh
. lib/attached.sh

# A mount of version 2, and in it a control group of this test
mount_of() {
	awk -v type="$1" '$3 == type { print $2; exit }' /proc/self/mounts
}

need_root_and_device
[ -n "$(mount_of cgroup2)" ] || mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>"$work/err"
root=$(mount_of cgroup2)
[ -n "$root" ] || skip_all "cannot mount cgroup2: $(cat "$work/err")"
group=$root/profil_test
mkdir -p "$group/nested" || exit 1
uninterrupted

# join PID [GROUP]: moves a process
join() {
	echo "$1" >"${2:-$group}/cgroup.procs"
}

# start_in GROUP COMMAND...: starts a target in a control group; its process ID is in `target`
start_in() {
	start "${@:2}"
	join "$target" "$1"
}

# sample NUMBER OPTION...: starts profil in the background, and waits until it has attached to so
# many processes and waits for the log
sample() {
	local nr=$1

	shift
	rm -f "$work"/result* "$work/profile"
	"$PROFIL" -c tick -o "$work/result" -t "$work/profile" "$@" </dev/null >"$work/out" 2>"$work/err" &
	profil=$!
	attached "$nr"
}

quiet() {
	[ ! -s "$work/err" ]
}

# --- what is counted -----------------------------------------------------------------

# The processes of a control group and of one below it, until the last one ends
already_there() {
	local first

	start_in "$group" programs/spin read 0.2
	first=$target
	start_in "$group/nested" programs/spin read 0.3 exit 7
	sample 2 --cgroup "$group" && release && release && ended "$first" 0 &&
	ended "$target" 7 && finished && quiet && spun 2 0.5 &&
	[ "$(rows --by process | grep -c '/spin ')" = 2 ] &&
	grep -qx "# control group: $group" "$work/profile" &&
	grep -qx '# in 2 processes that ran already' "$work/profile" &&
	! grep '^# command' "$work/profile"
}

# One outside is not counted.
outside() {
	local first

	start programs/spin read 0.2
	first=$target
	start_in "$group/nested" programs/spin read 0.2
	sample 1 --cgroup "$group" && release && release && ended "$first" 0 &&
	ended "$target" 0 && finished && spun 1 0.2
}

# The log has the forks of profiled processes: no look is needed for so short a child.
forks() {
	start_in "$group" sh -c 'read -r _; programs/spin 0.05; programs/spin 0.05; programs/spin 0.1'
	sample 1 --cgroup "$group" && echo >&"$go" && ended "$target" 0 && finished && quiet &&
	spun 3 0.2
}

# path PATH: the directory, or as in /proc/PID/cgroup
path() {
	start_in "$group/nested" programs/spin read 0.1
	sample 1 --cgroup "$1" && release && ended "$target" 0 && finished && spun 1 0.1
}

# Two processes come from outside, one of them to a control group that is made meanwhile. Their CPU
# time before that is not counted.
joiners() {
	local first second

	start_in "$group" programs/spin read 0.1
	first=$target
	sample 1 --cgroup "$group" || return
	start programs/spin read 0.2
	second=$target
	join "$second" && attached 2 &&
	mkdir "$group/new" && start_in "$group/new" programs/spin read 0.3 && attached 3 &&
	release && release && release && ended "$first" 0 && ended "$second" 0 &&
	ended "$target" 0 && finished && quiet && spun 3 0.6 && rmdir "$group/new"
}

# One process ends just after another one has joined, before a look is due. The other one goes on
# until profil has more samples than the first one can have.
last_look() {
	local first

	start_in "$group" programs/spin read 0.001
	first=$target
	sample 1 --cgroup "$group" || return
	start programs/spin 1000
	wait_for grep -qx spin "/proc/$target/comm" && join "$target" && release &&
	ended "$first" 0 && wait_while "$profil" snapshot_has 5 &&
	kill_target && finished && [ "$(rows --by process | grep -c '/spin ')" = 2 ]
}

# A profil in the control group is not one of its processes, and does not wait for its own end.
itself() {
	start_in "$group" programs/spin read 0.3
	rm -f "$work"/result* "$work/profile"
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$PROFIL" -c tick -o "$work/result" \
		-t "$work/profile" --progress=0.1 --interval 0.1 --cgroup "$group" \
		</dev/null >"$work/out" 2>"$work/err" &
	profil=$!
	attached 1 && sleep 0.5 && sessions_are 1 && release && ended "$target" 0 &&
	finished && spun 1 0.3
}

# --- how it ends ---------------------------------------------------------------------

duration() {
	start_in "$group" programs/spin 1000 && lasts --cgroup "$group"
}

interrupted() {
	start_in "$group" programs/spin 1000
	sample 1 --cgroup "$group" --interval 0.1 && wait_while "$profil" test -s "$work/result" &&
	kill -INT "$profil" && finished && kill_target && [ "$(all_samples)" -gt 0 ]
}

# All processes leave, and the control group is removed: the profile ends, and they continue.
removed() {
	mkdir "$group/gone" && start_in "$group/gone" programs/spin 1000
	sample 1 --cgroup "$group/gone" && snapshot &&
	join "$target" "$root" && rmdir "$group/gone" && finished && quiet && kill_target &&
	[ "$(all_samples)" -gt 0 ]
}

# --- what is refused -----------------------------------------------------------------

# A user may trace one of two processes. The other one is counted, and named with the remedy.
one_of_two() {
	local other status

	start_in "$group" programs/spin read 0.1
	other=$target
	start_in "$group/nested" setpriv --reuid 65532 --regid 65532 --clear-groups \
		programs/spin read 0.2
	wait_for grep -qx spin "/proc/$target/comm"
	as_user --cgroup "$group" -t "$work/users" &
	profil=$!
	chmod 777 "$work"
	attached 1 && release && release &&
	ended "$other" 0 && ended "$target" 0 && finished &&
	grep -q "^profil: 1 process in $group is not profiled: /proc/$other/mem: .*EACCES.*another user: run profil as root" \
		"$work/err" && [ "$(wc -l <"$work/err")" = 1 ] && grep -q spin_much "$work/users"
	status=$?
	chmod 700 "$work"
	return $status
}

# The same, after the start: it is said at the end.
one_joins() {
	local other

	start_in "$group" setpriv --reuid 65532 --regid 65532 --clear-groups programs/spin read 0.1
	wait_for grep -qx spin "/proc/$target/comm"
	as_user --cgroup "$group" &
	profil=$!
	attached 1 || return
	sleep 1000 &
	other=$!
	join "$other" && sleep 0.5 && release && ended "$target" 0 && finished && kill "$other" &&
	grep -q "^profil: 1 process in $group is not profiled: /proc/$other/mem: .*EACCES" "$work/err"
}

none() {
	local status

	start_in "$group" sleep 1000
	as_user --cgroup "$group"
	status=$?
	kill "$target" && ended "$target" 143 2>/dev/null
	[ $status = 125 ] && [ "$(wc -l <"$work/err")" = 1 ] &&
	grep -q "^profil: no profile of $group: .*(EACCES): .*another user: run profil as root" \
		"$work/err"
}

# left_behind: whether a test before this one has left a process
left_behind() {
	cat "$group/cgroup.procs" "$group"/*/cgroup.procs | grep .
}

empty() {
	! left_behind && refused "$group: .*no process in it \(ESRCH\)" --cgroup "$group"
}

threaded() {
	local status

	mkdir "$group/threaded" && echo threaded >"$group/threaded/cgroup.type" &&
	refused "$group/threaded: .*\(EOPNOTSUPP\): .*threaded.*the one above" \
		--cgroup "$group/threaded"
	status=$?
	rmdir "$group/threaded" && return $status
}

version_1() {
	local status

	mkdir "$work/old" && mount -t cgroup -o none,name=profil_test none "$work/old" || return
	refused "$work/old: .*\(EOPNOTSUPP\): it is of version 1" --cgroup "$work/old"
	status=$?
	umount "$work/old"
	return $status
}

# misused OPTION...: wrong usage
misused() {
	"$PROFIL" "$@" >"$work/out" 2>"$work/err" </dev/null
	[ $? = 125 ] && grep -q -- '--cgroup' "$work/err"
}

usage() {
	misused --cgroup "$group" true && misused --cgroup "$group" -p $$ &&
	misused --cgroup "$group" --no-follow && misused --cgroup ""
}

ktap_print_header
ktap_set_plan 22
check "processes in a control group and below it" already_there
check "a process outside of it" outside
check "children" forks
check "the directory as the path" path "$group"
check "a path as in /proc/PID/cgroup" path /profil_test/nested
check "the same without the first slash" path profil_test
check "processes that join" joiners
check "a process that joins when the last one ends" last_look
check "profil in the control group" itself
check "--duration" duration
check "SIGINT ends the profile" interrupted
check "the control group is removed" removed
check "one of two processes may not be traced: it is named, and the other one profiled" one_of_two
check "a process that joins may not be traced" one_joins
check "none may be traced: refused" none
check "no process: refused" empty
check "no control group: refused" refused 'no_such: .*\(ENOENT\): there is no' --cgroup no_such
check "a file: refused" refused '\(ENOTDIR\): it is a file' --cgroup "$group/cgroup.procs"
check "another file system: refused" refused '\(EINVAL\): it is no control group' \
	--cgroup "$root/../../../proc"
check "threaded: refused" threaded
check_if /proc/cgroups "version 1: refused" version_1
check "options that exclude each other" usage
rmdir "$group/nested" "$group"
ktap_finished
