# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by scripts/check/run and others
#
# Which tests run in which guest. The fast ones come first: what runs until the first
# failure ends early.

# Kernel parameters for several CPUs: two nodes to move memory between. By itself the kernel
# hints at no page: it would be unpinned until the next sample, beside tests that count
# pinned pages.
node_parameters="numa=fake=2 numa_balancing=disable"

# Programs about the module; those in which the order of events matters run on one CPU too.
one_cpu_programs=(abi_test bins_test life_test lib_test fork_test sharers_test
	io_worker_test denied_test exec_test exit_test count_test children_test)
module_programs=("${one_cpu_programs[@]}" memory_test killed_test doubt_test remap_test
	replaced_test kinds_test pin_test slow_page_test limits_test flags_test
	thread_only_test clock_test rate_test late_test)
# Attacks on other users, on the machine and on the kernel. dead_ftrace_test leaves a kernel in
# which nothing can be profiled any more (scripts/check/run: dead_ftrace).
attack_programs=()
for program in "$(dirname "${BASH_SOURCE[0]}")"/attacks/*_test.c; do
	case $program in
	*/dead_ftrace_test.c) ;;
	*) attack_programs+=("attacks/$(basename "$program" .c)") ;;
	esac
done
unset program
# Programs about libprofil
library_programs=(dialects_test errors_test aix_test sprofil_test pcsample_test
	choice_test vectors_test regions_test autostart_test late_code_test)
# Shell tests about the module, and about libprofil
module_scripts=(compat_test.sh dialects_test.sh pages_test.sh monitor_test.sh observe_test.sh
	machine_test.sh module_test.sh storm_test.sh)
# The command: these need this machine's files
command_scripts=(command_test.sh follow_test.sh gprof_test.sh)
# For a kernel that looks for mistakes, which executes several times the instructions: what
# is about memory and lifetimes. What is about counts is not here: there kernel threads take
# a notable part of the time (expect_count.h). The long ones, minutes each, run in
# make check-all.
debug_programs=(abi_test life_test fork_test sharers_test denied_test doubt_test limits_test
	flags_test)
# Attacks that are over in the time of a test there too
debug_attacks=(attacks/memory_for_nobody_test attacks/start_waits_test
	attacks/many_users_test)
debug_long_programs=(observe_test.sh memory_test killed_test remap_test replaced_test machine_test.sh)
# What races, for a kernel that finds data races
race_programs=(life_test doubt_test remap_test fork_test storm_test.sh machine_test.sh
	module_test.sh)
