# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions of the shell tests, in addition to the kernel's ktap_helpers.sh. Source it in
# selftests/.

# In a kernel's tree, and where the tests are installed, the harness is beside them.
if [ -z "$KSELFTEST_DIR" ] && [ -e ../kselftest/ktap_helpers.sh ]; then
	KSELFTEST_DIR=..
fi
KSELFTEST_DIR=${KSELFTEST_DIR:-$(../scripts/kernel/fetch-kselftest)/tools/testing/selftests}
# shellcheck source=/dev/null
. "$KSELFTEST_DIR/kselftest/ktap_helpers.sh"

# Tests search reports, so lines must not be wrapped or columns omitted. (Without checkwinsize
# off, bash sets COLUMNS to the width of the terminal.)
shopt -u checkwinsize
export COLUMNS=10000

# A directory for temporary files, removed at the end
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Loads PROFIL_MODULE, the path of profil.ko, or the installed module.
load() {
	if [ -n "$PROFIL_MODULE" ]; then
		insmod "$PROFIL_MODULE"
	else
		modprobe profil
	fi
}

# skip_all REASON: reports that all tests are skipped, and exits.
skip_all() {
	ktap_skip_all "$1"
	exit "$KSFT_SKIP"
}

need_device() {
	[ -c /dev/profil ] || skip_all "no /dev/profil: load the module"
}

need_root() {
	[ "$(id -u)" = 0 ] || skip_all "needs root"
}

need_root_and_device() {
	need_root
	need_device
}

# Needs a module that can be unloaded and loaded, and reloads it.
need_module() {
	need_root_and_device
	{ rmmod profil && load; } 2>"$work/err" ||
		skip_all "cannot reload the module ($(cat "$work/err")): set PROFIL_MODULE"
}

# uninterrupted: makes the shell, and all that it starts from now on, real-time threads, if it may.
# Ordinary threads do not interrupt them, at times that depend on the machine: each interruption has
# a random phase, so that a function gains or loses up to a sample. Real-time threads take turns
# (SCHED_RR), so two busy programs on two CPUs do not stop the shell.
uninterrupted() {
	[ "$(id -u)" != 0 ] || chrt --rr --pid 1 $$
}

# check NAME COMMAND [ARG...]: a test that passes if the command succeeds. Otherwise prints
# $work/profile and $work/err.
check() {
	local name=$1

	shift
	if "$@"; then
		ktap_test_pass "$name"
	else
		cat "$work/profile" "$work/err" 2>/dev/null | sed 's/^/#   /'
		ktap_test_fail "$name"
	fi
}

# check_if FILE NAME COMMAND [ARG...]: the same, but skipped if FILE does not exist
check_if() {
	local file=$1

	shift
	if [ -e "$file" ]; then
		check "$@"
	else
		ktap_test_skip "$1: no $file"
	fi
}

# between LOW VALUE HIGH
between() {
	awk -v low="$1" -v value="$2" -v high="$3" \
		'BEGIN { exit !(low <= value && value <= high) }' ||
		{ echo "# $2 is not in $1 to $3"; false; }
}

# wait_for COMMAND [ARG...]: repeats the command until it succeeds. It is for what another program
# does: how long that takes depends on the load, so only the time limit of the whole run ends it.
# Before that, it says what it waits for.
wait_for() {
	local tries=0

	until "$@"; do
		[ -z "$doer" ] || kill -0 "$doer" 2>/dev/null || return
		((++tries != 300)) || echo "# waits for: $*" >&2
		sleep 0.1
	done
}

# wait_while PID COMMAND [ARG...]: the same; fails if the process ends before
wait_while() {
	local doer=$1

	wait_for "${@:2}"
}

not() {
	! "$@"
}

# eventually COMMAND [ARG...]: repeats the command until it succeeds, up to 30 times in 3 s. It is
# for what the module does when programs have done their part: its worker runs at once, RCU frees
# after some ticks, and a hook that was attached for the first time is detached one second after its
# last session.
eventually() {
	local _

	for _ in $(seq 30); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# end_input PID INPUT: closes the standard input of a coprocess, which ends it. Returns its exit
# status.
end_input() {
	local pid=$1 input=$2

	exec {input}>&-
	wait "$pid"
}

# start_steps STEP...: runs programs/steps in the background, until it waits. `proceed` makes it
# continue.
start_steps() {
	coproc STEPS { exec programs/steps "$@"; }
	steps_pid=$STEPS_PID
	until_waiting
}

# Waits until programs/steps waits. A number that it prints is stored in `pinned`.
until_waiting() {
	local word value

	while read -r word value <&"${STEPS[0]}"; do
		case $word in
		pinned) pinned=$value ;;
		waiting) return ;;
		esac
	done
	return 1
}

proceed() {
	echo >&"${STEPS[1]}"
}

# Makes programs/steps continue to its end.
finish_steps() {
	end_input "$steps_pid" "${STEPS[1]}"
}
