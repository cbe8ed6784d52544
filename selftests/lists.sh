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
	attach/attach_order_test attach/attach_stack_test)
# Attacks on other users, on the machine and on the kernel. Not ftrace_kill_test: no session can
# start after it, so it has guests of its own (scripts/check/guests.sh: ftrace_kill).
attack_programs=()
for program in "$(dirname "${BASH_SOURCE[0]}")"/attacks/*_test.c; do
	case $program in
	*/ftrace_kill_test.c) ;;
	*) attack_programs+=("attacks/$(basename "$program" .c)") ;;
	esac
done
# Shell tests of the module
module_scripts=(machine/observe_test.sh machine/machine_test.sh machine/module_test.sh
	machine/storm_test.sh)
# Of all these, what takes 5 seconds of CPU time and more, and is no test of a bug in bugs/: not in the gate
long_programs=(memory/mapping_types_test memory/killed_test attach/attach_samples_test
	process/exec_test memory/pin_test memory/replaced_test attach/attach_cycles_test
	process/children_test memory/remap_test process/exit_test attacks/long_gap_test
	attacks/start_interrupts_others_test attacks/exec_without_kprobes_test
	attacks/possible_cpus_cost_test attacks/many_sessions_test machine/machine_test.sh
	machine/storm_test.sh)
short_programs=()
for program in "${module_programs[@]}" "${attack_programs[@]}" "${module_scripts[@]}"; do
	[[ " ${long_programs[*]} " == *" $program "* ]] || short_programs+=("$program")
done
unset program
# Tests of libprofil
library_programs=(libprofil/dialects_test libprofil/errors_test libprofil/aix_test
	libprofil/sprofil_test libprofil/pcsample_test libprofil/profil_start_test
	libprofil/vectors_test libprofil/regions_test)
library_scripts=(libprofil/compat_test.sh libprofil/pages_test.sh libprofil/monitor_test.sh
	libprofil/corpus_test.sh)
# What depends most on the version of the kernel, for the oldest and the newest one
version_programs=(core/abi_test core/count_test process/fork_test memory/file_page_test
	memory/mapping_types_test attach/attach_samples_test attach/attach_records_test
	attach/attach_threads_test attach/attach_args_test
	attacks/uncharged_memory_test)
# Tests of the command: they need this machine's files. Those of the gate, and the others
command_scripts=(command/command_test.sh command/attach_test.sh command/cost_test.sh)
command_long_scripts=(command/follow_test.sh command/files_test.sh command/jit_test.sh
	command/cgroup_test.sh command/container_test.sh command/gprof_test.sh libprofil/gmon_test.sh
	command/gcl_test.sh command/top_test.sh command/optimize_test.sh command/stacks_test.sh)
command_end_scripts=(command/end_test.sh) # as long as all of these
# For a debug kernel, which executes several times the instructions: what finds bugs of bugs/ that
# only it shows; tests and attacks of memory and lifetimes that are short enough; and those that take
# minutes each, for make check-all. Tests of counts are omitted, because there kernel threads take a
# notable part of the time (lib/profile/expect_count.h); and no_fork_waits maps a file 12,000 times.
debug_bug_programs=(process/fork_test core/lifecycle_test
	"memory/remap_test -r change.ANON_dont_need.accounted_for" machine/kunit_test.sh)
debug_programs=(core/abi_test process/sharers_test process/denied_test memory/recheck_test
	core/limits_test core/flags_test attach/attach_refused_test attacks/uncharged_memory_test
	attacks/start_waits_test attacks/many_users_test
	"attacks/held_files_test -T no_fork_waits" attacks/subordinate_users_test)
debug_long_programs=(attach/attach_log_test machine/observe_test.sh memory/memory_test
	memory/killed_test memory/remap_test memory/replaced_test machine/machine_test.sh)
# Tests in which much runs concurrently, for a kernel with KCSAN
race_programs=(core/lifecycle_test memory/recheck_test memory/remap_test process/fork_test
	attach/attach_records_test attach/attach_log_test
	machine/storm_test.sh machine/machine_test.sh machine/module_test.sh)

# files_of TEST...: the files that tests use, of those that are built in the checkout, as words. A
# test may have arguments. Each has its program, the runner and what all scripts share.
files_of() {
	local test

	echo selftests/run.sh selftests/lib
	for test; do
		case $test in
		*_test* | fuzz/device/*) echo "selftests/${test%% *}" ;;
		esac
		case $test in
		libprofil/*.sh | host/*) echo lib tools selftests/libprofil selftests/programs build/m32 build/musl/selftests/libprofil ;;
		libprofil/* | core/thread_only_test) echo lib/libprofil.so.0 ;;
		core/flags_test) echo lib/libprofil.so.0 selftests/programs ;;
		machine/kunit_test.sh) echo module/tests ;;
		machine/leak_test.sh) echo lib/libprofil.so.0 selftests/core selftests/process selftests/memory selftests/attach ;;
		machine/module_test.sh | machine/coarse_timers_test.sh) echo lib tools selftests/programs ;;
		machine/*) echo selftests/programs ;;
		fuzz/device/*) echo selftests/fuzz/device/corpus.txt ;;
		esac
	done | tr ' ' '\n' | sort -u
}
