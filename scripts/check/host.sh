# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The steps without a guest, or with one that has this machine's files. Sourced by steps.sh.

unit() {
	make -s -C selftests/unit check
}

# The library with another C library
unit_musl() {
	make -s -C selftests check_musl
}

# Memory errors, undefined behaviour and leaks of the command
sanitize() {
	scripts/check/sanitize
}

# The fuzzers of what reads files and variables of other programs
readers() {
	make -s -C selftests/fuzz/readers check READER_RUNS=1500
}

readers_long() {
	make -s -C selftests/fuzz/readers check READER_RUNS=20000
}

# host_tests NAME...: selftests/host/NAME_test.sh
host_tests() {
	selftests/run.sh "${@/%/_test.sh}"
}

# What names files, options and tests; and what need not run again
documents() {
	host_tests host/documents host/inputs
}

native() {
	host_tests host/{fallback,headers,pages,usage,diff,listing,log,prof,top,cost,unwind}
}

# With the tools that read what is exported
exports() {
	host_tests host/{export,page,code,optimize,push}
}

# What is installed, and how
packages() {
	host_tests host/{install,distribution,dkms,rpm,release}
}

vm() {
	host_tests host/vm
}

# Tests of the command, which profiles this machine's programs: perl, make, the compiler
command_short() {
	command_tests "${command_scripts[@]}"
}

command_long() {
	command_tests "${command_long_scripts[@]}"
}

command_end() {
	command_tests "${command_end_scripts[@]}"
}

# command_tests SCRIPT...
command_tests() {
	scripts/vm/run --icount --shift 2 --smp 2 --mem 3G --timeout 3000 -- selftests/run.sh "$@"
}

# In the kernel's own tree: KUnit by kunit.py, with the module built in; then the module as a
# module, and the selftests
in_tree() {
	scripts/kernel/kunit && scripts/kernel/build-in-tree
}
