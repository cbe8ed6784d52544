#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What scripts/check/run does not run again: each input of a step, and of a sealed guest, is changed by
# one byte, and then the step has another digest. What is no input has no effect, and the step cannot
# see it. What failed is not remembered. Runs natively, in a small tree, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

top=$(readlink -f ..)
export PROFIL_CACHE=$work/cache CHECK_SEED=1
unset CHECK_FRESH
mkdir -p "$work/tree/selftests" "$work/tree/build" "$PROFIL_CACHE/kernels/6.12" \
	"$PROFIL_CACHE/kselftest-1/tools" "$PROFIL_CACHE/qemu-1/usr/bin" "$work/bin"
cp -r "$top/scripts" "$work/tree"
cp lists.sh "$work/tree/selftests"
mkdir "$work/tree/selftests/attacks" # which lists.sh looks for
cd "$work/tree" || exit 1
git init -q .
echo '*.o' >.gitignore
echo 1 >"$PROFIL_CACHE/kernels/6.12/version"
echo 1 >"$PROFIL_CACHE/kselftest-1/tools/lib.mk"
echo 1 >"$PROFIL_CACHE/qemu-1/usr/bin/qemu"

# shellcheck source=../../scripts/check/steps.sh
. scripts/check/steps.sh
# shellcheck source=../../scripts/check/inputs.sh
. scripts/check/inputs.sh

# print_anew STEP: its digest, with what is read once for all steps of scripts/check/run
print_anew() {
	# shellcheck disable=SC2016 # the inner shell's
	bash -c '. scripts/check/steps.sh; . scripts/check/inputs.sh; digest_of "$1"' - "$1"
}
print=digest_of
declare -A last=()

# matters STEP COMMAND...: the command changes the step's digest
matters() {
	[ -n "${last[$1]-}" ] || last[$1]=$($print "$1")
	"${@:2}"
	local now
	now=$($print "$1")
	[ -n "$now" ] && [ "$now" != "${last[$1]}" ] && last[$1]=$now
}

# of no effect
is_unimportant() {
	! matters "$@"
}

