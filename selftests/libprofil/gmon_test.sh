#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs compiled with -pg: the files of their shared objects, and what is left when the program
# does not end by exit() (PROFIL_GMON_KEEP). Reads the files with gprof. The clock must count
# instructions (scripts/vm/run --icount).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

programs=$PWD/programs
library=$PWD/../lib/libprofil.so
kept=$programs/kept plug=$programs/plug.so other=$programs/plug-other.so
RATE=1000
seconds=0.5

# kept ARG...: runs the program in an empty directory, with its output in $work/out and err.
# Return: its exit status
kept() {
	rm -rf "$work/dir"
	mkdir -p "$work/dir/jail"
	(cd "$work/dir" && exec env LD_PRELOAD="$library" PROFIL_RATE=$RATE "$kept" $seconds "$@") \
		>"$work/out" 2>"$work/err"
}

# keep ARG...: the same, with a companion
keep() {
	PROFIL_GMON_KEEP=1 kept "$@"
}

# same A B: whether they are equal
same() {
	[ "$1" = "$2" ] || { echo "# $1 is not $2"; false; }
}

# samples OBJECT FILE FUNCTION: prints its number of samples in gprof's flat profile
samples() {
	gprof -bp "$1" "$work/dir/$2" | awk -v name="$3" -v rate=$RATE '
		$NF == name && $1 ~ /^[0-9.]+$/ { n = $3 * rate } END { print int(n + 0.5) }'
}

# calls OBJECT FILE FUNCTION: prints its number of calls; 0 if none were recorded
calls() {
	gprof -bp "$1" "$work/dir/$2" | awk -v name="$3" '
		$NF == name && NF == 7 { n = $4 } END { print n + 0 }'
}

# field NUMBER [LINE]: a field of a line "work" that the program printed
field() {
	grep '^work ' "$work/out" | sed -n "${2:-1}p" | cut -d ' ' -f "$1"
}

# appears FILE: waits until it exists: after a signal, it follows the end of the program.
appears() {
	wait_for test -e "$work/dir/$1"
}

# worked FIELD PID: the sum of a field of all lines "work" of the process: 3, its rounds; 4, its ms
worked() {
	awk -v field="$1" -v pid="$2" '$1 == "work" && $2 == pid { n += $field }
		END { print n + 0 }' "$work/out"
}

# are_due SAMPLES SHARE MS: whether a function with this share of the CPU time has its samples, one for
# each ms, plus or minus 4 standard deviations of as many at random points, and 5 as gprof rounds
# to 10 ms. A round takes some 40 ms, so that the CPU time is not that in the arguments.
are_due() {
	awk -v samples="$1" -v share="$2" -v ms="$3" 'BEGIN {
		due = share * ms
		allowed = 4 * sqrt(due * (1 - share)) + 5
		if (samples < due - allowed || samples > due + allowed) {
			print "# " samples " samples are not " due " +- " allowed
			exit 1
		}
	}'
}

# program_agrees FILE PID: whether gprof shows the time and calls of the program's own function, which
# has half of the time
program_agrees() {
	are_due "$(samples "$kept" "$1" own)" 0.5 "$(worked 4 "$2")" &&
	same "$(calls "$kept" "$1" own)" "$(worked 3 "$2")"
}

# plug_agrees FILE PID: the same for the functions of the shared object
plug_agrees() {
	local name

	are_due "$(samples "$plug" "$1" three_quarters)" 0.375 "$(worked 4 "$2")" &&
	are_due "$(samples "$plug" "$1" one_quarter)" 0.125 "$(worked 4 "$2")" || return
	for name in plug three_quarters one_quarter; do
		same "$(calls "$plug" "$1" $name)" "$(worked 3 "$2")" || return
	done
}

# process_agrees PID FILE: both, for the program's FILE
process_agrees() {
	appears "$2" && appears "gmon.out.$1.plug.so" &&
	program_agrees "$2" "$1" && plug_agrees "gmon.out.$1.plug.so" "$1"
}

# both_agree: whether the files of the program and of its shared object agree with its output
both_agree() {
	grep -q '^work .* right$' "$work/out" && ! grep -q wrong "$work/out" &&
	[ ! -s "$work/err" ] &&
	process_agrees "$(field 2)" gmon.out
}

# only_files NUMBER: whether there are no others, such as temporary ones
only_files() {
	same "$(find "$work/dir" -type f | wc -l)" "$1"
}

loaded_object() {
	kept "$plug" exit && both_agree && only_files 2 &&
	# gprof shows callers outside the object as _init()
	gprof -bq "$plug" "$work/dir/gmon.out.$(field 2).plug.so" | grep -A1 '_init' |
		grep -q '^\[.* plug \['
}

without_library() {
	rm -rf "$work/dir"
	mkdir -p "$work/dir"
	(cd "$work/dir" && "$kept" 0.1 "$plug" exit) >"$work/out" 2>"$work/err" &&
	same "$(ls "$work/dir")" gmon.out
}

