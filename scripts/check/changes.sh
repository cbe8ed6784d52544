# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What check/mutation-test and check/mutants share: copies of the tree whose module is changed, and
# machines that run tests with it. To be sourced at the top of the checkout.

# make_copy COPY: of what a module is built from. Its builds are kept while it is used, so
# that only what is changed is compiled anew.
make_copy() {
	rm -rf "$1"
	mkdir -p "$1"
	cp -r module uapi scripts "$1"
}

# try_module TREE LOG KERNEL OPTION... -- COMMAND...
# Runs COMMAND in a machine with the module of TREE, which PROFIL_MODULE names there. What
# is said goes to LOG. Prints one line; exit status 0 if it is one of the first four:
#   passed
#   the test fails
#   the kernel reports an error
#   the machine hangs
#   it does not compile
#   the module cannot be loaded
#   the machine came to nothing, exit status N
try_module() {
	local tree=$1 log=$2 kernel=$3 module status=0
	shift 3

	if ! module=$("$tree/scripts/kernel/build-module" "$(scripts/kernel/build-tree "$kernel")" \
			2>"$log"); then
		echo "it does not compile"
		return 1
	fi
	PROFIL_MODULE=$module scripts/vm/run --kernel "$kernel" --module "$module" "$@" \
		>>"$log" 2>&1 || status=$?
	if [ $status = 0 ]; then
		echo "passed"
	elif [ $status = 124 ]; then
		echo "the machine hangs"
	elif grep -qE '^vm: .*(logged a warning|crashed or hung)' "$log"; then
		echo "the kernel reports an error"
	elif [ $status = 1 ] && grep -qE '^ *not ok ' "$log"; then
		echo "the test fails"
	elif grep -q '^vm: cannot load profil.ko' "$log"; then
		echo "the module cannot be loaded"
		return 1
	else
		echo "the machine came to nothing, exit status $status"
		return 1
	fi
}

# claim FILE [MOST]: count the number in FILE up, for one of several processes. Prints it;
# exit status 1 where it is MOST already.
claim() {
	local number

	{
		flock 9
		number=$(cat "$1" 2>/dev/null || echo 0)
		[ "$number" != "${2-}" ] || return 1
		echo $((number + 1)) | tee "$1"
	} 9>>"$1.lock"
}

# in_parallel N FUNCTION: run it N times at once, each with the path of a copy of its own
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
