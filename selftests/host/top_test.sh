#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The screen of `profil top', with a fixed recording (unit/support/top_sample.c) in an emulated
# terminal: keys are typed, and the screen is read. And what a refresh costs, as in cost_test.sh.
# Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh
# shellcheck source=../lib/tmux.sh
. lib/tmux.sh

make -s -C ../lib && make -s -C ../tools && make -s -C unit top_sample || exit 1
unset COLUMNS LINES NO_COLOR
PROFIL=${PROFIL:-$PWD/../tools/profil}
SAMPLE=$PWD/unit/top_sample

# open_sample COLUMNS ROWS FUNCTIONS OBJECTS
open_sample() {
	rm -rf "$work/made" && mkdir "$work/made" &&
	terminal_open "$1" "$2" "$SAMPLE $work/made $3 $4 2>$work/err"
}

# Function 1 has half of the samples, and a row has its object.
functions() {
	open_sample 100 20 300 3 && shows '^program \(PID 4194000\)' &&
	shows 'samples at 100 Hz, by cpu' && shows 'CPU% +TOTAL% +SECONDS +SYS% +FUNCTION +OBJECT' &&
	shows '^ *[0-9.]+ +[0-9.]+ +[0-9.]+ +0\.0  function_1 +object1' &&
	typed s && shows 'by total' && typed s s && shows 'by name' && shows ' function_0 ' &&
	typed s && shows 'by object' && typed S S S S && shows 'by cpu'
}

# The name has letters of two bytes, and one that is two columns wide: the object is in its column.
utf8() {
	open_sample 100 20 6 3 && wait_for in_columns
}

