# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by scripts/check/run and others
#
# Which tests run in which guest. Fast tests come first, so that a run that stops at the first
# failure stops early.

# Kernel parameters for several CPUs. Two NUMA nodes, so that tests can move memory between
# them. No automatic NUMA balancing: its hinting faults would unpin pages until the next sample,
# in tests that count pinned pages.
node_parameters="numa=fake=2 numa_balancing=disable"

# Tests of the module. Those that depend on the order of events run on one CPU too.
one_cpu_programs=(core/abi_test core/bins_test core/lifecycle_test libprofil/lib_test
	process/fork_test process/sharers_test process/io_worker_test process/denied_test
	process/exec_test process/exit_test core/count_test process/children_test
	attach/attach_samples_test attach/attach_records_test attach/attach_log_test)
module_programs=("${one_cpu_programs[@]}" memory/memory_test memory/killed_test
	memory/recheck_test memory/remap_test memory/replaced_test memory/mapping_types_test
	memory/pin_test memory/file_page_test memory/slow_page_test core/limits_test core/flags_test
	core/thread_only_test core/clock_test core/rate_test core/late_test
	attach/attach_refused_test attach/attach_cycles_test attach/attach_threads_test
	attach/attach_args_test attach/attach_several_test attach/attach_exec_test
	attach/attach_order_test)
# Attacks on other users, on the machine and on the kernel. Not ftrace_kill_test: no session can
# start after it, so it has guests of its own (scripts/check/steps.sh: ftrace_kill).
attack_programs=()
for program in "$(dirname "${BASH_SOURCE[0]}")"/attacks/*_test.c; do
	case $program in
	*/ftrace_kill_test.c) ;;
	*) attack_programs+=("attacks/$(basename "$program" .c)") ;;
	esac
done
unset program
# Tests of libprofil
library_programs=(libprofil/dialects_test libprofil/errors_test libprofil/aix_test
	libprofil/sprofil_test libprofil/pcsample_test libprofil/profil_start_test
	libprofil/vectors_test libprofil/regions_test)
library_scripts=(libprofil/compat_test.sh libprofil/pages_test.sh libprofil/monitor_test.sh
	libprofil/corpus_test.sh)
# Shell tests of the module
module_scripts=(machine/observe_test.sh machine/machine_test.sh machine/module_test.sh
	machine/storm_test.sh)
# What depends most on the version of the kernel, for the oldest and the newest one
version_programs=(core/abi_test core/count_test process/fork_test memory/file_page_test
	memory/mapping_types_test attach/attach_samples_test attach/attach_records_test
	attach/attach_threads_test attach/attach_args_test
	attacks/uncharged_memory_test)
# Tests of the command: they need this machine's files
command_scripts=(command/command_test.sh command/follow_test.sh command/jit_test.sh
	command/attach_test.sh command/cgroup_test.sh command/container_test.sh
	command/files_test.sh command/gprof_test.sh libprofil/gmon_test.sh command/gcl_test.sh
	command/top_test.sh command/optimize_test.sh command/cost_test.sh)
# Tests of memory and lifetimes, for a debug kernel, which executes several times the
# instructions. Tests of counts are omitted, because there kernel threads take a notable part
# of the time (lib/profile/expect_count.h). The long tests take minutes each, and run in make
# check-all.
debug_programs=(core/abi_test core/lifecycle_test process/fork_test process/sharers_test
	process/denied_test memory/recheck_test core/limits_test core/flags_test
	attach/attach_refused_test)
# Attacks that are short enough for a debug kernel
debug_attacks=(attacks/uncharged_memory_test attacks/start_waits_test
	attacks/many_users_test)
debug_long_programs=(attach/attach_log_test machine/observe_test.sh memory/memory_test
	memory/killed_test memory/remap_test memory/replaced_test machine/machine_test.sh)
# Tests in which much runs concurrently, for a kernel with KCSAN
race_programs=(core/lifecycle_test memory/recheck_test memory/remap_test process/fork_test
	attach/attach_records_test attach/attach_log_test
	machine/storm_test.sh machine/machine_test.sh machine/module_test.sh)