prefix() {
	GMON_OUT_PREFIX=x kept "$plug" exit &&
	program_agrees "x.$(field 2)" "$(field 2)" &&
	plug_agrees "x.$(field 2).plug.so" "$(field 2)" && only_files 2
}

reload() {
	local pid

	kept "$plug" reload "$other" && pid=$(field 2) && program_agrees gmon.out "$pid" || return
	# one object before and after the other
	are_due "$(samples "$plug" "gmon.out.$pid.plug.so" three_quarters)" 0.375 \
		$(($(field 4) + $(field 4 3))) &&
	same "$(calls "$plug" "gmon.out.$pid.plug.so" plug)" $(($(field 3) + $(field 3 3))) &&
	are_due "$(samples "$other" "gmon.out.$pid.plug-other.so" three_quarters)" 0.375 \
		"$(field 4 2)" &&
	same "$(calls "$other" "gmon.out.$pid.plug-other.so" plug)" "$(field 3 2)" && only_files 3
}

no_companion() {
	! kept "$plug" signal 9 && ! kept "$plug" signal 15 && sleep 1 && only_files 0
}

at_exit() {
	keep "$plug" exit && both_agree && only_files 2
}

at__exit() {
	keep "$plug" _exit && both_agree && only_files 2
}

# at_signal NUMBER
at_signal() {
	keep "$plug" signal "$1"
	same $? $((128 + $1)) &&
	sed -i '/Killed\|Terminated\|Segmentation/d' "$work/err" && both_agree && only_files 2
}

# Killed from outside. An earlier file stays until then.
while_busy() {
	local pid

	# not that of the test before
	: >"$work/out"
	keep "$plug" busy &
	wait_for grep -q ^work "$work/out" && pid=$(field 2) &&
	wait_for grep -q '^State:.*stopped' "/proc/$pid/status" || return
	[ ! -e "$work/dir/gmon.out" ] && echo earlier >"$work/dir/gmon.out" || return
	kill -KILL "$pid"
	wait
	appears "gmon.out.$pid.plug.so" && ! grep -q earlier "$work/dir/gmon.out" &&
	: >"$work/err" && both_agree && only_files 2
}

other_root_and_user() {
	keep "$plug" jail jail && both_agree && only_files 2
}

# Without a companion, that user cannot write.
jail_without_companion() {
	kept "$plug" jail jail && grep -q 'samples not written.*EACCES' "$work/err" && only_files 0
}

daemon() {
	keep "$plug" daemon && both_agree && only_files 2
}

forked_child() {
	local parent child

	keep "$plug" fork && child=$(sed -n 's/^child //p' "$work/out") &&
	parent=$(awk -v child="$child" '$1 == "work" && $2 != child { print $2 }' "$work/out") &&
	process_agrees "$parent" gmon.out && process_agrees "$child" "gmon.out.$child" &&
	only_files 4
}

executes() {
	keep "$plug" exec /bin/true && both_agree && only_files 2
}

nothing_left() {
	keep "$plug" exit && wait_for not pgrep -x profil-gmon >/dev/null
}

# The program closes its end of a pipe, and runs on: the companion must not have another.
pipe_ends() {
	rm -rf "$work/dir" && mkdir -p "$work/dir" && mkfifo "$work/fifo" || return
	(cd "$work/dir" && PROFIL_GMON_KEEP=1 LD_PRELOAD="$library" exec "$kept" 0.1 "$plug" \
		busy >"$work/fifo") &
	cat "$work/fifo" >"$work/out" && kill -KILL $!
	wait
	grep -q ^work "$work/out" && appears gmon.out
}

file_limit() {
	(ulimit -f 1000; keep "$plug" exit) && grep -q 'EFBIG.*ulimit -f' "$work/err" &&
	: >"$work/err" && both_agree
}

ktap_print_header
need_root_and_device
uninterrupted
if ! command -v gprof >/dev/null; then
	skip_all "no gprof: install binutils"
fi
ktap_set_plan 19
check "a shared object that is loaded has its own file" loaded_object
check "the C library alone writes no such file" without_library
check "files named by GMON_OUT_PREFIX" prefix
check "objects are unloaded, and loaded again elsewhere" reload
check "killed without a companion: no file" no_companion
check "a companion: exit()" at_exit
check "a companion: _exit()" at__exit
check "a companion: SIGTERM" at_signal 15
check "a companion: SIGKILL" at_signal 9
check "a companion: SIGSEGV" at_signal 11
check "a companion: killed by another process; an earlier file is replaced" while_busy
check "a companion: another root directory and user" other_root_and_user
check "without a companion, the new user cannot write" jail_without_companion
check "a companion: a daemon closes all descriptors" daemon
check "a companion: a forked child is killed" forked_child
check "a companion: the program executes another" executes
check "a companion ends with the program" nothing_left
check "a companion keeps no pipe open" pipe_ends
check "a companion: the limit of files is too low, and it is reported" file_limit
ktap_finished
