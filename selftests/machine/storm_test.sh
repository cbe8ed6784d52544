#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A storm of everything that profiled processes may do (storm.c), and then: has
# the module kept anything? Needs root, and that nothing else is profiled.
# STORM_SECONDS is how long; PROFIL_MODULE names the profil.ko that is loaded, if
# modprobe cannot know.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

STORM_SECONDS=${STORM_SECONDS:-10}
figures=/sys/class/misc/profil
parameters=/sys/module/profil/parameters
page=$(getconf PAGESIZE)

# Whom storm.c makes some of its processes
users=(1999980001 1999980002)

# setting FILE VALUE: until the test ends; where there is none, never mind
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

# storm SECONDS: the figures of what was done are part of the test's output
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
	# fold in what the CPUs keep for themselves
	echo 1 >/proc/sys/vm/stat_refresh
	awk '$1 == "nr_foll_pin_acquired" { n += $2 }
	     $1 == "nr_foll_pin_released" { n -= $2 }
	     END { exit n != 0 }' /proc/vmstat
}

# as_user USER PAGES COMMAND...: who may pin so many
as_user() {
	local user=$1 pages=$2

	shift 2
	setpriv --reuid "$user" --regid "$user" --clear-groups \
		prlimit --memlock=$((pages * page)) "$@"
}

# Each user has all of his limit again, and not more.
no_charge_is_left() {
	local user

	for user in "${users[@]}"; do
		as_user "$user" 8 programs/steps start=8 stop &&
		! as_user "$user" 8 programs/steps start=9 stop 2>/dev/null ||
			{ echo "# user $user has something left"; return 1; }
	done
}

# Kernel memory that is not a cache, in KiB, once RCU has freed what it may.
kernel_memory() {
	sleep 1
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^(SUnreclaim|Percpu|VmallocUsed|PageTables):/ { n += $2 }
	     END { print n }' /proc/meminfo
}

# Slabs that are not full make for 1 MiB a CPU, whatever the storm. A session is
# 4 KiB at the least: of 300 s of storm, one left in 40 would tell.
memory_is_back() {
	local before=$1 sessions now

	sessions=$(awk '/^# (start|start on hit|on the stack|fork) / { n += $(NF - 3) }
		END { print n }' "$work/out")
	now=$(kernel_memory)
	echo "# $sessions sessions; kernel memory $before KiB before, $now KiB after"
	[ $((now - before)) -lt $((1024 + 1024 * $(nproc))) ]
}

# A child that ended without a sample holds the module until the reaper has found it, which
# looks once a second.
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
	../scripts/kernel/log-check "$work/err"
}

ktap_print_header
need_module

mark="storm_test $$ begins"
echo "$mark" >/dev/kmsg
# Limits that are met, and a kernel that moves memory about
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
check "pins acquired were released" eventually pins_are_balanced
check "no user is charged" no_charge_is_left
check "no memory is left" memory_is_back "$memory"
unset "settings[$parameters/max_user_sessions]" \
	"settings[$parameters/max_user_regions]"
check "rmmod at once after a storm" storm_and_rmmod
load
check "the kernel's log is clean" log_is_clean
ktap_finished
