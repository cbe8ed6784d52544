# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Shared by mutation-test and mutants: copies of the tree in which the module is changed, and
# guests that run tests with the changed module. Sourced in the top folder of the checkout.

# make_copy COPY: copy what a module is built from. Builds stay in COPY, so that only changed
# files are compiled again.
make_copy() {
	rm -rf "$1"
	mkdir -p "$1"
	cp -r module uapi version.mk scripts "$1"
}

# try_module TREE LOG KERNEL OPTION... -- COMMAND...
# Run COMMAND in a guest with the module of TREE, which PROFIL_MODULE names there. Output goes
# to LOG. Print one of these results; return 0 for the first four:
#   passed
#   the test fails
#   the kernel reports an error
#   the guest hangs
#   the module does not compile
#   the module cannot be loaded
#   the guest failed, exit status N
try_module() {
	local tree=$1 log=$2 kernel=$3 module status=0
	shift 3

	if ! module=$("$tree/scripts/kernel/build-module" "$(scripts/kernel/build-tree "$kernel")" \
			2>"$log"); then
		echo "the module does not compile"
		return 1
	fi
	PROFIL_MODULE=$module scripts/vm/run --kernel "$kernel" --module "$module" "$@" \
		>>"$log" 2>&1 || status=$?
	if [ $status = 0 ]; then
		echo "passed"
	elif [ $status = 124 ]; then
		echo "the guest hangs"
	elif grep -qE '^vm: .*(logged a warning|crashed or hung)' "$log"; then
		echo "the kernel reports an error"
	elif [ $status = 1 ] && grep -qE '^ *not ok ' "$log"; then
		echo "the test fails"
	elif grep -q '^vm: cannot load profil.ko' "$log"; then
		echo "the module cannot be loaded"
		return 1
	else
		echo "the guest failed, exit status $status"
		return 1
	fi
}

# claim FILE [MAX]: atomically increment the number in FILE and print it. Return 1 if it was
# MAX already.
claim() {
	local number

	{
		flock 9
		number=$(cat "$1" 2>/dev/null || echo 0)
		[ "$number" != "${2-}" ] || return 1
		echo $((number + 1)) | tee "$1"
	} 9>>"$1.lock"
}

# in_parallel N FUNCTION: run N instances of FUNCTION, each with the path of its own copy
in_parallel() {
	local i jobs=() failed=0

	for ((i = 1; i <= $1; i++)); do
		make_copy "build/changed/$i"
		"$2" "build/changed/$i" &
		jobs+=($!)
	done
	for i in "${jobs[@]}"; do
		wait "$i" || failed=1
	done
	return $failed
}
