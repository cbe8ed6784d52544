# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The steps of scripts/check/run: their lists, and which function runs each. A step prints what is
# wrong and returns nonzero if it fails. Sourced in the top folder of the checkout.

logs=build/check
# shellcheck source=../../selftests/lists.sh
. selftests/lists.sh
# shellcheck source=passed.sh
. scripts/check/passed.sh
# shellcheck source=static.sh
. scripts/check/static.sh
# shellcheck source=host.sh
. scripts/check/host.sh
# shellcheck source=guests.sh
. scripts/check/guests.sh

# The gate: each bug of selftests/bugs that a stock kernel can show is found here
# (mutation-test --gate). The longest steps come first.
gate_steps=(guest_6.12_smp2 command_short readers version_6.1 static_patches native unit sample_cost
	static_kernel fuzz documents static_changed static_scripts static_spelling static_spdx
	static_manuals static_bugs static_rooms static_tool_rooms static_abi static_version static_figures
	litmus)
# A debug kernel takes a quarter of an hour to build: the gate has its bugs if that was done.
! compgen -G "${passed_folder%/*}/built/6.12-debug-*/complete" >/dev/null || gate_steps+=(debug_bugs)
# What make check-full adds
full_steps=(debug_bugs debug_leak_bug guest_6.12-debug_smp2 guest_6.1_smp2 guest_6.1_smp2_long command_long
	command_end guest_6.12_smp2_long in_tree static_user static_patch_tests sanitize readers_long exports vm
	installed version_5.10 version_7.3 packages static_kernel_others lockstep unit_musl tickless
	coarse_timers many_cpus ftrace_kill)
# What make check-all adds. Debug kernels are in scripts/kernel/config; kcov guides the fuzzer by
# coverage, kcsan finds data races.
other_steps=(compiled_i386 compiled_riscv64 faults debug_long guest_6.12-kcsan_smp4 fuzz_6.12-kcov
	fuzz_6.12-kcsan arm64_6.1 arm64_6.12 guest_6.1_smp1 guest_6.12_smp1 guest_5.10_smp2
	guest_5.10_smp2_long guest_7.2-stock_smp2 guest_7.2-stock_smp2_long guest_6.1-rt_smp2
	guest_6.1-rt_smp2_long guest_6.12-rt_smp2 guest_6.12-rt_smp2_long guest_6.12-rtdebug_smp2
	guest_6.1-cloud_smp2 guest_6.1-cloud_smp2_long guest_6.12-cloud_smp2 guest_6.12-cloud_smp2_long
	guest_6.12-hz100_smp2 guest_6.12-hz100_smp2_long guest_6.12-hz1000_smp2
	guest_6.12-hz1000_smp2_long)

is_step() {
	[[ $1 == guest_?*_smp[124]?(_long) || $1 == version_?* ||
		" ${gate_steps[*]} ${full_steps[*]} ${other_steps[*]} " == *" $1 "* ]]
}

run_step() {
	local kernel=${1#*_}

	case $1 in
	guest_*_long) guest "${kernel%_smp*}" 2 long ;;
	guest_*) guest "${kernel%_smp*}" "${kernel##*_smp}" ;;
	fuzz_*) run_fuzzer "$kernel" --programs 2000 ;; # of a debug kernel: half an hour
	version_*) version "$kernel" ;;
	compiled_*) scripts/kernel/compile-module "6.12-$kernel" ;;
	arm64_*) arm64 "$kernel-arm64" ;;
	*) "$1" ;;
	esac
}
