# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The steps in sealed guests. Sourced by steps.sh, seeds and mutation-test.

is_debug_kernel() {
	[[ $1 == *debug || $1 == *kcsan || $1 == *kcov ]]
}

# guest_options KERNEL: print options for sealed guests. With 8 ns an instruction, the kernel's
# work still fits between two ticks, and a second of CPU time costs an eighth of what it costs
# at 1 ns. Debug kernels would take most of the time at 8; and they initialize all memory at
# boot. So would the threads of PREEMPT_RT: ticks hit the thread that they interrupt.
guest_options() {
	local shift=3 mem=3G

	! is_debug_kernel "$1" || shift=2 mem=1G
	[[ $1 != *-rt ]] || shift=1
	echo "--sealed --shift ${SHIFT:-$shift} --mem $mem"
}

# test_parameters KERNEL SMP: print kernel parameters for guests that run lists of tests
test_parameters() {
	local parameters=""

	# workqueues of Linux 6.1 warn of a node without a CPU
	(($2 == 1)) || parameters=$node_parameters
	# many distributions preempt fully; Debian's 6.1 and 6.12 do so on request
	[[ $1 != 6.12 ]] || parameters+=" preempt=full"
	echo "$parameters"
}

# More options of scripts/vm/run for sealed guests (scripts/check/seeds)
vm_options=()
# Variables for the tests; and of the gate: machine/module_test.sh finds its bugs with 5 cycles
settings=()
gate_settings=(CYCLES=5)

# sealed KERNEL SMP APPEND TESTS COMMAND...: COMMAND runs these tests, of which there are several words
# in TESTS. The guest has only the files that they use: what others use does not change its inputs.
sealed() {
	local options tests

	read -ra options < <(guest_options "$1")
	read -ra tests <<<"$4"
	scripts/vm/run "${options[@]}" --once --seed "${CHECK_SEED:-0}" --kernel "$1" --smp "$2" \
		--timeout 3000 --append "secretmem.enable=1 $3" --files "$(files_of "${tests[@]}" | paste -sd ' ')" \
		"${vm_options[@]}" -- "${@:5}"
}

# one_program KERNEL SMP APPEND PROGRAM [ARGUMENT...]: its results are indented, as run.sh does
one_program() {
	sealed "$1" "$2" "$3" "${4#selftests/}" "${@:4}" | sed 's/^/  /'
}

# run_tests KERNEL SMP TEST...: with the parameters of most steps
run_tests() {
	! is_debug_kernel "$1" || settings+=(PROFIL_COUNTS=print)
	run_list "$1" "$2" "$(test_parameters "$1" "$2")" "${@:3}"
}

# run_list KERNEL SMP APPEND TEST...
run_list() {
	sealed "$1" "$2" "$3" "${*:4}" env "${settings[@]}" selftests/run.sh "${@:4}"
}

# The archive of `make -C selftests gen_tar`, unpacked on a machine that has neither the checkout nor
# what it needs to build: one program of each folder at least, by the kernel's runner.
installed() {
	local archive=build/check/installed tests=() test programs

	rm -rf "$archive" && mkdir -p "$archive" &&
	flock "$logs" make -s -C selftests gen_tar KSFT_INSTALL_PATH="$PWD/$archive/made" &&
	mkdir "$archive/unpacked" &&
	tar -xf "$archive/made/kselftest-packages/kselftest.tar.gz" -C "$archive/unpacked" || return
	programs=$(cd selftests && find programs -type f \( -perm -u+x -o -name '*.so' \) | sort)
	comm -23 <(echo "$programs") \
		<(cd "$archive/unpacked/profil" && find programs -type f | sort) | grep . &&
		{ echo "these programs are not in the archive"; return 1; }
	for test in core:abi_test core:flags_test memory:killed_test process:fork_test \
			attach:attach_exec_test attacks:many_users_test machine:module_test.sh \
			libprofil:lib_test libprofil:monitor_test.sh libprofil:pages_test.sh; do
		tests+=(-t "profil/$test")
	done
	vm_options+=(--installed "$archive/unpacked")
	one_program 6.12 2 "$(test_parameters 6.12 2)" ./run_kselftest.sh "${tests[@]}"
}

