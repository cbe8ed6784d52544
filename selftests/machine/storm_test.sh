#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs programs/storm, random operations of many profiled processes, and then checks that the module
# holds no session, pin, charge or memory. Needs root, and no other profiled programs.
# STORM_SECONDS: duration. PROFIL_MODULE: path of profil.ko, if modprobe does not find it.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

STORM_SECONDS=${STORM_SECONDS:-10}
figures=/sys/class/misc/profil
parameters=/sys/module/profil/parameters
page=$(getconf PAGESIZE)

# Users of some processes of storm.c
users=(1999980001 1999980002)

# setting FILE VALUE: writes a kernel setting, if there is one, until the test ends
declare -A settings
setting() {
	[ -w "$1" ] || return
	settings[$1]=$(sed 's/.*\[\(.*\)\].*/\1/' "$1")
	echo "$2" >"$1"
}

restore() {
	local file

	for file in "${!settings[@]}"; do
		echo "${settings[$file]}" >"$file"
	done
	rm -rf "$work"
}
trap restore EXIT

# storm SECONDS: the program's totals are part of the test's output
storm() {
	programs/storm "$1" >"$work/out" 2>"$work/err"
	local status=$?

	cat "$work/out"
	return "$status"
}

is_zero() {
	[ "$(cat "$figures/$1")" = 0 ]
}

pins_are_balanced() {
	# adds the per-CPU differences to the totals
	echo 1 >/proc/sys/vm/stat_refresh
	awk '$1 == "nr_foll_pin_acquired" { n += $2 }
	     $1 == "nr_foll_pin_released" { n -= $2 }
	     END { exit n != 0 }' /proc/vmstat
}

# as_user USER PAGES COMMAND...: runs the command as a user who may pin that many pages
as_user() {
	local user=$1 pages=$2

	shift 2
	setpriv --reuid "$user" --regid "$user" --clear-groups \
		prlimit --memlock=$((pages * page)) "$@"
}

# Each user can pin as many pages as the limit permits, and no more.
no_charge_is_left() {
	local user

	for user in "${users[@]}"; do
		as_user "$user" 8 programs/steps start=8 stop &&
		! as_user "$user" 8 programs/steps start=9 stop 2>/dev/null ||
			{ echo "# user $user is still charged, or charged too little"; return 1; }
	done
}

# kernel_memory: prints the kernel's memory without caches, in KiB, after RCU has freed memory
kernel_memory() {
	sleep 1
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^(SUnreclaim|Percpu|VmallocUsed|PageTables):/ { n += $2 }
	     END { print n }' /proc/meminfo
}

# quarantine: what KASAN keeps of freed memory, at most, in KiB: 1/32 of all (mm/kasan/quarantine.c)
quarantine() {
	if grep -q ' kasan_quarantine_put$' /proc/kallsyms; then
		awk '/^MemTotal:/ { print int($2 / 32) }' /proc/meminfo
	else
		echo 0
	fi
}

# memory_is_freed BEFORE: whether the kernel uses as much memory as before the storm. Partial slabs
# are up to 1 MiB per CPU, for any duration. A session has at least 4 KiB: after a storm of 300 s,
# the test detects a leak of one session in 40, without KASAN.
memory_is_freed() {
	local before=$1 sessions now

	sessions=$(awk '/^# (start|start on hit|on the stack|fork) / { n += $(NF - 3) }
		END { print n }' "$work/out")
	now=$(kernel_memory)
	echo "# $sessions sessions; kernel memory $before KiB before, $now KiB after"
	[ $((now - before)) -lt $((1024 + 1024 * $(nproc) + $(quarantine))) ]
}

# A child that exited without a sample holds the module until the reaper, which runs once a second,
# finds it.
storm_and_rmmod() {
	storm 2 || return
	for ((i = 0; i < 30; i++)); do
		rmmod profil 2>"$work/err" && return
		sleep 0.1
	done
	rmmod profil
}

log_is_clean() {
	dmesg | sed "0,/$mark/d" >"$work/err"
	lib/log-check.sh "$work/err"
}

ktap_print_header
need_module

mark="storm_test $$ begins"
echo "$mark" >/dev/kmsg
# low limits, so that the storm reaches them, and a kernel that moves memory often
setting "$parameters/max_user_sessions" 10
setting "$parameters/max_user_regions" 60
setting /sys/kernel/mm/ksm/run 1
setting /sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs 100

ktap_set_plan 8
storm 2 >/dev/null
memory=$(kernel_memory)
check "a storm of $STORM_SECONDS s" storm "$STORM_SECONDS"
check "no session is left" eventually is_zero sessions
check "no page is pinned" eventually is_zero pinned_bytes
check "all acquired pins are released" eventually pins_are_balanced
check "no user is charged" no_charge_is_left
check "no memory is leaked" memory_is_freed "$memory"
unset "settings[$parameters/max_user_sessions]" \
	"settings[$parameters/max_user_regions]"
check "rmmod at once after a storm" storm_and_rmmod
load
check "the kernel log has no bug report" log_is_clean
ktap_finished
