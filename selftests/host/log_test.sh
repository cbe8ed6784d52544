#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests/lib/log-check.sh finds each kind of bug report in a kernel log, and nothing else. The
# verdict of every test in a guest depends on it. The lines are from real kernels. Runs natively,
# needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

usual='[    1.000000] profil: loaded
[    2.000000] traps: spin[12] general protection fault ip:401136 sp:7ffc error:0 in spin
[    2.500000] Memory failure: 0x1234: recovery action for clean LRU page: Recovered'
refused='[    3.000000] fork: page allocation failure: order:0, mode:0x400dc0(GFP_KERNEL_ACCOUNT|__GFP_ZERO), nodemask=(null),cpuset=/,mems_allowed=0
[    3.000001] CPU: 0 UID: 0 PID: 77 Comm: fork Tainted: G           O
[    3.000002] Tainted: [O]=OOT_MODULE
[    3.000003] Hardware name: QEMU Standard PC
[    3.000004] Call Trace:'
killed='[    4.000000] killed_test invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=1000
[    4.000001] CPU: 1 UID: 0 PID: 78 Comm: killed_test
[    4.000002] Hardware name: QEMU Standard PC
[    4.000003] Call Trace:'

# check_log TEXT...: runs log-check on these lines; what it finds is in $work/found
check_log() {
	printf '%s\n' "$@" | lib/log-check.sh /dev/stdin >"$work/found"
}

is_clean() {
	check_log "$@" && [ ! -s "$work/found" ]
}

# finds LINE: log-check finds only this line among harmless lines, and prints its number
finds() {
	! check_log "$usual" "$refused" "$killed" "$1" "$usual" &&
	[ "$(cat "$work/found")" = "13:$1" ]
}

# The trace of a refused allocation is harmless, the next trace is not.
second_trace() {
	! check_log "$refused" '[    5.000000] Call Trace:' &&
	[ "$(cat "$work/found")" = '6:[    5.000000] Call Trace:' ]
}

reports=(
	'[    9.000000] WARNING: CPU: 0 PID: 1 at mm/gup.c:74 try_get_folio+0xa6/0xc0'
	'[    9.000000] WARNING: mm/gup.c:74 at try_get_folio+0xa6/0xc0, CPU#0: spin/12'
	'[    9.000000] WARNING: possible circular locking dependency detected'
	'[    9.000000] WARNING: possible recursive locking detected'
	'[    9.000000] WARNING: inconsistent lock state'
	'[    9.000000] WARNING: suspicious RCU usage'
	'[    9.000000] INFO: trying to register non-static key.'
	'[    9.000000] BUG: sleeping function called from invalid context at mm/util.c:1'
	'[    9.000000] BUG: scheduling while atomic: spin/12/0x00000002'
	'[    9.000000] BUG: Bad page state in process spin  pfn:01234'
	'[    9.000000] BUG: Bad rss-counter state mm:0000000012345678 type:MM_ANONPAGES val:1'
	'[    9.000000] BUG: unable to handle page fault for address: ffffc90000000000'
	'[    9.000000] Unable to handle kernel paging request at virtual address dead000000000100'
	'[    9.000000] Internal error: Oops: 0000000096000004 [#1] SMP'
	'[    9.000000] Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1]'
	'[    9.000000] general protection fault: 0000 [#1] SMP PTI'
	'[    9.000000] Kernel panic - not syncing: Fatal exception in interrupt'
	'[    9.000000] BUG: KASAN: slab-use-after-free in profil_count+0x1/0x2 [profil]'
	'[    9.000000] BUG: KCSAN: data-race in profil_count / profil_stop'
	'[    9.000000] BUG: KMSAN: uninit-value in profil_count+0x1/0x2'
	'[    9.000000] BUG: KFENCE: out-of-bounds read in profil_count+0x1/0x2'
	'[    9.000000] UBSAN: array-index-out-of-bounds in module/config.c:12:3'
	'[    9.000000] ODEBUG: free active (active state 0) object: 0000 object type: timer_list'
	'[    9.000000] refcount_t: underflow; use-after-free.'
	'[    9.000000] kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)'
	'[    9.000000] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:'
	'[    9.000000] rcu: INFO: rcu_preempt self-detected stall on CPU'
	'[    9.000000] INFO: task kworker/0:1:12 blocked for more than 120 seconds.'
	'[    9.000000] watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [spin:12]'
	'[    9.000000] watchdog: Watchdog detected hard LOCKUP on cpu 0'
	'[    9.000000] pagealloc: memory corruption'
	'[    9.000000] list_add corruption. prev->next should be next (0000), but was 0000.'
	'[    9.000000] BUG kmalloc-64 (Tainted: G    B      O      ): Poison overwritten'
	'[    9.000000] clocksource: timekeeping watchdog on CPU0: Marking clocksource tsc as unstable because the skew is too large:'
	'[    9.000000] Call Trace:'
)

ktap_print_header
ktap_set_plan $((4 + ${#reports[@]}))
check "usual lines are no report" is_clean "$usual"
check "a refused allocation is no report" is_clean "$refused"
check "an OOM kill is no report" is_clean "$killed"
check "a second trace is a report" second_trace
for report in "${reports[@]}"; do
	check "${report#*] }" finds "$report"
done
ktap_finished
