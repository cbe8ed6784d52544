#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/vm/run keeps its promises: output and exit status come through unharmed,
# and a guest whose kernel complains fails, whatever the command said. Run
# natively; VM_TEST_KERNEL names another kernel than the default.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

kernel=${VM_TEST_KERNEL:-6.12}

vm() {
	../scripts/vm/run --kernel "$kernel" --mem 1G --no-module "$@" \
		>"$work/out" 2>"$work/err"
}

status() {
	local want=$1 got

	shift
	vm -- "$@"
	got=$?
	[ $got = "$want" ] || echo "# status $got instead of $want: $*"
	[ $got = "$want" ]
}

# Each boot costs seconds: one guest for both.
output_and_status() {
	head -c 1000000 /dev/urandom >"$work/random"
	status 77 sh -c 'cat "$1"; echo to stderr >&2; exit 77' sh "$work/random" &&
	cmp "$work/random" "$work/out" &&
	[ "$(cat "$work/err")" = 'to stderr' ]
}

arguments_and_user() {
	# shellcheck disable=SC2016 # for the guest's shell
	vm --user nobody -- sh -c 'id -un; printf "<%s>" "$@"' sh \
		'a b' "it's" '"q"' '' $'new\nline' 'ä$HOME' &&
	[ "$(cat "$work/out")" = "nobody
<a b><it's><\"q\"><><new
line><ä\$HOME>" ]
}

writes() {
	local mark=../build/vm-test-mark

	mkdir -p ../build
	rm -f "$mark"
	vm --smp 1 -- sh -c 'nproc >"$1"; touch /usr/vm-test-mark; ls /usr/vm-test-mark' \
		sh "$mark" && [ "$(cat "$mark")" = 1 ] &&
	[ -e "$mark" ] && [ ! -e /usr/vm-test-mark ] && rm "$mark"
}

# cpus N [OPTION...]
cpus() {
	vm --smp "$@" -- nproc && [ "$(cat "$work/out")" = "$1" ]
}

# A guest that warns, dies or hangs fails, and its kernel's log is named.
fails_and_names_log() {
	local want=$1 got log

	shift
	vm "$@"
	got=$?
	log=$(grep -o '/[^ ]*\.log' "$work/err" | tail -n 1)
	[ $got = "$want" ] && [ -n "$log" ] && [ -s "$log" ] && rm -f "$log"
}

log_is_suspect() {
	echo "[    1.0] WARNING: suspicious RCU usage" >"$work/log"
	../scripts/kernel/log-check "$work/log" >"$work/out" &&
		return 1
	echo "[    1.0] all is well" >"$work/log"
	../scripts/kernel/log-check "$work/log" >"$work/out"
}

interrupt() {
	local pid

	# default handling, as from a terminal: what a shell puts into the
	# background ignores ^C
	env --default-signal=INT ../scripts/vm/run --kernel "$kernel" \
		--no-module -- sh -c \
		'trap "echo got it; exit 7" INT; echo ready; sleep 100 & wait' \
		>"$work/out" 2>"$work/err" &
	pid=$!
	for _ in $(seq 3000); do
		grep -q ready "$work/out" && break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	kill -INT "$pid"
	wait "$pid"
	[ $? = 7 ] && grep -q 'got it' "$work/out"
}

# sealed SEED COMMAND [ARG...]: what a sealed guest says, the digest of its log included
sealed() {
	local seed=$1

	shift
	vm --sealed --shift 3 --seed "$seed" -- "$@" && cat "$work/out" "$work/err"
}

# The second time it shares one of the host's CPUs with a loop.
repeats_to_the_byte() {
	local said cpu loop same

	set -- sh -c 'dmesg; cat /proc/interrupts /proc/sys/kernel/random/uuid; nproc'
	said=$(sealed 5 "$@") || return
	cpu=$(taskset -pc $$ | grep -oE '[0-9]+' | tail -n 1)
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	loop=$!
	[ "$said" = "$(taskset -pc "$cpu" $BASHPID >"$work/cpu"; sealed 5 "$@")" ]
	same=$?
	kill $loop
	[ $same = 0 ] && [ "$said" != "$(sealed 6 "$@")" ]
}

has_its_own_files() {
	vm --sealed --shift 3 -- sh -c 'ls "$1"; cd /profil/selftests && ls lib/ktap.sh' sh \
		"$(cd .. && pwd)/Makefile" &&
	[ "$(cat "$work/out")" = lib/ktap.sh ]
}

ktap_print_header
ktap_set_plan 14
check "killed by a signal" status 143 sh -c 'kill -TERM $$'
check "command not found" status 127 /nonexistent
check "output is byte for byte, stderr apart, and so is the exit status" output_and_status
check "arguments are exact, and so is the user" arguments_and_user
check "one CPU; what is written outside the repository is gone" writes
check "four CPUs" cpus 4
check "two CPUs by the count of instructions" cpus 2 --icount --shift 3
check "a sealed guest repeats to the byte, and not with another seed" repeats_to_the_byte
check "a sealed guest has files of its own" has_its_own_files
check "a kernel warning" fails_and_names_log 125 -- \
	sh -c 'echo "<4>WARNING: CPU: 0 PID: 1 at test" >/dev/kmsg'
check "a lockdep report" log_is_suspect
check "a panic" fails_and_names_log 125 -- \
	sh -c 'echo c >/proc/sysrq-trigger'
check "time-out and ^C" eval \
	'fails_and_names_log 124 --timeout 10 -- sleep 1000 && interrupt'
check "usage errors" eval '! vm --nonsense -- true'
ktap_finished
