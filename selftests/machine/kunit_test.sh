#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The KUnit suites of module/tests: loads profil_kunit.ko, which runs them, and tells
# their results as its own. Needs root, and a kernel with KUNIT and KUNIT_DEBUGFS.
# PROFIL_MODULE names the profil.ko whose build they are of, if modprobe cannot know.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# An emulated machine with a debug kernel needs 20.
SECONDS_AT_MOST=600
kunit=/sys/kernel/debug/kunit

# One suite in each file: those that do not come to run are missed.
suites() {
	local file

	for file in ../module/tests/*_kunit.c; do
		file=${file##*/}
		echo "profil_${file%_kunit.c}"
	done
}

load() {
	if [ -n "$PROFIL_MODULE" ]; then
		insmod "$(dirname "$PROFIL_MODULE")/tests/profil_kunit.ko"
	else
		modprobe profil_kunit
	fi
}

# A suite that hangs cannot be killed: what ended until then is told, and that it hangs.
load_in_time() {
	local pid

	load &
	pid=$!
	SECONDS=0
	while kill -0 $pid 2>/dev/null; do
		if ((SECONDS > SECONDS_AT_MOST)); then
			echo "# still not done after $SECONDS_AT_MOST s"
			return 1
		fi
		sleep 0.2
	done
	wait $pid
}

# What is said of a suite as a whole, and its sums
frame='^ *(K?TAP version|1\.\.1$|# (Subtest|module|Totals):|# profil_[a-z_]+: pass:)'

# What there is to tell: "pass NAME", "fail NAME", "skip NAME", or "# WORDS"
told=()

# read_suite NAME: all cases that were planned must have ended, and well.
read_suite() {
	local suite=$1 line planned=0 ended=0 failed=0 own=''

	while IFS= read -r line; do
		if [[ $line =~ ^\ {4}1\.\.([0-9]+)$ ]]; then
			planned=${BASH_REMATCH[1]}
		elif [[ $line =~ ^\ {4}(not )?ok\ [0-9]+\ (-\ )?([a-z0-9_]+)(.*)$ ]]; then
			ended=$((ended + 1))
			if [ -n "${BASH_REMATCH[1]}" ]; then
				failed=$((failed + 1))
				told+=("fail $suite.${BASH_REMATCH[3]}")
			elif [[ ${BASH_REMATCH[4]} == *'# SKIP'* ]]; then
				told+=("skip $suite.${BASH_REMATCH[3]}")
			else
				told+=("pass $suite.${BASH_REMATCH[3]}")
			fi
		elif [[ $line =~ ^(not )?ok\ [0-9]+\ (-\ )?"$suite" ]]; then
			own=${BASH_REMATCH[1]}ok
		elif [[ ! $line =~ $frame ]]; then
			line=${line#"${line%%[! ]*}"}
			told+=("# ${line#\# }")
		fi
	done < <(cat "$kunit/$suite/results" 2>/dev/null)

	if ((planned == 0)); then
		told+=("fail $suite: did not begin")
	elif ((ended != planned)); then
		told+=("fail $suite: $ended of $planned cases came to an end")
	elif [[ $own != ok ]] && ((!failed)); then
		told+=("fail $suite: its cases are passed, and it is not")
	fi
}

tell() {
	local line

	for line in "${told[@]}"; do
		case $line in
		pass*) ktap_test_pass "${line#pass }" ;;
		skip*) ktap_test_skip "${line#skip }" ;;
		fail*) ktap_test_fail "${line#fail }" ;;
		*) echo "$line" ;;
		esac
	done
}

ktap_print_header
need_root
[ -d /sys/kernel/debug/tracing ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
modprobe -q kunit 2>/dev/null
if [ ! -d "$kunit" ]; then
	skip_all "the kernel has no KUNIT, or not in debugfs"
fi
if [ -n "$PROFIL_MODULE" ] &&
		[ ! -e "$(dirname "$PROFIL_MODULE")/tests/profil_kunit.ko" ]; then
	skip_all "no profil_kunit.ko beside $PROFIL_MODULE: built for another kernel?"
fi

load_in_time
loaded=$?
for suite in $(suites); do
	read_suite "$suite"
done

ktap_set_plan $((2 + $(printf '%s\n' "${told[@]}" | grep -cv '^#')))
check "profil_kunit is loaded" [ $loaded = 0 ]
tell
check "profil_kunit is unloaded" rmmod profil_kunit
ktap_finished
