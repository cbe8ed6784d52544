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
one_cpu_programs=(core/abi_test core/bins_test core/lifecycle_test libprofil/lib_test
	process/fork_test process/sharers_test process/io_worker_test process/denied_test
	process/exec_test process/exit_test core/count_test process/children_test)
module_programs=("${one_cpu_programs[@]}" memory/memory_test memory/killed_test
	memory/recheck_test memory/remap_test memory/replaced_test memory/mapping_types_test
	memory/pin_test memory/slow_page_test core/limits_test core/flags_test
	core/thread_only_test core/clock_test core/rate_test core/late_test)
# Attacks on other users, on the machine and on the kernel. ftrace_kill_test leaves a kernel in
# which nothing can be profiled any more (scripts/check/run: dead_ftrace).
attack_programs=()
for program in "$(dirname "${BASH_SOURCE[0]}")"/attacks/*_test.c; do
	case $program in
	*/ftrace_kill_test.c) ;;
	*) attack_programs+=("attacks/$(basename "$program" .c)") ;;
	esac
done
unset program
# Programs about libprofil
library_programs=(libprofil/dialects_test libprofil/errors_test libprofil/aix_test
	libprofil/sprofil_test libprofil/pcsample_test libprofil/dialect_select_test
	libprofil/vectors_test libprofil/regions_test command/autostart_test
	command/late_code_test)
# Shell tests about the module, and about libprofil
module_scripts=(libprofil/compat_test.sh libprofil/dialects_test.sh libprofil/pages_test.sh
	libprofil/monitor_test.sh machine/observe_test.sh machine/machine_test.sh
	machine/module_test.sh machine/storm_test.sh)
# The command: these need this machine's files
command_scripts=(command/command_test.sh command/follow_test.sh command/gprof_test.sh)
# For a kernel that looks for mistakes, which executes several times the instructions: what
# is about memory and lifetimes. What is about counts is not here: there kernel threads take
# a notable part of the time (expect_count.h). The long ones, minutes each, run in
# make check-all.
debug_programs=(core/abi_test core/lifecycle_test process/fork_test process/sharers_test
	process/denied_test memory/recheck_test core/limits_test core/flags_test)
# Attacks that are over in the time of a test there too
debug_attacks=(attacks/uncharged_memory_test attacks/start_waits_test
	attacks/many_users_test)
debug_long_programs=(machine/observe_test.sh memory/memory_test memory/killed_test
	memory/remap_test memory/replaced_test machine/machine_test.sh)
# What races, for a kernel that finds data races
race_programs=(core/lifecycle_test memory/recheck_test memory/remap_test process/fork_test
	machine/storm_test.sh machine/machine_test.sh machine/module_test.sh)
