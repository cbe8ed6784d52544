# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the shell tests share, on top of the kernel's ktap_helpers.sh: sourced,
# in the tests' own directory.

KSELFTEST_DIR=${KSELFTEST_DIR:-$(../scripts/kernel/fetch-kselftest)/tools/testing/selftests}
# shellcheck source=/dev/null
. "$KSELFTEST_DIR/kselftest/ktap_helpers.sh"

# Each sentence of a report in one line, and no column left out: tests search them. (Bash sets
# COLUMNS to the terminal's, otherwise.)
shopt -u checkwinsize
export COLUMNS=10000

# For what the tests leave behind: gone at the end
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# PROFIL_MODULE names the profil.ko, if modprobe cannot know.
load() {
	if [ -n "$PROFIL_MODULE" ]; then
		insmod "$PROFIL_MODULE"
	else
		modprobe profil
	fi
}

# skip_all REASON: no test here can run. Ends the script.
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

# That can be loaded anew, too; and is.
need_module() {
	need_root_and_device
	{ rmmod profil && load; } 2>"$work/err" ||
		skip_all "cannot load the module ($(cat "$work/err")): set PROFIL_MODULE"
}

# check NAME COMMAND [ARG...]: a test is passed if the command succeeds. If not,
# what it left in $work/err (and a profile) is shown.
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

# check_if FILE NAME COMMAND [ARG...]: the same, skipped where there is no such file
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

# soon COMMAND [ARG...]: it succeeds within 3 s. The module's worker runs at once, RCU frees
# after some ticks, and the hook of the tick goes one second after the last session.
soon() {
	local _

	for _ in $(seq 30); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# end_input PID INPUT: a coprocess that goes on until its standard input ends is ended
# so; with its exit status.
end_input() {
	local pid=$1 input=$2

	exec {input}>&-
	wait "$pid"
}

# begin STEP...: run programs/steps in the background, to where it waits; it goes on with `proceed`.
begin() {
	coproc STEPS { exec programs/steps "$@"; }
	steps_pid=$STEPS_PID
	until_waiting
}

# (a figure that it printed on the way is in `pinned`)
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

# ... and to its end
finish() {
	end_input "$steps_pid" "${STEPS[1]}"
}
