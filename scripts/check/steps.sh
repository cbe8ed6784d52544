# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The steps of scripts/check/run: their lists, and a function for each or for each kind. A
# step prints what is wrong and returns nonzero if it fails.

# Debug kernels are in scripts/kernel/config; kcov guides the fuzzer by coverage, kcsan finds
# data races. The longest steps come first.
steps=(static_kernel guest_6.12-debug_smp2 guest_6.1_smp2 guest_6.12_smp2 command_tests in_tree
	vm installed version_5.10 version_7.3 readers sanitize static_user fuzz native sample_cost lockstep unit
	unit_musl tickless coarse_timers many_cpus ftrace_kill static_checkpatch static_scripts
	static_spelling static_spdx static_manuals static_bugs static_rooms static_patches static_abi static_version static_figures)
other_steps=(compiled_i386 compiled_riscv64 faults guest_6.12-kcsan_smp4 fuzz_6.12-kcov
	fuzz_6.12-kcsan arm64_6.1 arm64_6.12 guest_6.1_smp1 guest_6.12_smp1 guest_5.10_smp2
	guest_7.2-stock_smp2 guest_6.1-rt_smp2 guest_6.12-rt_smp2 guest_6.12-rtdebug_smp2
	guest_6.1-cloud_smp2 guest_6.12-cloud_smp2 guest_6.12-hz100_smp2 guest_6.12-hz1000_smp2)

is_step() {
	[[ $1 == guest_?*_smp[124] || $1 == version_?* || " ${steps[*]} ${other_steps[*]} " == *" $1 "* ]]
}

# Rebuilds the modules that guests load.
runs_alone() {
	[[ $1 == static_kernel ]]
}

run_step() {
	local kernel=${1#*_}

	case $1 in
	guest_*) guest "${kernel%_smp*}" "${kernel##*_smp}" ;;
	fuzz_*) run_fuzzer 1800 "$kernel" ;;
	version_*) version "$kernel" ;;
	compiled_*) scripts/kernel/compile-module "6.12-$kernel" ;;
	arm64_*) arm64 "$kernel-arm64" ;;
	*) "$1" ;;
	esac
}

# --- static checks -----------------------------------------------------------------------

files() {
	git ls-files -co --exclude-standard "$@"
}

static_checkpatch() {
	local run

	run=("$(scripts/kernel/fetch-kselftest)/scripts/checkpatch.pl" --no-tree --strict
		--terse --no-summary -f)
	files module uapi | grep '\.[ch]$' | grep -vE 'compat.h|trace.h' |
		xargs "${run[@]}" &&
	# tracepoints are laid out as everywhere in the kernel
	"${run[@]}" --ignore OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT module/trace.h &&
	# the only file with version checks, and it redefines what old kernels lack
	"${run[@]}" --ignore LINUX_VERSION_CODE,CONSTANT_COMPARISON \
		--ignore DEPRECATED_API module/compat.h
}

# No warning at W=1 on any kernel, nor from sparse (C=2).
static_kernel() {
	local kernel tree

	for kernel in 6.1 6.12; do
		tree=$(scripts/kernel/build-tree "$kernel") &&
		WERROR=1 scripts/kernel/build-module "$tree" &&
		WERROR=1 scripts/kernel/build-module "$tree" C=2 CF=-D__CHECK_ENDIAN__ || return
	done
}

static_user() {
	local dialect sources

	make -s -C tools && # generated headers
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 \
		--enable=warning,performance,portability \
		--suppress=missingIncludeSystem -Iuapi -Ilib -Ilib/include -Itools lib tools ||
		return
	sources=$(files lib tools | grep '\.c$')
	grep -vE '/(aix|osf1|solaris)\.c$' <<<"$sources" | tidy || return
	# these include their dialect's headers
	for dialect in aix osf1 solaris; do
		grep -E "/$dialect\.c$" <<<"$sources" |
			tidy "-Ilib/include/profil/$dialect" || return
	done
}

# tidy [FLAG...]: clang-tidy for the files on stdin; one at a time, as the analyzer of clang
# 14 does not know va_start() in the second file of a run
tidy() {
	xargs -I '{}' clang-tidy --quiet '{}' -- -std=gnu11 -D_GNU_SOURCE \
		-Iuapi -Ilib -Ilib/include -Itools \
		-DPROFIL_VERSION='""' "$@" 2>&1
}

static_scripts() {
	files | while read -r file; do
		! head -n 1 "$file" | grep -qE '^#!.*(bash|sh)$' || echo "$file"
	done | xargs shellcheck -x -P SCRIPTDIR -S warning &&
	# without "#!"
	shellcheck -s bash -S warning tools/completion/profil.bash module/dkms.conf
}

