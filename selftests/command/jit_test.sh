#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the profil command on programs that make code while they run, and write its names. PROFIL:
# path of the command (default: the tree's).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=$(realpath "${PROFIL:-../tools/profil}")
JIT=$PWD/programs/jit

rows() {
	"$PROFIL" report "$@" "$work/result" | grep -v '^#'
}

# run ARG...: runs profil with these arguments, in a directory for the files of the program, and
# removes the maps of the processes
run() {
	(cd "$work" && "$PROFIL" -c tick -o result -t profile "$@" >out 2>err) &&
	rows --by process | awk '{ print "/tmp/perf-" $6 ".map" }' | xargs rm -f
}

# samples PATTERN: prints the number of samples of rows whose object and function match
samples() {
	rows --full-names | awk -v pattern="^$1\$" '{
		n = $3; sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, "")
		if ($0 ~ pattern) sum += n
	} END { print sum + 0 }'
}

# due N: prints 100 times the CPU time of the program's Nth function, over all processes
due() {
	awk -v n="$1" '{ sum += 100 * $n } END { print sum }' "$work/out"
}

# made PROCESSES COMMAND...: whether both functions have the samples of their time. At each end of
# a function in a process, the phase accounts for up to one sample more or less. Loops and calls of
# the program's own code between them take less than a sample.
made() {
	local processes=$1 much less

	shift
	run "$@" && much=$(samples '\[jit\] +made_much') &&
	less=$(samples '\[jit\] +made less') &&
	between "-$((2 * processes))" "$(awk "BEGIN { print $much - $(due 1) }")" "$((2 * processes))" &&
	between "-$((2 * processes))" "$(awk "BEGIN { print $less - $(due 2) }")" "$((2 * processes))"
}

# The functions of two processes are at other addresses, as the kernel chooses them.
two_processes() {
	# shellcheck disable=SC2016 # for the profiled shell
	made 2 sh -c '"$1" 0.4 map & "$1" 0.4 map; wait' sh "$JIT" &&
	[ "$(rows --full-names | grep -c 'made_much')" = 1 ]
}

# In a container, the process has another ID. It runs long enough for profil, which reads the log
# once per second, to find out that ID while it runs.
in_a_namespace() {
	rm -f /tmp/perf-1.map && made 1 unshare --pid --fork "$JIT" 2 map && rm /tmp/perf-1.map
}

exported() {
	made 1 "$JIT" 0.4 map &&
	"$PROFIL" export --folded "$work/result" | grep -q '^\[jit\];made less [0-9]' &&
	"$PROFIL" export --json "$work/result" | grep -q '"name":"made_much"' &&
	"$PROFIL" diff "$work/result" "$work/result" | grep -q 'made_much'
}

# It has no source, and the message says so.
annotated() {
	local function

	made 1 "$JIT" 0.4 map &&
	for function in made_much '[jit]'; do
		! "$PROFIL" report --annotate "$function" "$work/result" 2>"$work/err" &&
		grep -qF "$function is code without a file" "$work/err" || return
	done
}

# A map with these names that belongs to another user, and so is not the program's
of_another_user() {
	# shellcheck disable=SC2016 # for the profiled shell
	run sh -c 'cp names "/tmp/perf-$$.map" && chown 65532 "/tmp/perf-$$.map" && exec "$1" 0.4 mmap' \
		sh "$PWD/programs/follow" && [ "$(samples '.* wrong.*')" = 0 ] &&
	[ "$(samples '\[jit\] +\[jit\]')" -ge 38 ]
}

# What node compiles has names. A few stubs may have none.
node_program() {
	cat >"$work/hot.js" <<-'END'
	function hotFunction(n) {
		let sum = 0;
		for (let i = 0; i < n; i++)
			sum = (sum * 31 + i) % 1000003;
		return sum;
	}
	const end = process.cpuUsage().user + 2e6;
	let sum = 0;
	while (process.cpuUsage().user < end)
		sum += hotFunction(1e6);
	console.log(sum);
	END
	run node --perf-basic-prof hot.js &&
	between 50 "$(samples '.* JS:.hotFunction .*')" 220 &&
	[ "$(samples '\[jit\] +\[jit\]')" -le 10 ]
}

ktap_print_header
need_device
uninterrupted
ktap_set_plan 9
check "names from a map that is written at exit" made 1 "$JIT" 0.4 map
check "names from a dump" made 1 "$JIT" 0.4 dump
check "a forked child runs the code of its parent" made 1 "$JIT" 0.4 fork
check "two processes: a function is one row" two_processes
check "exports and diff have the names" exported
check "--annotate" annotated
if [ "$(id -u)" = 0 ]; then
	check "a process in another PID namespace" in_a_namespace
	echo "0 7fffffffffff wrong" >"$work/names"
	check "a map of another user is not read" of_another_user
else
	ktap_test_skip "a process in another PID namespace: needs root"
	ktap_test_skip "a map of another user is not read: needs root"
fi
if command -v node >/dev/null; then
	check "node --perf-basic-prof" node_program
else
	ktap_test_skip "node: not installed"
fi
ktap_finished