# The screen may be half of an earlier one.
in_columns() {
	# bash counts characters then
	local LC_ALL=C.UTF-8 text before after

	text=$(screen)
	# object2 has another function, which may be above
	before=$(sed -n 's/\(.*größe_漢.*\)object2$/\1/p' <<<"$text")
	after=$(sed -n 's/\(.*\)object1$/\1/p' <<<"$text" | head -n 1)
	[ -n "$before" ] && [ $((${#before} + 1)) = ${#after} ]
}

by() {
	open_sample 100 20 300 3 && shows ' function_1 ' &&
	typed Tab && shows 'THREAD +PROGRAM' && shows 'program \[4194000\] +object0' &&
	typed Tab && shows 'PROGRAM +PATH' && shows ' object0 +.*/made/object0$' &&
	typed f && shows FUNCTION && typed t && shows THREAD && typed p && shows PATH
}

# Prints the function in the row in reverse video, which goes on in the next line until it ends.
selected_function() {
	screen -e | awk -v name="(function_[0-9]+|größe_漢)" '{
		for (rest = $0; match(rest, /\033\[[0-9;]*m/); rest = substr(rest, RSTART + RLENGTH)) {
			if (reverse && match(substr(rest, 1, RSTART - 1), name))
				print substr(rest, RSTART, RLENGTH)
			match(rest, /\033\[[0-9;]*m/)
			code = substr(rest, RSTART + 2, RLENGTH - 3)
			reverse = code ~ /(^|;)7(;|$)/ || (reverse && code !~ /^(0?|27)(;|$)/)
		}
		if (reverse && match(rest, name))
			print substr(rest, RSTART, RLENGTH)
	}'
}

selection_is() {
	[ "$(selected_function)" = "$1" ]
}

# Each address has its name, so that no row is of one that waits for it.
all_named() {
	shows ' function_1 ' && hides 'wait for names'
}

# The selected row keeps its function when others pass it, and the first row is that of the moment.
selected() {
	local name

	open_sample 100 20 300 3 && all_named && wait_for selection_is function_1 &&
	# the help is shown when the keys before it have had their effect
	typed Down Down Down '?' && shows '^profil top: keys' && typed x &&
	wait_for has_selection && echo "# selected: $name" && [ "$name" != function_1 ] &&
	typed s s s && shows 'by name' && wait_for selection_is "$name" && typed Home &&
	wait_for selection_is function_0 && typed End && wait_for selection_is größe_漢
}

# Between two writes of the program, it may be in two lines or in none.
has_selection() {
	name=$(selected_function | uniq)
	[ -n "$name" ]
}

# There is no source of made programs, but there are instructions. A row that waits for names has no
# page.
pages() {
	open_sample 100 20 300 3 && all_named && typed Enter &&
	shows '^# [0-9]+ of [0-9]+ samples are in function_1' && typed i &&
	shows '^# .*/object1: function_1 at ' && typed q && shows 'FUNCTION +OBJECT' &&
	typed i && shows 'function_1 at ' && typed Escape && typed t && shows THREAD &&
	typed Enter && shows 'system%.*function' && shows ' function_1$' && typed q p && shows PATH &&
	typed Enter && shows ' function_1$'
}

help() {
	open_sample 100 20 300 3 && shows ' function_1 ' && typed '?' && shows '^profil top: keys' &&
	typed x && shows 'FUNCTION +OBJECT'
}

# No sample is shown while it is paused, and all are afterwards.
paused() {
	local samples

	open_sample 100 20 300 3 && shows ' function_1 ' && typed Space && shows '^PAUSED: program' &&
	samples=$(screen | grep -o ' [0-9]* samples') &&
	wait_for has_refreshed $(($(nr_refreshed) + 5)) && on_screen "$samples" &&
	typed Space && shows '^program' && hides "$samples"
}

# The text is in small and large letters, and its last one is taken back, also one of two bytes. The
# selected row is one that is shown, and keys work again after Enter.
searched() {
	open_sample 100 20 300 3 && all_named && typed Down Down / && shows '^/  Enter keeps it' &&
	typed -l 'TION_299ö' && shows '^/TION_299ö ' && hides ' function_' && typed BSpace &&
	shows ' function_299 ' && typed BSpace && shows ' function_29 ' &&
	shows ' function_290 ' && hides ' function_1 ' && typed Enter &&
	shows '^/TION_29  Escape' && typed s s s && shows 'by name' &&
	wait_for selection_is function_29 && typed Down && wait_for selection_is function_290 &&
	typed Escape && shows '^q leave' && wait_for selection_is function_290 && typed Home &&
	shows ' function_0 ' && typed / && typed -l 'SSE' &&
	hides ' function_' && typed BSpace BSpace BSpace && typed -l 'öße_漢' && shows ' größe_漢 ' &&
	typed Escape q && left 0
}

# A result has all samples so far, and replaces itself; that of another run is kept. Why there is
# none is on the screen.
written() {
	local file=$work/made/profil.out

	open_sample 100 20 300 3 && all_named && typed w && shows '^the result is in profil\.out$' &&
	"$PROFIL" report "$file" >"$work/out" && grep -q ' function_1$' "$work/out" &&
	echo old >"$file" && typed w && wait_for test -s "$file.old" &&
	shows '^the result is in profil\.out$' && [ "$(<"$file.old")" = old ] &&
	typed Down && shows '^q leave' && rm "$file" && mkdir "$file" && typed w &&
	shows '^profil\.out: no result: .*\(E[A-Z]*\)$' && typed q && left 0
}

# A stored result has the figures of the report, CPU time over its 2 seconds, and pages of its rows.
stored() {
	local file=$work/made/profil.out

	open_sample 100 20 300 3 && all_named && wait_for has_refreshed 20 && typed w &&
	shows '^the result is in' && typed q &&
	"$PROFIL" report --all "$file" | awk '!/^#/ { print $3, $NF }' | sort >"$work/report" &&
	"$PROFIL" top --once "$file" >"$work/out" &&
	grep -q "^# $file: program (PID 4194000)" "$work/out" &&
	# percent times seconds are samples at 100 Hz; both are printed to the nearest 0.1
	awk 'NR == 2 { d = $5 * $2 - $6; exit d * d > (0.05 * ($5 + $2 + 0.05)) ^ 2 }' "$work/out" &&
	awk '!/^#/ { print int($3 * 100 + 0.5), $5 }' "$work/out" | sort >"$work/top" &&
	[ "$(wc -l <"$work/top")" -gt 290 ] && cmp "$work/report" "$work/top" &&
	"$PROFIL" top --once --by thread "$file" | grep -q ' 100\.00 .* program \[4194000\] *object0$' &&
	terminal_open 100 20 "$PROFIL top $file 2>$work/err" && shows "^$file: program" &&
	shows 'by total' && shows ' function_1 +object1' && typed / 29 && hides ' function_1 ' &&
	shows ' function_290 ' && typed Escape Enter &&
	shows '^# [0-9]+ of [0-9]+ samples are in function_1' &&
	typed q p && shows 'PROGRAM +PATH' && typed Enter && shows ' function_1$' && typed q w &&
	shows "^the result is in $file$" && typed q && left 0 &&
	echo none >"$file" && ! "$PROFIL" top --once "$file" >"$work/out" 2>&1
}

# Each row of the page is one of report --callers; without stacks, there is the way to them.
callers() {
	local object name

	make -s -C unit export_sample && open_sample 100 20 6 1 && all_named && typed c &&
	shows '^# there are no call stacks: record them with `profil run -g' && typed q q && left 0 &&
	object=$work/made/object0 &&
	# functions 1, 3 and 4, each called by the one before
	printf '0 %x %d\n' 64 6 192 3 256 2 |
		STACKS=y unit/export_sample result "$work/calls" "$object" &&
	"$PROFIL" report --callers function_3 "$work/calls" | grep -q ' 5 .* function_1$' &&
	terminal_open 100 20 "$PROFIL top $work/calls 2>$work/err" && shows ' function_3 ' &&
	typed Down && wait_for selection_is function_3 && typed c &&
	shows '^# function_3: 5 samples of it and of all that it calls, by its callers$' &&
	shows '^ +100\.00 .* function_1$' && typed q && shows 'FUNCTION +OBJECT' && typed t c &&
	shows 'THREAD +PROGRAM' && typed q && left 0
}

# nr_refreshed: prints how often the program has taken samples
nr_refreshed() {
	stat -c %s "$work/made/refreshes"
}

has_refreshed() {
	[ "$(nr_refreshed)" -ge "$1" ]
}

# At 40 columns, there are names, and no line is too long; below 30, there is a message.
has_rows() {
	[ "$(screen | grep -c 'function_')" -ge 25 ]
}

small() {
	open_sample 40 12 300 3 && shows '^ *[0-9.]+ +[0-9.]+ function_1$' && shows 'TOTAL% FUNCTION$' &&
	shows '^q leave' && resized 20 5 && shows '30 columns, 6' && resized 120 30 &&
	shows 'FUNCTION +OBJECT$' && wait_for has_rows
}

leaves() {
	open_sample 100 20 300 3 && shows ' function_1 ' && typed q && left 0 &&
	open_sample 100 20 300 3 && shows ' function_1 ' && typed C-c && left 0 &&
	# the screen is as it was
	hides function_1
}

# as from a closed window
closed() {
	open_sample 100 20 300 3 && shows ' function_1 ' || return
	# not the child that reads names
	sample=$(pgrep -o -f "^$SAMPLE $work/made") && terminal_close &&
	wait_for not test -e "/proc/$sample"
}

many_objects() {
	open_sample 100 20 4000 4000 && shows ' function_1 +object1$' && echo "# $(screen | sed -n 2p)"
}

# A file takes more memory to read than it may: a range of each of 30,000 symbols.
refused_file() {
	rm -rf "$work/made" && mkdir "$work/made" &&
	terminal_open 100 20 "env PROFIL_READ_MIB=1 $SAMPLE $work/made 30000 1 2>$work/err" &&
	shows '\(no symbols\) +object0$'
}

unknown_terminal() {
	rm -rf "$work/made" && mkdir "$work/made"
	TERM=unknown script -qec "$SAMPLE $work/made 3 1" "$work/typescript" </dev/null >"$work/out"
	grep -q 'TERM=unknown is unknown here: set TERM' "$work/out"
}

# refreshes MOST: instructions of 100 refreshes at 160 columns and 50 rows, with 5,000 functions
refreshes() {
	local spent

	rm -rf "$work/made" && mkdir "$work/made" &&
	TERM=xterm valgrind --tool=callgrind --callgrind-out-file="$work/callgrind" "$SAMPLE" "$work/made" \
		5000 3 100 >"$work/out" 2>"$work/err" || return
	spent=$(callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$work/callgrind" |
		sed -nE 's/^ *([0-9,]+) \([^)]*\) +[^ ]*:step_refresh( .*)?$/\1/p' | tr -d ,)
	echo "# $(<"$work/out")"
	between 1 "$spent" "$1"
}

ktap_print_header
type tmux >/dev/null 2>&1 || skip_all "no tmux: install it"
# the program may still write to the directory
trap 'terminal_close 2>/dev/null; sleep 0.2; rm -rf "$work"' EXIT
ktap_set_plan 18
check "functions, sorted by each key" functions
check "names in UTF-8" utf8
check "threads and programs" by
check "the selected row" selected
check "source, instructions, functions of a thread and a program" pages
check "help" help
check "pause" paused
check "callers" callers
check "a result is written" written
check "a stored result" stored
check "a text is searched for" searched
check "small terminals, and another size" small
check "q and ^C leave" leaves
check "the terminal is closed" closed
check "4,000 objects" many_objects
check "a file takes too much memory to read" refused_file
check "an unknown terminal" unknown_terminal
# Half of the samples are at random in 5,000 functions, so nearly all lines change. Measured with
# ncurses 6.4: 333 million, 0.6 ms of CPU time for each refresh. At ten a second, that is 0.6 % of
# a CPU; the bound is below 1 %
check "instructions of 100 refreshes" refreshes 417000000
ktap_finished