# The macro at the start of a line of a manual page is not a word.
static_spelling() {
	files | grep -v '^LICENSES/' | xargs codespell --ignore-regex '^\.[A-Z][A-Za-z]\b'
}

# Every file names its license.
static_spdx() {
	! files | grep -vE '^(LICENSES/|COPYING$|scripts/kernel/series/|debian/(changelog|source/format)$|.*\.md$)' |
		xargs grep -L 'SPDX-License-Identifier' | grep .
}

# The copies of version.mk: the tools of Debian and RPM read no other file.
static_version() {
	local version packaged copy

	version=$(sed -n 's/^PROFIL_VERSION := //p' version.mk)
	packaged=$(sed -n '1s/^profil (\(.*\)) .*/\1/p' debian/changelog)
	[ -n "$version" ] && [ "$version" = "$packaged" ] ||
		{ echo "version.mk has '$version', debian/changelog '$packaged'"; return 1; }
	for copy in "Version:        $version" "* .*> - $version-[0-9.]*"; do
		grep -qx -- "$copy" rpm/profil.spec ||
			{ echo "rpm/profil.spec has no line '$copy'"; return 1; }
	done
}

# module/README.md: the two products do not know each other, and subject.h alone lets the clocks know
# both. What both use knows neither.
static_rooms() {
	local upward

	upward=$(grep -nE '#include "counters/' module/attach/*.[ch] module/clock/*.[ch]
		grep -nE '#include "attach/' module/counters/*.[ch] module/clock/*.[ch]
		grep -nE '#include "(counters|attach|clock)/' module/{compat,policy,reserve,stats,trace,user}.*)
	grep -v '^module/clock/subject\.h:' <<<"$upward" | grep .
	[ "${PIPESTATUS[1]}" -ne 0 ]
}

# A bug whose patch does not apply tests nothing (scripts/check/mutation-test).
static_bugs() {
	local patch status=0

	for patch in selftests/bugs/*.patch; do
		git apply --check "$patch" || status=1
	done
	return $status
}

# Rules of checkpatch that are for the kernel's own code, not for its selftests
user_space_rules=(
	# the harness: its macros declare fixtures, return from tests (SKIP), and are several statements,
	# so that EXPECT_* needs braces; ours that use them are like them
	COMPLEX_MACRO MULTISTATEMENT_MACRO_USE_DO_WHILE MACRO_WITH_FLOW_CONTROL BRACES
	# arguments of our macros are expressions without effects, or names that the macro declares
	MACRO_ARG_REUSE MACRO_ARG_PRECEDENCE
	# a program has no READ_ONCE(), strscpy() or linux/compiler_attributes.h
	VOLATILE STRCPY PREFER_DEFINED_ATTRIBUTE_MACRO
	# a system call sets errno, which is positive; ENOSYS: this kernel lacks it
	USE_NEGATIVE_ERRNO ENOSYS
	# arguments of execve() are not const
	STATIC_CONST_CHAR_ARRAY
	# the linker's symbols have no header, nor has perf_regs.h a linux/ one that programs may include
	AVOID_EXTERNS INCLUDE_LINUX
	# instructions of a processor
	ARCH_DEFINES)

# What `make patch` writes, by all rules of the kernel, those for commit messages and MAINTAINERS too
static_patches() {
	local IFS=, patches source status=0 tests

	source=$(scripts/kernel/source 6.12) &&
	mapfile -t patches < <(scripts/kernel/patch "$source") && [ ${#patches[@]} = 3 ] || return
	# the largest takes longer than both others
	check_patches "$source" "${user_space_rules[*]}" "${patches[2]}" &
	tests=$!
	# tracepoints are laid out as everywhere in the kernel
	check_patches "$source" OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT "${patches[@]:0:2}" || status=1
	wait "$tests" && return $status
}

# check_patches SOURCE IGNORED PATCH...: by the kernel's checkpatch
check_patches() {
	(cd "$1" && scripts/checkpatch.pl --strict --terse --no-summary --show-types --ignore "$2" "${@:3}")
}

# The tables of the documents are those of the known figures.
static_figures() {
	bench/document.py
}

static_abi() {
	scripts/check/abi
}

static_manuals() {
	mandoc -Tlint -W warning lib/man/* tools/man/*
}

# --- tests without a guest, or with the machine's files ------------------------------------

unit() {
	make -s -C selftests/unit check
}

# The library with another C library
unit_musl() {
	make -s -C selftests check_musl
}

native() {
	make -s -C selftests run_tests \
		TESTS="$(printf 'host/%s_test.sh ' fallback headers export page code optimize diff cost \
			log documents usage listing top push monout prof install distribution dkms rpm)"
}

vm() {
	make -s -C selftests run_tests TESTS=host/vm_test.sh
}

# The fuzzers of what reads files and variables of other programs
readers() {
	make -s -C selftests/fuzz/readers check READER_RUNS="$($all && echo 100000 || echo 20000)"
}

# Memory errors, undefined behaviour and leaks of the command
sanitize() {
	scripts/check/sanitize
}

# The command, which profiles this machine's programs: perl, make, the compiler
command_tests() {
	scripts/vm/run --icount --shift 2 --smp 2 --mem 3G --timeout 3000 -- \
		make -s -C selftests run_tests TESTS="${command_scripts[*]}"
}

# --- in the kernel's own tree --------------------------------------------------------------

# KUnit by kunit.py, with the module built in; then the module as a module, and the selftests
in_tree() {
	scripts/kernel/kunit && scripts/kernel/build-in-tree
}

# --- tests in sealed guests ----------------------------------------------------------------

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

# sealed KERNEL SMP APPEND COMMAND...
sealed() {
	local options

	read -ra options < <(guest_options "$1")
	scripts/vm/run "${options[@]}" --seed "${CHECK_SEED:-0}" --kernel "$1" --smp "$2" \
		--timeout 3000 --append "secretmem.enable=1 $3" "${vm_options[@]}" -- "${@:4}"
}

# one_program KERNEL SMP APPEND PROGRAM...: its results are indented, as run.sh does
one_program() {
	sealed "$@" | sed 's/^/  /'
}

# run_tests KERNEL SMP TEST...: with the variables in the array `settings`
run_tests() {
	! is_debug_kernel "$1" || settings+=(PROFIL_COUNTS=print)
	sealed "$1" "$2" "$(test_parameters "$1" "$2")" env "${settings[@]}" selftests/run.sh "${@:3}"
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

guest() {
	local tests=() settings=()

	case $2:$1 in
	1:*)
		tests=("${one_cpu_programs[@]}")
		;;
	2:*debug)
		tests=("${debug_programs[@]}" "${debug_attacks[@]}" machine/storm_test.sh
			machine/kunit_test.sh)
		if $all; then
			tests+=("${debug_long_programs[@]}")
		else
			settings+=(STORM_SECONDS=5)
		fi
		;;
	2:*)
		tests=("${module_programs[@]}" "${attack_programs[@]}" "${module_scripts[@]}")
		# The library does not depend on the kernel: in make check, one kernel suffices.
		if $all || [[ $1 != 6.12 ]]; then
			tests+=("${library_programs[@]}" "${library_scripts[@]}")
		fi
		;;
	4:*)
		tests=("${race_programs[@]}")
		;;
	esac
	run_tests "$1" "$2" "${tests[@]}"
}

# The oldest kernel that the module supports, and the newest one of Debian
version() {
	local settings=()

	run_tests "$1" 2 "${version_programs[@]}"
}

# Every allocation, page fault and user copy fails in turn; then no memory may be leaked.
faults() {
	local settings=()

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
	sealed 6.1 1 "possible_cpus=240" selftests/run.sh attacks/possible_cpus_cost_test \
		core/lifecycle_test attach/attach_records_test attach/attach_samples_test
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
		sealed $kernel 1 "" selftests/run.sh core/sample_cost_test core/others_cost_test ||
			status=1
	done
	return $status
}

# Programs in step with the tick, and bursts of microseconds
lockstep() {
	SHIFT=1 one_program 6.1 1 "" selftests/machine/lockstep_test.sh
}

# run_fuzzer SECONDS KERNEL: random programs, and the module's invariants
run_fuzzer() {
	make -s -C selftests/fuzz/device &&
	one_program "$2" 2 "" selftests/fuzz/device/fuzz --seconds "$1" \
		--corpus selftests/fuzz/device/corpus.txt
}

fuzz() {
	run_fuzzer 20 6.12
}

# Everything that is not specific to x86
arm64() {
	local tests

	mapfile -t tests < <(printf '%s\n' "${module_programs[@]}" "${library_programs[@]}" |
		grep -vE '/(vectors|regions)_test$')
	flock "$logs" make -s -C selftests arm64 &&
	WERROR=1 scripts/kernel/build-module "$(scripts/kernel/build-tree "$1")" &&
	sealed "$1" 2 "" selftests/run.sh "${tests[@]}" machine/storm_test.sh machine/module_test.sh
}
