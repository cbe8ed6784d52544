#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Loads profil_kunit.ko, which runs the KUnit suites of module/tests, and reports their results as
# its own. Needs root, and a kernel with KUNIT and KUNIT_DEBUGFS. PROFIL_MODULE: path of profil.ko,
# if modprobe does not find it; profil_kunit.ko is beside it.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# An emulated machine with a debug kernel needs 20 s.
SECONDS_AT_MOST=600
kunit=/sys/kernel/debug/kunit

# suites: prints the suites' names, one suite per file, so that a suite that does not run is missed
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

# A suite that hangs cannot be killed. The results up to then are reported.
load_in_time() {
	local pid

	load &
	pid=$!
	SECONDS=0
	while kill -0 $pid 2>/dev/null; do
		if ((SECONDS > SECONDS_AT_MOST)); then
			echo "# a suite still runs after $SECONDS_AT_MOST s"
			return 1
		fi
		sleep 0.2
	done
	wait $pid
}

# Lines about a suite as a whole, which are not reported
frame='^ *(K?TAP version|1\.\.1$|# (Subtest|module|Totals):|# profil_[a-z_]+: pass:)'

# The results: "pass NAME", "fail NAME", "skip NAME", or "# MESSAGE"
results=()

# read_suite NAME: adds the results of its cases, and a failure if not all planned cases have ended
read_suite() {
	local suite=$1 line planned=0 ended=0 failed=0 own=''

	while IFS= read -r line; do
		if [[ $line =~ ^\ {4}1\.\.([0-9]+)$ ]]; then
			planned=${BASH_REMATCH[1]}
		elif [[ $line =~ ^\ {4}(not )?ok\ [0-9]+\ (-\ )?([a-z0-9_]+)(.*)$ ]]; then
			ended=$((ended + 1))
			if [ -n "${BASH_REMATCH[1]}" ]; then
				failed=$((failed + 1))
				results+=("fail $suite.${BASH_REMATCH[3]}")
			elif [[ ${BASH_REMATCH[4]} == *'# SKIP'* ]]; then
				results+=("skip $suite.${BASH_REMATCH[3]}")
			else
				results+=("pass $suite.${BASH_REMATCH[3]}")
			fi
		elif [[ $line =~ ^(not )?ok\ [0-9]+\ (-\ )?"$suite" ]]; then
			own=${BASH_REMATCH[1]}ok
		elif [[ ! $line =~ $frame ]]; then
			line=${line#"${line%%[! ]*}"}
			results+=("# ${line#\# }")
		fi
	done < <(cat "$kunit/$suite/results" 2>/dev/null)

	if ((planned == 0)); then
		results+=("fail $suite: did not start")
	elif ((ended != planned)); then
		results+=("fail $suite: only $ended of $planned cases ended")
	elif [[ $own != ok ]] && ((!failed)); then
		results+=("fail $suite: its cases passed, but the suite failed")
	fi
}

report_results() {
	local line

	for line in "${results[@]}"; do
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

ktap_set_plan $((2 + $(printf '%s\n' "${results[@]}" | grep -cv '^#')))
check "profil_kunit can be loaded" [ $loaded = 0 ]
report_results
check "profil_kunit can be unloaded" rmmod profil_kunit
ktap_finished
