# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The steps that only read the source. Sourced by steps.sh.

files() {
	git ls-files -co --exclude-standard "$@"
}

# No warning at W=1, nor from sparse (C=2)
static_kernel() {
	warns_about_nothing 6.12 C=2 CF=-D__CHECK_ENDIAN__
}

# On the other stock kernel, and without sparse
static_kernel_others() {
	warns_about_nothing 6.1 && warns_about_nothing 6.1 C=2 CF=-D__CHECK_ENDIAN__ &&
	warns_about_nothing 6.12
}

# warns_about_nothing KERNEL MAKE-ARGUMENT...
warns_about_nothing() {
	local tree

	tree=$(scripts/kernel/build-tree "$1") &&
	WERROR=1 scripts/kernel/build-module "$tree" "${@:2}" >/dev/null
}

# The analyzers of the user's side
static_user() {
	find lib tools -name '*.c' | check_user_code
}

# The same for what the last commit and the work tree change; the rest is in check-full.
static_changed() {
	{ git diff --name-only --diff-filter=d HEAD~1 -- lib tools 2>/dev/null ||
		git ls-files lib tools
	git ls-files -o --exclude-standard lib tools; } | sed -n '/\.c$/p' | check_user_code
}

# check_user_code: cppcheck for all, which takes seconds; clang-tidy for the files on stdin
check_user_code() {
	local dialect sources

	make -s -C tools && # generated headers
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 \
		--enable=warning,performance,portability \
		--suppress=missingIncludeSystem -Iuapi -Ilib -Ilib/include -Itools lib tools ||
		return
	sources=$(grep -v '^tools/generated/')
	tidy < <(grep -vE '/(aix|osf1|solaris)\.c$' <<<"$sources") || return
	# these include their dialect's headers
	for dialect in aix osf1 solaris; do
		tidy "-Ilib/include/profil/$dialect" < <(grep -E "/$dialect\.c$" <<<"$sources") || return
	done
}

# tidy [FLAG...]: clang-tidy for the files on stdin; one at a time, as the analyzer of clang
# 14 does not know va_start() in the second file of a run. A file that passed is not read again
# before it, or any header, changes.
tidy() {
	local file digest shared status=0
	local flags=(-std=gnu11 -D_GNU_SOURCE -Iuapi -Ilib -Ilib/include -Itools
		"-DPROFIL_VERSION=\"\"" "$@")

	shared=$(dpkg-query -W; echo "${flags[@]}"
		find lib tools uapi -name '*.h' | sort | xargs cat .clang-tidy)
	while read -r file; do
		[[ $file ]] || continue # no file at all
		digest=$(cat - "$file" <<<"tidy $file $shared" | sha256sum | cut -c 1-32)
		find_passed "$digest" >/dev/null && continue
		if clang-tidy --quiet "$file" -- "${flags[@]}" 2>&1; then
			remember_passed "$digest"
		else
			status=1
		fi
	done
	return $status
}

# Half a minute, so not again before a script changes
static_scripts() {
	local scripts digest sourced

	mapfile -t scripts < <(files | while read -r file; do
		! head -n 1 "$file" | grep -qE '^#!.*(bash|sh)$' || echo "$file"
	done)
	# without "#!"
	sourced=(tools/completion/profil.bash module/dkms.conf)
	digest=$({
		echo static_scripts
		dpkg-query -W shellcheck
		files '*.sh' | xargs cat "${scripts[@]}" "${sourced[@]}"
	} | sha256sum | cut -c 1-32)
	find_passed "$digest" >/dev/null ||
		{ shellcheck -x -P SCRIPTDIR -S warning "${scripts[@]}" &&
			shellcheck -s bash -S warning "${sourced[@]}" && remember_passed "$digest"; }
}

# The macro at the start of a line of a manual page is not a word.
static_spelling() {
	files | grep -v '^LICENSES/' | xargs codespell --ignore-regex '^\.[A-Z][A-Za-z]\b'
}

# Every file names its license.
static_spdx() {
	! files | grep -vE '^(LICENSES/|COPYING$|scripts/kernel/series/|selftests/unit/support/golden/|doc/pictures/.*\.png$|debian/(changelog|source/format)$|.*\.md$)' |
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

# The rooms of tools/ include each other as the table in tools/README.md says; each file is in the README
# of its room.
static_tool_rooms() {
	local room rooms allowed file status=0

	rooms=$(sed -nE 's,^\| \[([a-z]+)/\].*,\1,p' tools/README.md | paste -sd'|')
	while read -r room allowed; do
		[[ $allowed != all ]] || continue
		! grep -nE "^#include \"($rooms)/" tools/"$room"/*.[ch] |
			grep -vE "\"($room${allowed:+|${allowed//, /|}})/" || status=1
	done < <(sed -nE 's,^\| \[([a-z]+)/\].*\| ?([a-z ,]*) ?\|$,\1 \2,p' tools/README.md)
	for file in tools/*/*.c; do
		[[ $file == tools/generated/* ]] || grep -q "^| \`${file##*/}\` |" "${file%/*}/README.md" ||
			{ echo "$file is not in the README of its room"; status=1; }
	done
	return $status
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

# What `make patch` writes, by all rules of the kernel, those for commit messages and MAINTAINERS too:
# the interface and the module
static_patches() {
	local source patches

	make_patches static_patches &&
	# tracepoints are laid out as everywhere in the kernel
	check_patches "$source" OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT "${patches[@]:0:2}"
}

# and the selftests, which take two minutes
static_patch_tests() {
	local IFS=, source patches

	make_patches static_patch_tests && check_patches "$source" "${user_space_rules[*]}" "${patches[2]}"
}

# make_patches FOLDER: sets `source`, the kernel's, and `patches`, their names
make_patches() {
	source=$(scripts/kernel/source 6.12) &&
	mapfile -t patches < <(scripts/kernel/patch "$source" "$logs/$1") &&
	[ ${#patches[@]} = 3 ]
}

# check_patches SOURCE IGNORED PATCH...: by the kernel's checkpatch
check_patches() {
	(cd "$1" && scripts/checkpatch.pl --strict --terse --no-summary --show-types --ignore "$2" "${@:3}")
}

# The tables of the documents are those of the known figures.
static_figures() {
	bench/document.py
}

# The order of the module's memory accesses
litmus() {
	scripts/check/litmus
}

static_abi() {
	scripts/check/abi
}

static_manuals() {
	mandoc -Tlint -W warning lib/man/* tools/man/*
}

