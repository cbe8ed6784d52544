#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the programs named on the command line and report them in KTAP: each is a
# test whose subtests are what it prints. A kernel warning that comes while one
# runs makes it fail, where the log may be read.
#
# Exit status: 0 if none failed; skipped ones did not.

cd "$(dirname "$0")" || exit 1

splat='WARNING:|BUG:|Oops|possible (recursive|circular)|suspicious RCU|KASAN|UBSAN|KCSAN'
failed=0
number=0

# dmesg from a marker on; nothing where it may not be read or written
mark_log() {
	echo "profil selftest: $1" >/dev/kmsg
}

log_since() {
	dmesg | sed -n "/profil selftest: $1\$/,\$p"
}

echo "KTAP version 1"
echo "# Linux $(uname -r)"
echo "1..$#"
for program in "$@"; do
	number=$((number + 1))
	mark_log "$program $number" 2>/dev/null
	echo "# Subtest: $program"
	SECONDS=0
	"./$program" 2>&1 | sed -u 's/^/  /'
	status=${PIPESTATUS[0]}
	echo "# $program took $SECONDS s"
	if log_since "$program $number" 2>/dev/null | grep -E "$splat" |
			sed 's/^/# kernel: /' | grep .; then
		status=1
	fi
	case $status in
	0) echo "ok $number $program" ;;
	4) echo "ok $number $program # SKIP" ;;
	*)
		echo "not ok $number $program # exit status $status"
		failed=1
		;;
	esac
done
exit "$failed"