# Each step that has inputs, and the paths, of which those that are missing are made
mapfile -t steps < <(printf '%s\n' "${!inputs[@]}" | sort)
for step in "${steps[@]}"; do
	while read -r path; do
		path=${path#-}
		[[ -e $top/$path ]] || echo "# the input $path of $step does not exist"
		if [[ -d $top/$path ]]; then
			mkdir -p "$path"
			path=$path/file
		fi
		mkdir -p "$(dirname "$path")"
		[[ -e $path ]] || echo 1 >"$path"
	done < <(inputs_of "$step")
done

# one byte in a file of each path of a step; and files that come, go, and become executable
each_path_of() {
	local path file

	while read -r path; do
		if [[ $path == -* ]]; then
			is_unimportant "$1" sh -c 'echo >>"$1"' - "${path#-}/file" || return
			continue
		fi
		[ -e "$top/$path" ] && file=$(find "$path" -maxdepth 1 -type f | head -n 1) &&
			matters "$1" sh -c 'echo >>"$1"' - "$file" ||
			{ echo "$path" >"$work/err"; return 1; }
	done < <(inputs_of "$1")
	path=$(inputs_of "$1" | while read -r path; do
		[ ! -d "$path" ] || echo "$path"
	done | head -n 1)
	matters "$1" touch "$path/new" && matters "$1" chmod +x "$path/new" &&
		matters "$1" mv "$path/new" "$path/newer" && matters "$1" rm "$path/newer"
}

other_files() {
	local -A last=()

	echo 1 >README.md
	is_unimportant unit sh -c 'echo 2 >README.md' &&
	is_unimportant unit touch build/new &&
	is_unimportant unit touch lib/new.o
}

# package: another version, by a program of the package manager's name
installed_packages() {
	local print=print_anew
	local -A last=()

	printf '#!/bin/sh\necho bash "$(cat %s)"\n' "$work/version" >"$work/bin/dpkg-query"
	chmod +x "$work/bin/dpkg-query"
	echo 1 >"$work/version"
	PATH=$work/bin:$PATH matters unit sh -c 'echo 2 >"$1"' - "$work/version"
}

downloads() {
	local print=print_anew
	local -A last=()

	matters unit sh -c 'echo 2 >"$1"' - "$PROFIL_CACHE/kernels/6.12/version" &&
	matters unit sh -c 'echo 2 >"$1"' - "$PROFIL_CACHE/kselftest-1/tools/lib.mk" &&
	matters unit sh -c 'echo 2 >"$1"' - "$PROFIL_CACHE/qemu-1/usr/bin/qemu"
}

# change_variable NAME: for the commands after it
change_variable() {
	export "$1=other$RANDOM"
}

variables() {
	local -A last=()

	matters unit change_variable CFLAGS && matters unit change_variable CC &&
	matters readers change_variable CHECK_SEED && is_unimportant unit change_variable CHECK_SEED &&
	is_unimportant unit change_variable CHECK_JOBS
}

# A sealed guest: each file and option of scripts/vm/inputs
guest() {
	local before name

	mkdir "$work/guest" && cp /bin/true "$work/guest/emulator" || return
	for name in programs profil job kernel boot; do
		echo 1 >"$work/guest/$name"
	done
	# shellcheck disable=SC2317 # called by its name below
	inputs() {
		"$top/scripts/vm/inputs" "$work/guest" "$work/guest/emulator" "$work/guest/kernel" \
			"$work/guest/boot" -smp 2 "$@" 2>/dev/null
	}
	for name in programs profil job kernel boot emulator; do
		before=$(inputs)
		printf x >>"$work/guest/$name"
		[ "$(diff <(echo "$before") <(inputs) | grep -c "^> .*  $name\$")" = 1 ] ||
			{ echo "$name" >"$work/err"; return 1; }
	done
	[ "$(inputs -m 1G)" != "$(inputs -m 2G)" ]
}

# The steps of the real tree are hidden but for their inputs.
hidden() {
	[ "$(scripts/check/only lib -- sh -c 'echo *')" = "build lib scripts" ] &&
	[ "$(scripts/check/only lib -- sh -c 'cat lib/file')" = "$(cat lib/file)" ] &&
	[ "$(scripts/check/only lib -lib/man -- sh -c 'echo lib/man/*')" = "lib/man/*" ] &&
	[ -e README.md ]
}

# A step of the small tree, which counts its runs
remembered() {
	mkdir -p lib/man tools/man "$work/bin"
	printf '#!/bin/sh\necho run >>%s\n[ ! -e %s ]\n' "$work/runs" "$work/fails" >"$work/bin/mandoc"
	chmod +x "$work/bin/mandoc"
	local PATH=$work/bin:$PATH CHECK_SEED=1
	unset CHECK_JOBS

	: >"$work/runs"
	# runs N STATUS: the step has run N times in all
	# shellcheck disable=SC2317 # called below
	runs() {
		scripts/check/run static_manuals >"$work/out" 2>&1
		[ $? = "$2" ] && [ "$(wc -l <"$work/runs")" = "$1" ] ||
			{ cp "$work/out" "$work/err"; return 1; }
	}
	touch "$work/fails"
	runs 1 1 && runs 2 1 && rm "$work/fails" &&
	runs 3 0 && runs 3 0 && grep -q 'same inputs as at ' "$work/out" &&
	CHECK_FRESH=1 runs 4 0 && echo 2 >lib/man/new.1 && runs 5 0 && runs 5 0 &&
	rm lib/man/new.1 && runs 5 0
}

ktap_print_header
ktap_set_plan $((${#steps[@]} + 7))
for step in "${steps[@]}"; do
	check "each path of $step" each_path_of "$step"
done
check "files that are no inputs" other_files
check "packages" installed_packages
check "downloads" downloads
check "variables" variables
check "each input of a sealed guest" guest
if unshare --mount true 2>/dev/null; then
	check "other files are hidden" hidden
else
	ktap_test_skip "other files are hidden: no right to mount"
fi
check "what failed runs again, and what passed does not" remembered
ktap_finished
