#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What an administrator may do to the machine while programs are profiled: take
# processors away and give them back, freeze the programs, begin to put the machine to
# sleep, remove the module and load it. Needs root, and that nothing else is profiled.
# MACHINE_SECONDS is how long each is done; PROFIL_MODULE names the profil.ko that is
# loaded, if modprobe cannot know.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

MACHINE_SECONDS=${MACHINE_SECONDS:-4}
figures=/sys/class/misc/profil
processor=/sys/devices/system/cpu/cpu1/online
group=/sys/fs/cgroup/profil_machine_test

figure() {
	cat "$figures/$1"
}

# under_storm COMMAND...: over and over as long as a storm lasts; then nothing is left
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

is_all_given_back() {
	[ "$(figure sessions) $(figure pinned_bytes)" = "0 0" ]
}

nothing_is_left() {
	eventually is_all_given_back && return
	ktap_print_msg "left: $(figure sessions) sessions, $(figure pinned_bytes) bytes"
	return 1
}

processor_goes_and_comes() {
	echo 0 >"$processor" && sleep 0.1 && echo 1 >"$processor" && sleep 0.1
}

more_samples_than() {
	(($(figure samples) > $1))
}

# A profiled program, alone in its group, that is counted
begin_program() {
	mkdir -p "$group"
	sh -c "echo \$\$ >$group/cgroup.procs; exec bench/rates timer 250 spin 2 60" \
		>/dev/null 2>&1 &
	program=$!
	eventually more_samples_than "$(figure samples)"
}

end_program() {
	kill -KILL "$program"
	wait "$program" 2>/dev/null
	nothing_is_left && rmdir "$group"
}

# It counts, but for the time that the group is frozen.
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
	ktap_print_msg "samples: $before when frozen, $frozen before it went on"
	end_program && [ "$counts" ] && ((frozen == before))
}

# All programs are frozen for a sleep that then is not slept (the devices of a virtual
# machine do not wake up again). Not under a storm: exec keeps Linux from sleeping.
counts_on_after_sleep() {
	local slept=0 _

	begin_program || { end_program; return 1; }
	# without a delay, in which the kernel would spin
	echo 0 2>/dev/null >/sys/module/suspend/parameters/pm_test_delay
	for _ in 1 2 3; do
		echo freezer >/sys/power/pm_test
		echo mem >/sys/power/state || break
		eventually more_samples_than "$(figure samples)" || break
		((slept++))
	done
	ktap_print_msg "slept $slept times"
	end_program && ((slept == 3))
}

# More than once, however long that takes: rmmod often meets a caller.
modules_come_and_go() {
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
check_if "$processor" "a processor goes and comes" \
	under_storm processor_goes_and_comes
check_if /sys/fs/cgroup/cgroup.procs "what is frozen does not count" \
	counts_unless_frozen
check_if /sys/power/pm_test "after a sleep, counting goes on" counts_on_after_sleep
check "the module is removed and loaded under its callers" modules_come_and_go
ktap_finished
