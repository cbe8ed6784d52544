#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Where samples are counted: at the pc itself, in the file that was mapped there at that time. Files
# are replaced and removed, code is made in all kinds of memory. PROFIL: path of the command
# (default: the tree's).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=$(realpath "${PROFIL:-../tools/profil}")
programs=$PWD/programs

# run ARG...: runs profil with these arguments at 1000 Hz, and keeps its table and result. The clock
# is regular, so a stretch of time has one sample more or less than it is long. What the interrupts
# add differs by a few percent, so ratios have an allowance of 5 to 10 %; a mistake is a factor.
run() {
	(cd "$work/dir" && "$PROFIL" -r 1000 -c timer -o "$work/result" -t "$work/profile" "$@") \
		</dev/null >"$work/out" 2>"$work/err"
}

# samples NAME [OPTION...]: prints the number of samples of a function or object
samples() {
	"$PROFIL" report --full-names "${@:2}" "$work/result" 2>"$work/err" |
		awk -v name="$1" '!/^#/ && $NF == name { n += $3 } END { print n + 0 }'
}

# objects PATTERN: prints the objects whose path matches, each with its build-id, or null
objects() {
	"$PROFIL" export --json "$work/result" 2>"$work/err" |
		python3 -c 'import json, re, sys
for o in json.load(sys.stdin)["objects"]:
    if re.search(sys.argv[1], o["path"]): print(o["path"], o["build_id"])' "$1"
}

build_id() {
	readelf -n "$1" | awk '/Build ID/ { print $3 }'
}

unaligned_functions() {
	local odd even

	run "$programs/unaligned" && odd=$(samples odd) even=$(samples even)
	between 0 "$(samples next_to)" 1 && between 150 "$even" 10000 &&
		between $((even * 19 / 10)) "$odd" $((even * 21 / 10))
}

# made_code KIND...: whether memory of each kind is [jit]
made_code() {
	local kind

	for kind; do
		run "$programs/madecode" "$kind" || return
		between 150 "$(samples '[jit]' --by object)" 10000 &&
			between 0 "$(samples main)" 5 || { echo "# $kind"; return 1; }
	done
}

copied_text() {
	run "$programs/madecode" copied && between 150 "$(samples hot)" 10000 &&
		[ "$(samples '[jit]' --by object)" = 0 ]
}

shared_memory() {
	local one two

	run "$programs/madecode" sharing "$work/dir" || return
	one=$(samples "$work/dir/one" --by object) two=$(samples "$work/dir/two" --by object)
	between 30 "$one" 10000 && between $((one * 27 / 10)) "$two" $((one * 33 / 10))
}

# The second copy has the inode of the first. Before, the log is read more seldom than both run.
overwritten_program() {
	run sh -c "sleep 3; cp $programs/version-1 p; ./p; cp $programs/version-2 p; ./p" || return
	between 300 "$(samples second_hot)" 500 && [ "$(samples second_cold)" = 0 ] &&
		[ "$(samples first_cold)" = 0 ]
}

# Without build-ids, too
overwritten_without_build_id() {
	run sh -c "sleep 3; cp $programs/version-1-noid p; ./p; cp $programs/version-2-noid p; ./p" ||
		return
	between 300 "$(samples second_hot)" 500 && [ "$(objects '/p$' | wc -l)" = 2 ]
}

# Both have the names of their functions, as the file that is not there any more stays open.
replaced_program() {
	rm -f "$work/dir/p"
	run sh -c "cp $programs/version-1-noid p; ./p; cp $programs/version-2-noid q; mv q p; ./p" ||
		return
	between 300 "$(samples first_hot)" 500 && between 300 "$(samples second_hot)" 500 &&
		[ "$(objects '/p$' | wc -l)" = 2 ]
}

# The report comes after the program was built again: the names are stored, and with --refresh, those
# of the new program are not used.
rebuilt_before_the_report() {
	rm -f "$work/dir/p"
	run sh -c "cp $programs/version-1-noid p; ./p" || return
	between 300 "$(samples first_hot)" 500 || return
	cp "$programs/version-2-noid" "$work/dir/p"
	between 300 "$(samples first_hot)" 500 && between 300 "$(samples first_hot --refresh)" 500 &&
		[ "$(samples second_hot --refresh)" = 0 ] &&
		"$PROFIL" report --refresh "$work/result" | grep -q 'not the file that ran'
}

runs() { # PID PROGRAM
	[ "$(readlink "/proc/$1/exe")" = "$2" ]
}

is_attached() {
	[ "$(</sys/class/misc/profil/sessions)" = 1 ]
}

# removed_program replaced: a daemon whose file is removed, and perhaps replaced
removed_program() {
	local target profil

	mkfifo "$work/go" 2>/dev/null
	cp programs/spin "$work/dir/daemon"
	exec {go}<>"$work/go"
	"$work/dir/daemon" read 0.3 <&"$go" &
	target=$!
	wait_while "$target" runs "$target" "$work/dir/daemon" || return
	rm "$work/dir/daemon"
	[ "$1" != replaced ] || cp "$programs/version-2" "$work/dir/daemon"
	run -p "$target" &
	profil=$!
	wait_while "$profil" is_attached || { kill "$target"; return 1; }
	printf . >&"$go"
	wait "$target" && wait "$profil" || return
	[ "$(objects /daemon)" = "$work/dir/daemon $(build_id programs/spin)" ]
}

newline_in_a_path() {
	local dir=$work/dir/new$'\n'line

	mkdir -p "$dir" && cp programs/spin "$dir" && run "$dir/spin" 0.2 &&
		between 100 "$(samples spin_much)" 200 && [ "$(objects line/spin | wc -l)" = 2 ]
}

# The account of programs that run for a few ticks
short_programs() {
	local seconds samples

	run sh -c 'for i in $(seq 100); do /bin/true; done' &&
		seconds=$(awk '/while .* profiled/ { print int($2 * 1000) }' "$work/profile") &&
		samples=$(awk '/samples at/ { print $2; exit }' "$work/profile") &&
		between $((samples * 8 / 10)) "$seconds" $((samples * 12 / 10))
}

mkdir "$work/dir" || exit 1
ktap_print_header
ktap_set_plan 12
check "functions at odd addresses have their own samples" unaligned_functions
check "code in memory of each kind is [jit]" made_code private shared zero shared-zero memfd \
	unlinked sysv
check "text that is copied to other pages belongs to the program" copied_text
check "processes with one memory share their mappings" shared_memory
check "a program that is written over another one has its own samples" overwritten_program
check "without build-ids, too" overwritten_without_build_id
check "a program that is replaced by another one has its names" replaced_program
check "a program that is built again does not name the old one's functions" \
	rebuilt_before_the_report
check "a removed program is read while it runs" removed_program
check "a program that is upgraded while it runs is not the new one" removed_program replaced
check "a newline in a path" newline_in_a_path
check "the CPU time of short programs is that of their samples" short_programs
ktap_finished
