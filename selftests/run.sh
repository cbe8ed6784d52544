#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the test programs given as arguments and reports their results as KTAP. Each argument is a
# program, which may have arguments of its own. A program's KTAP output becomes its subtests. If
# the kernel log is readable, a kernel bug report during a program fails it. With PROFIL_STOP in
# the environment, the run stops after the first failure.
#
# Exit status: 0 if no program failed (skipped programs did not fail), otherwise 1.

cd "$(dirname "$0")" || exit 1

failed=0
number=0

# mark_log TEXT: writes a marker to the kernel log; fails without permission
mark_log() {
	echo "profil selftest: $1" >/dev/kmsg
}

# log_since TEXT: the kernel log from this marker on; the whole log if the ring buffer has
# dropped the marker
log_since() {
	dmesg | awk -v mark="profil selftest: $1" '
		index($0, mark) { nr = 0 }
		{ lines[nr++] = $0 }
		END { for (i = 0; i < nr; i++) print lines[i] }'
}

echo "KTAP version 1"
echo "# Linux $(uname -r)"
echo "1..$#"
for program in "$@"; do
	number=$((number + 1))
	mark_log "$program $number" 2>/dev/null && marked=true || marked=false
	echo "# Subtest: $program"
	TIMEFORMAT="# $program took %0R s, CPU time (user + system) %1U s + %1S s"
	read -ra command <<<"./$program"
	{
		time "${command[@]}" 2>&1 | sed -u 's/^/  /'
		status=${PIPESTATUS[0]}
	} 2>&1
	if $marked && log_since "$program $number" 2>/dev/null |
			lib/log-check.sh /dev/stdin |
			sed 's/^/# kernel: /' | grep .; then
		status=1
	fi
	case $status in
	0) echo "ok $number $program" ;;
	4) echo "ok $number $program # SKIP" ;;
	*)
		echo "not ok $number $program # exit status $status"
		failed=1
		[ -z "$PROFIL_STOP" ] || break
		;;
	esac
done
exit "$failed"
