# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What decides the result of a step. Sourced by scripts/check/run, after steps.sh.
#
# A sealed guest knows its inputs to the byte (scripts/vm/run --once). The steps below run on this
# machine, or in a guest that has its files. Their inputs are paths of the checkout, and nothing else
# of the checkout exists for them (scripts/check/only); scripts/check; this machine's packages, and
# what the project has downloaded; and the environment. A step that is not here sees the whole
# checkout, and always runs. A path after a minus is no input, though its folder is one.

# What builds the library, the command and the programs of the selftests
code="lib -lib/man module tools -tools/man uapi version.mk scripts/deps scripts/kernel selftests/lib selftests/programs
	selftests/Makefile selftests/kselftest.mk selftests/checkout.mk selftests/other_targets.mk
	selftests/pages.mk"
unit_code="$code selftests/unit selftests/libprofil"
# and their tests without a guest
host_code="$unit_code selftests/host selftests/run.sh"
# and with one that has this machine's files
command_code="$code selftests containers scripts/vm scripts/demo-words.pl"
# the patches for a kernel's tree
kernel_code="module uapi version.mk scripts/kernel scripts/deps selftests LICENSES"

declare -A inputs=(
	[unit]=$unit_code
	[unit_musl]=$unit_code
	[sanitize]=$unit_code
	[readers]="$unit_code selftests/fuzz/readers"
	[readers_long]="$unit_code selftests/fuzz/readers"
	[native]=$host_code
	[exports]=$host_code
	[static_kernel]="module uapi version.mk scripts/kernel scripts/deps"
	[static_patches]=$kernel_code
	[static_patch_tests]=$kernel_code
	[in_tree]="$kernel_code lib"
	[command_short]=$command_code
	[command_long]=$command_code
	[command_end]=$command_code
	[static_manuals]="lib/man tools/man"
	[litmus]="module selftests/litmus scripts/deps scripts/kernel"
)
# These have random inputs from CHECK_SEED, which the others do not see.
seeded_steps="readers readers_long"

# inputs_of STEP: its paths, a line each
inputs_of() {
	# shellcheck disable=SC2086 # words
	[[ ! ${inputs[$1]-} ]] || printf '%s\n' ${inputs[$1]} .gitignore scripts/check selftests/lists.sh | sort -u
}

# environment_of STEP: the variables that a step has, a line each. No others reach it.
environment_of() {
	local names='PATH|HOME|USER|LOGNAME|TMPDIR|CC|CFLAGS|LDFLAGS|PROFIL_CACHE|XDG_CACHE_HOME|[a-z]*_proxy'

	[[ ${inputs[$1]-} && " $seeded_steps " != *" $1 "* ]] || names+='|CHECK_SEED'
	env | grep -E "^($names)="
}

# What all steps share: packages, and what was downloaded and not installed
machine=$(
	dpkg-query -W 2>/dev/null
	uname -srm
	cd "${passed_folder%/*}" 2>/dev/null && find kernels/*/version kselftest-*/tools qemu-*/usr/bin \
		herdtools7-*/usr/bin built/source-*/tools/memory-model \
		-type f -print0 2>/dev/null | sort -z | xargs -0r sha256sum
)

# digest_of STEP: of its inputs; nothing if they are not named
digest_of() {
	local paths files

	[[ ${inputs[$1]-} ]] || return 0
	mapfile -t paths < <(inputs_of "$1")
	mapfile -d '' -t files < <(git ls-files -coz --exclude-standard -- "${paths[@]/#-/:!}" 2>/dev/null | sort -z)
	((${#files[@]})) || return 0 # no repository
	{
		echo "$1 $machine"
		environment_of "$1"
		# the contents, and which are executable
		sha256sum "${files[@]}"
		stat -c '%A %n' "${files[@]}" | cut -c 4,11-
	} 2>&1 | sha256sum | cut -c 1-32
}

# The seed changes with each commit that may change what enters a guest.
seed_of_commit() {
	local commit

	commit=$(git log -1 --format=%H -- module uapi lib selftests ':!*.md' ':!selftests/bugs' \
		':!selftests/fuzz/readers' ':!selftests/host' \
		':!selftests/unit' 2>/dev/null) || true
	echo $((16#0${commit:0:5}))
}
