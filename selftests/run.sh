#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the programs named on the command line and report them in KTAP: each is a
# test whose subtests are what it prints. A kernel warning that comes while one
# runs makes it fail, where the log may be read.
# With PROFIL_STOP in the environment, the first program that fails is the last one.
#
# Exit status: 0 if none failed; skipped ones did not.

cd "$(dirname "$0")" || exit 1

failed=0
number=0

# dmesg from a marker on; nothing where it may not be read or written
mark_log() {
	echo "profil selftest: $1" >/dev/kmsg
}

# all of it, if the mark has been driven out of the log meanwhile
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
	TIMEFORMAT="# $program took %0R s, of CPU time %1U s + %1S s"
	{
		time "./$program" 2>&1 | sed -u 's/^/  /'
		status=${PIPESTATUS[0]}
	} 2>&1
	if $marked && log_since "$program $number" 2>/dev/null |
			../scripts/kernel/log-check /dev/stdin |
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