# guest KERNEL SMP [long]
guest() {
	local tests=()

	case $2:$1:${3-} in
	1:*)
		tests=("${one_cpu_programs[@]}")
		;;
	2:*debug:*)
		tests=("${debug_programs[@]}" machine/storm_test.sh)
		settings+=(STORM_SECONDS=5)
		;;
	2:*:long)
		tests=("${long_programs[@]}")
		# The library does not depend on the kernel: of the stock ones, one suffices.
		[[ $1 == 6.12 ]] || tests+=("${library_programs[@]}" "${library_scripts[@]}")
		;;
	2:*)
		tests=("${short_programs[@]}")
		settings+=("${gate_settings[@]}")
		;;
	4:*)
		tests=("${race_programs[@]}")
		;;
	esac
	run_tests "$1" "$2" "${tests[@]}"
}

# The bugs of selftests/bugs that only a debug kernel shows. One of them needs as long as all others.
debug_bugs() {
	run_tests 6.12-debug 2 "${debug_bug_programs[@]}"
}

debug_leak_bug() {
	settings+=(PROGRAMS=core/thread_only_test)
	run_tests 6.12-debug 2 machine/leak_test.sh
}

debug_long() {
	run_tests 6.12-debug 2 machine/storm_test.sh "${debug_long_programs[@]}"
}

# The oldest kernel that the module supports, and the newest one of Debian
version() {
	run_tests "$1" 2 "${version_programs[@]}"
}

# Every allocation, page fault and user copy fails in turn; then no memory may be leaked.
faults() {
	run_tests 6.12-debug 2 machine/leak_test.sh
}

# A CPU whose tick is off while one thread has it to itself
tickless() {
	one_program 6.12 2 "nohz_full=1 isolcpus=1" \
		selftests/core/clock_test -t processor_without_tick
}

# Timers that fire at the tick
coarse_timers() {
	one_program 6.12 1 "highres=off" selftests/machine/coarse_timers_test.sh
}

# CPUs that could be added, for each of which the kernel reserves memory. From Linux 6.9 on, the
# parameter adds none.
many_cpus() {
	run_list 6.1 1 "possible_cpus=240" attacks/possible_cpus_cost_test core/lifecycle_test \
		attach/attach_records_test attach/attach_samples_test
}

# ftrace stays disabled after an error: each test needs a guest of its own.
ftrace_kill() {
	local test

	for test in unload_later_is_refused unload_at_once_never_frees_the_code; do
		one_program 6.12 1 "" selftests/attacks/ftrace_kill_test -t $test || return
	done
}

# What a sample costs, and what others pay. One CPU: no other thread runs meanwhile.
sample_cost() {
	local kernel status=0

	for kernel in 6.1 6.12; do
		run_list $kernel 1 "" core/sample_cost_test core/others_cost_test || status=1
	done
	return $status
}

# Programs in step with the tick, and bursts of microseconds
lockstep() {
	SHIFT=1 one_program 6.1 1 "" selftests/machine/lockstep_test.sh
}

# run_fuzzer KERNEL OPTION...: random programs, and the module's invariants
run_fuzzer() {
	make -s -C selftests/fuzz/device &&
	one_program "$1" 2 "" selftests/fuzz/device/fuzz --seed "${CHECK_SEED:-1}" "${@:2}" \
		--corpus selftests/fuzz/device/corpus.txt
}

fuzz() {
	run_fuzzer 6.12 --programs 250
}

# Everything that is not specific to x86
arm64() {
	local tests

	mapfile -t tests < <(printf '%s\n' "${module_programs[@]}" "${library_programs[@]}" |
		grep -vE '/(vectors|regions)_test$')
	flock "$logs" make -s -C selftests arm64 &&
	WERROR=1 scripts/kernel/build-module "$(scripts/kernel/build-tree "$1")" &&
	run_list "$1" 2 "" "${tests[@]}" machine/storm_test.sh machine/module_test.sh
}
