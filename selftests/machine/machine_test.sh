#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What an administrator may do while programs are profiled: take CPUs offline and online, freeze
# the programs, suspend the machine, unload and load the module. Needs root, and no other profiled
# programs. MACHINE_SECONDS: how long each test takes. PROFIL_MODULE: path of profil.ko, if modprobe
# does not find it.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

MACHINE_SECONDS=${MACHINE_SECONDS:-4}
figures=/sys/class/misc/profil
cpu=/sys/devices/system/cpu/cpu1/online
group=/sys/fs/cgroup/profil_machine_test

figure() {
	cat "$figures/$1"
}

# under_storm COMMAND...: repeats the command as long as programs/storm runs; then no session may
# remain
under_storm() {
	local storm times=0

	programs/storm "$MACHINE_SECONDS" >"$work/out" 2>"$work/err" &
	storm=$!
	while kill -0 "$storm" 2>/dev/null; do
		"$@" "$storm" 2>>"$work/err" || { kill "$storm"; return 1; }
		((times++))
	done
	wait "$storm" || return
	ktap_print_msg "$times times"
	((times)) && nothing_is_left
}

is_all_freed() {
	[ "$(figure sessions) $(figure pinned_bytes)" = "0 0" ]
}

nothing_is_left() {
	eventually is_all_freed && return
	ktap_print_msg "left: $(figure sessions) sessions, $(figure pinned_bytes) bytes"
	return 1
}

cpu_off_and_on() {
	echo 0 >"$cpu" && sleep 0.1 && echo 1 >"$cpu" && sleep 0.1
}

more_samples_than() {
	(($(figure samples) > $1))
}

# begin_program: starts a profiled program, alone in its cgroup, and waits for its first sample
begin_program() {
	mkdir -p "$group"
	sh -c "echo \$\$ >$group/cgroup.procs; exec programs/rates timer 250 spin 2 60" \
		>/dev/null 2>&1 &
	program=$!
	eventually more_samples_than "$(figure samples)"
}

end_program() {
	kill -KILL "$program"
	wait "$program" 2>/dev/null
	nothing_is_left && rmdir "$group"
}

# The program is sampled, except while its cgroup is frozen.
counts_unless_frozen() {
	local before frozen counts=1

	begin_program || counts=
	echo 1 >"$group/cgroup.freeze"
	until grep -q 'frozen 1' "$group/cgroup.events"; do sleep 0.1; done
	before=$(figure samples)
	sleep 1
	frozen=$(figure samples)
	echo 0 >"$group/cgroup.freeze"
	eventually more_samples_than "$frozen" || counts=
	ktap_print_msg "samples: $before when frozen, $frozen before it was thawed"
	end_program && [ "$counts" ] && ((frozen == before))
}

# A suspend that only freezes all programs, since the devices of a virtual machine do not resume.
# Not under a storm, because exec prevents freezing.
counts_after_suspend() {
	local suspended=0 _

	begin_program || { end_program; return 1; }
	# without the delay before the resume, during which the kernel spins
	echo 0 2>/dev/null >/sys/module/suspend/parameters/pm_test_delay
	for _ in 1 2 3; do
		echo freezer >/sys/power/pm_test
		echo mem >/sys/power/state || break
		eventually more_samples_than "$(figure samples)" || break
		((suspended++))
	done
	ktap_print_msg "suspended $suspended times"
	end_program && ((suspended == 3))
}

# At least twice, even if that takes longer: rmmod often fails because a caller uses the module.
unload_and_load() {
	local callers input times=0 busy=0

	coproc CALLERS { exec programs/callers >"$work/out" 2>"$work/err"; }
	callers=$CALLERS_PID
	input=${CALLERS[1]}
	SECONDS=0
	until ((times > 1 && SECONDS >= MACHINE_SECONDS)); do
		if rmmod profil 2>/dev/null; then
			((times++))
			load || break
		else
			((busy++))
		fi
	done
	end_input "$callers" "$input" || return
	ktap_print_msg "$(cat "$work/out"); removed $times times, $busy times in use"
	nothing_is_left
}

ktap_print_header
need_root_and_device

ktap_set_plan 4
check_if "$cpu" "a CPU goes offline and online" under_storm cpu_off_and_on
check_if /sys/fs/cgroup/cgroup.procs "a frozen program is not sampled" \
	counts_unless_frozen
check_if /sys/power/pm_test "sampling continues after a suspend" counts_after_suspend
check "the module is unloaded and loaded while programs call it" unload_and_load
ktap_finished
