#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# log-check - find bug reports in a kernel log
#
# Usage: selftests/lib/log-check.sh FILE
#
# Prints the lines, with their numbers, in which the kernel or one of its checkers (lockdep,
# KASAN, KCSAN, UBSAN, kmemleak, ...) reports a bug. Traces of failed allocations and of the
# OOM killer are ignored. So is the warning of Linux 6.1 about workqueues on nodes without a
# CPU, as guests have fake NUMA nodes.
#
# Exit status: 0 no report; 1 some; 2 cannot read the file.

set -euo pipefail
export LC_ALL=C

# "general protection fault" without comma or colon is of a user program.
patterns='WARNING:|BUG:|BUG [a-z]|Oops\b|Kernel panic|Call [Tt]race:|Internal error:
|general protection fault[,:]|Unable to handle|unable to handle
|possible recursive locking|INFO: possible|suspicious RCU usage
|inconsistent lock state|INFO: trying to register non-static key
|K(A|C|M|F)SAN:|UBSAN:|ODEBUG:|refcount_t:
|pagealloc: |list_(add|del) corruption
|kmemleak: [0-9]+ new suspected
|rcu.*detected.* stall|INFO: task .* blocked|soft lockup|hard LOCKUP
|clocksource.*[uU]nstable'

if [ $# -ne 1 ] || [ ! -r "$1" ]; then
	echo "log-check: usage: selftests/lib/log-check.sh FILE" >&2
	exit 2
fi
# A trace follows within five lines, after those about CPU, taints, hardware and workqueue.
! awk '/, mode:0x.*nodemask=/ || / invoked oom-killer: / { failed = NR }
	failed && NR <= failed + 5 &&
		sub(/Call [Tt]race:/, "allocation trace:") { failed = 0 }
	/WARNING: workqueue cpumask: online intersect/ { sub(/WARNING: w/, "w") }
	{ print }' "$1" |
	grep -naE -- "${patterns//$'\n'/}"
