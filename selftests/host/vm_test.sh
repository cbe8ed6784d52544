#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/vm/run passes output and exit status on unchanged, and fails if the guest's kernel reports
# a bug, whatever the status of the command is. Runs natively. VM_TEST_KERNEL is the kernel, 6.12
# by default.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

kernel=${VM_TEST_KERNEL:-6.12}

vm() {
	../scripts/vm/run --kernel "$kernel" --mem 1G --no-module "$@" \
		>"$work/out" 2>"$work/err"
}

# has_status STATUS COMMAND [ARG...]
has_status() {
	local want=$1 got

	shift
	vm -- "$@"
	got=$?
	[ $got = "$want" ] || echo "# status $got instead of $want: $*"
	[ $got = "$want" ]
}

# One guest for both, because each boot takes seconds.
output_and_status() {
	head -c 1000000 /dev/urandom >"$work/random"
	has_status 77 sh -c 'cat "$1"; echo to stderr >&2; exit 77' sh "$work/random" &&
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

# has_cpus N [OPTION...]
has_cpus() {
	vm --smp "$@" -- nproc && [ "$(cat "$work/out")" = "$1" ]
}

# fails_and_names_log STATUS ARG...: the run has this status, and prints the path of the kernel log. In
# the time of a time-out (124), a busy machine may have written nothing to it.
fails_and_names_log() {
	local want=$1 got log

	shift
	vm "$@"
	got=$?
	log=$(grep -o '/[^ ]*\.log' "$work/err" | tail -n 1)
	[ $got = "$want" ] && [ -n "$log" ] && { [ "$want" = 124 ] || [ -s "$log" ]; } && rm "$log"
}

log_has_report() {
	echo "[    1.0] WARNING: suspicious RCU usage" >"$work/log"
	lib/log-check.sh "$work/log" >"$work/out" &&
		return 1
	echo "[    1.0] all is well" >"$work/log"
	lib/log-check.sh "$work/log" >"$work/out"
}

interrupt() {
	local pid

	# default handling, as from a terminal: background jobs of a shell ignore ^C
	env --default-signal=INT ../scripts/vm/run --kernel "$kernel" \
		--no-module -- sh -c \
		'trap "echo got it; exit 7" INT; echo ready; sleep 100 & wait' \
		>"$work/out" 2>"$work/err" &
	pid=$!
	wait_while "$pid" grep -q ready "$work/out" && kill -INT "$pid"
	wait "$pid"
	[ $? = 7 ] && grep -q 'got it' "$work/out"
}

# sealed_output SEED COMMAND [ARG...]: prints all output of a sealed guest, and its log's digest
sealed_output() {
	local seed=$1

	shift
	vm --sealed --shift 3 --seed "$seed" -- "$@" && cat "$work/out" "$work/err"
}

# The second guest shares a CPU of the host with a busy loop.
repeats_exactly() {
	local output cpu loop same

	set -- sh -c 'dmesg; cat /proc/interrupts /proc/sys/kernel/random/uuid; nproc'
	output=$(sealed_output 5 "$@") || return
	cpu=$(taskset -pc $$ | grep -oE '[0-9]+' | tail -n 1)
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	loop=$!
	[ "$output" = "$(taskset -pc "$cpu" $BASHPID >"$work/cpu"; sealed_output 5 "$@")" ]
	same=$?
	kill $loop
	[ $same = 0 ] && [ "$output" != "$(sealed_output 6 "$@")" ]
}

# copy_checkout FOLDER: a checkout there, with some of its programs built
copy_checkout() {
	mkdir -p "$1" &&
	(cd .. && git ls-files -coz --exclude-standard |
		tar -c --null --ignore-failed-read -T -) | tar -x -C "$1" &&
	make -s -C "$1/selftests" core/bins_test programs/spin-go
}

# digests FOLDER SEED: prints the digests of a guest with the module of this checkout. Those of
# its inputs are in FOLDER.inputs.
digests() {
	"$1/scripts/vm/run" --kernel "$kernel" --mem 1G --sealed --shift 3 --seed "$2" \
		--inputs "$1.inputs" -- sh -c 'dmesg; cat /proc/interrupts' \
		>"$work/out" 2>"$work/err" && grep inputs "$work/err"
}

# The checkouts differ in their folder, umask, directory for temporary files and environment,
# and one packs all archives anew.
is_the_same_elsewhere() {
	local cache=${PROFIL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/profil} one other

	mkdir "$work/cache" "$work/temporary-files" &&
	ln -s "$cache"/* "$work/cache" &&
	rm "$work/cache/vm" && mkdir "$work/cache/vm" &&
	copy_checkout "$work/one" && one=$(digests "$work/one" 5) &&
	(umask 077 && copy_checkout "$work/a-longer-folder/other") &&
	other=$(umask 077; PROFIL_CACHE=$work/cache TMPDIR=$work/temporary-files LC_ALL=C.UTF-8 \
		PROFIL_NAME=value digests "$work/a-longer-folder/other" 5) &&
	diff "$work/one.inputs" "$work/a-longer-folder/other.inputs" &&
	[ "$one" = "$other" ]
}

# Needs the checkout of is_the_same_elsewhere(). The seed is in the job and in the kernel's
# parameters.
inputs_show_what_differs() {
	cp "$work/one.inputs" "$work/before" &&
	cp "$work/one/selftests/programs/spin-go" "$work/one/selftests/core/bins_test" &&
	digests "$work/one" 6 >"$work/six" &&
	[ "$(diff "$work/before" "$work/one.inputs" | awk '/^>/ { print $3 }' | xargs)" = \
		'profil job options' ]
}

has_its_own_files() {
	vm --sealed --shift 3 -- sh -c 'ls "$1"; cd /profil/selftests && ls lib/ktap.sh' sh \
		"$(cd .. && pwd)/Makefile" &&
	[ "$(cat "$work/out")" = lib/ktap.sh ]
}

# runs_again STATUS OPTION... -- COMMAND: a guest with --once boots, and has this status
runs_again() {
	local want=$1 got

	shift
	vm --sealed --once --shift 3 --files selftests/lib "$@"
	got=$?
	[ $got = "$want" ] && ! grep -q 'same inputs as at' "$work/err"
}

# What passed is printed, and not run again with the same inputs. What failed is.
runs_once() {
	local command=(--seed 5 -- sh -c 'ls /profil/selftests; echo error >&2')

	CHECK_FRESH=1 runs_again 0 "${command[@]}" && cp "$work/out" "$work/first" &&
	grep -qx lib "$work/first" && ! runs_again 0 "${command[@]}" &&
	cmp "$work/first" "$work/out" && grep -qx error "$work/err" &&
	grep -q 'inputs [0-9a-f]*, kernel log' "$work/err" &&
	runs_again 3 --seed 5 -- sh -c 'exit 3' && runs_again 3 --seed 5 -- sh -c 'exit 3'
}

ktap_print_header
ktap_set_plan 17
check "a command killed by a signal has status 143" has_status 143 sh -c 'kill -TERM $$'
check "a command that does not exist has status 127" has_status 127 /nonexistent
check "output, standard error and exit status are unchanged" output_and_status
check "arguments are unchanged, and --user sets the user" arguments_and_user
check "one CPU; only files in the repository are kept" writes
check "--smp: four CPUs" has_cpus 4
check "--icount: two CPUs, with time by instructions" has_cpus 2 --icount --shift 3
check "a sealed guest repeats exactly, and differs with another seed" repeats_exactly
check "a sealed guest is the same in another folder, with another umask and a new cache" \
	is_the_same_elsewhere
check "a changed program and another seed change the digests of the inputs" \
	inputs_show_what_differs
check "a sealed guest has its own files" has_its_own_files
check "with --once, a sealed guest that passed is not run again" runs_once
check "a kernel warning fails the run" fails_and_names_log 125 -- \
	sh -c 'echo "<4>WARNING: CPU: 0 PID: 1 at test" >/dev/kmsg'
check "a lockdep report is found" log_has_report
check "a panic fails the run" fails_and_names_log 125 -- \
	sh -c 'echo c >/proc/sysrq-trigger'
check "a timeout ends the guest, and ^C reaches the command" eval \
	'fails_and_names_log 124 --timeout 10 -- sleep 1000 && interrupt'
check "an unknown option is refused" eval '! vm --nonsense -- true'
ktap_finished
