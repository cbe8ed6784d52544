#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The profil command: its help options, its suggestions for mistyped words, the names of perf that
# it accepts, and results on standard input. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s programs/spin &&
	make -s -C unit export_sample || exit 1
PROFIL=${PROFIL:-../tools/profil}
spin=$(readlink -f programs/spin)

# A result of spin: 1000 samples of a function
address=$(nm "$spin" | awk '$3 == "spin_much" { print $1 }')
echo "0 $address 1000" | unit/export_sample result "$work/result" "$spin" || exit 1

# prints STATUS WORDS ARG...: the command exits with STATUS, and prints WORDS on standard error
prints() {
	"$PROFIL" "${@:3}" >"$work/out" 2>"$work/err" </dev/null
	[ $? = "$1" ] && grep -qF -- "$2" "$work/err"
}

# not_printed WORDS: the last command of prints() has not printed WORDS
not_printed() {
	! grep -F -- "$1" "$work/err"
}

# -h prints the same as --help, without an error
short_help() {
	local subcommand

	for subcommand in "" run top report diff merge export optimize info; do
		# shellcheck disable=SC2086 # no word, or one
		"$PROFIL" $subcommand -h >"$work/out" 2>"$work/err" &&
		"$PROFIL" $subcommand --help | diff - "$work/out" >>"$work/err" &&
		[ ! -s "$work/err" ] && grep -q '^Usage: profil' "$work/out" || return
	done
	"$PROFIL" report --lines -h | grep -q '^Usage: profil report'
}

# Words after the command's name are its arguments, even if profil has such an option.
help_of_the_command() {
	"$PROFIL" run --force -o /dev/null echo -h --bogus -p 2>"$work/err" |
		grep -qx -- '-h --bogus -p' &&
	"$PROFIL" run --force -o /dev/null -- echo -h 2>"$work/err" | grep -qx -- -h
}

# Without the module, valid process IDs get another message.
attach() {
	prints 125 'type -p $(pidof x)' -p x &&
	prints 125 "invalid process IDs '1,'" run --pid=1, &&
	prints 125 "invalid process IDs '0'" -p 0 &&
	prints 125 "invalid process IDs '-1'" -p -1 &&
	prints 125 "invalid process IDs '1:2'" -p 1:2 &&
	prints 125 '--pid and a command exclude each other' -p 1 true &&
	prints 125 '--force needs a command' --force -p 1 &&
	prints 125 "invalid time '0'; expected 0.1 to 86400 seconds" --duration 0 true &&
	prints 125 "invalid time '1s'" --interval=1s true &&
	prints 125 '--no-table and --table exclude each other' --no-table -t x true &&
	prints 125 'Usage: profil run' --duration 1
}

# What profil does not have, or has by another name, is not only refused.
habits() {
	prints 125 '/dev/profil' -g true &&
	prints 125 "type -g, for \`profil run'" record --call-graph=dwarf true &&
	prints 125 "type -g, for \`profil run'" top -g true &&
	prints 125 '--cgroup=/ is the whole machine' record -a sleep 1 &&
	prints 125 'mix the result with the output of COMMAND' -o - true &&
	prints 125 'no other events' -e cycles true && prints 2 'no other events' report --event=x &&
	prints 125 'the rate is --rate=HZ' --frequency=99 true && prints 125 'flamegraph.pl' --flamegraph true &&
	prints 125 'duration=SECONDS ends a profile' -d 3 true &&
	prints 125 'option requires an argument' top -d && not_printed 'duration=' &&
	prints 2 'top=N prints N rows' report -n 3 &&
	prints 2 'sort=KEY' report -s sym && prints 2 'profil info' diff -v a b &&
	prints 2 'unknown option --html: it is of profil export' report --html &&
	prints 125 '-p $(pidof redis-server)' -p redis-server &&
	prints 125 '/dev/profil' -p 1 2 && not_printed 'exclude each other' &&
	gzip -c "$work/result" >"$work/result.gz" &&
	prints 1 'result.gz: not a profil result file' report "$work/result.gz"
}

perf_names() {
	"$PROFIL" record --no-inherit -F 99 --force -o /dev/null echo ran 2>"$work/err" |
		grep -qx ran &&
	prints 125 "invalid rate '0'" record -F 0 true &&
	"$PROFIL" report --percent-limit=0 --symfs=/ "$work/result" >"$work/out" 2>"$work/err" &&
	"$PROFIL" report --min-percent=0 --root=/ "$work/result" 2>"$work/err" |
		diff "$work/out" - >>"$work/err" &&
	"$PROFIL" export --folded --symfs=/ "$work/result" >"$work/out" 2>"$work/err" &&
	"$PROFIL" diff --percent-limit=0 "$work/result" "$work/result" >"$work/out" 2>"$work/err"
}

mistyped_options() {
	prints 2 'unknown option --anotate; did you mean --annotate?' report --anotate=main &&
	prints 2 'unknown option --colgrind; did you mean --callgrind?' export --colgrind &&
	prints 2 'unknown option --old-rot; did you mean --old-root' diff a b --old-rot . &&
	prints 125 'unknown option --ratte; did you mean --rate?' --ratte 5 true &&
	prints 2 'unknown option --zzz' report --zzz && not_printed 'did you mean' &&
	# an abbreviation is not mistyped, and other errors get no suggestion
	prints 2 "invalid number of rows '0'" report --to=0 &&
	prints 2 "'--n' is ambiguous" diff --n x a b &&
	# an option's argument is not an option
	prints 1 '--zzz: No such file' report --root --zzz -- --zzz
}

mistyped_subcommands() {
	# without the module, profil does not run the command, and still suggests
	"$PROFIL" rpeort "$work/result" 2>&1 | grep -q 'did you mean profil report?' &&
	prints 127 'did you mean profil report?' --force rpeort "$work/result" &&
	prints 127 'did you mean profil report --annotate=FUNCTION?' --force annotate main &&
	prints 2 'unknown subcommand expotr; did you mean profil export?' help expotr &&
	prints 127 "no such command in PATH" --force no-such-command && not_printed 'did you mean'
}

# annotates WORD FUNCTION: the command takes WORD for FUNCTION
annotates() {
	"$PROFIL" report --annotate "$1" "$work/result" >"$work/out" 2>"$work/err" &&
	[ ! -s "$work/err" ] && grep -q "^# 1000 of 1000 samples are in $2$" "$work/out"
}

mistyped_functions() {
	annotates spin_mucj spin_much && annotates SPIN spin_much && annotates spin_ spin_much &&
	annotates '^spin.m' spin_much && annotates 'spi...ch' spin_much &&
	annotates 'spin_much (inlined)' spin_much &&
	prints 1 'no function with the name ^much has samples' \
		report --annotate ^much "$work/result" &&
	prints 1 'no function with the name zzz has samples' report --annotate zzz "$work/result" &&
	not_printed 'did you mean' &&
	grep -q "profil report $work/result' lists the functions with samples" "$work/err"
}

# reads ARG...: the output is the same for a file, standard input and a pipe
# shellcheck disable=SC2002 # tests a pipe
reads() {
	"$PROFIL" "$@" "$work/result" >"$work/wanted" 2>"$work/err" &&
	"$PROFIL" "$@" - <"$work/result" 2>>"$work/err" | diff "$work/wanted" - >>"$work/err" &&
	cat "$work/result" | "$PROFIL" "$@" - 2>>"$work/err" |
		diff "$work/wanted" - >>"$work/err" && grep -q spin_much "$work/wanted"
}

standard_input() {
	reads report && reads export --json && reads export --folded &&
	"$PROFIL" diff "$work/result" - <"$work/result" >"$work/out" 2>"$work/err" &&
	grep -q '^# new: standard input: 1000 samples' "$work/out" &&
	"$PROFIL" diff - "$work/result" <"$work/result" >"$work/out" 2>"$work/err" &&
	grep -q '^# old: standard input: 1000 samples' "$work/out" &&
	prints 2 'only one of the files can be standard input' diff - - &&
	prints 1 'standard input: the file is empty' report -
}

# The result that is read is not overwritten.
output_is_input() {
	cp "$work/result" "$work/both" &&
	! "$PROFIL" export --json -o "$work/both" - <"$work/both" 2>"$work/err" &&
	grep -q 'both is the result itself' "$work/err" && cmp "$work/both" "$work/result"
}

# The sum of a result and itself
merge() {
	local line

	"$PROFIL" merge "$work/result" - -o "$work/sum" <"$work/result" >"$work/out" 2>"$work/err" &&
	[ ! -s "$work/out" ] && [ ! -s "$work/err" ] &&
	"$PROFIL" report "$work/sum" 2>"$work/err" | grep -q '^ *100\.00 .* 2000 .* spin_much$' &&
	{ echo before && "$PROFIL" merge "$work/result" "$work/result" -o -; } >"$work/out" 2>"$work/err" &&
	read -r line <"$work/out" && [ "$line" = before ] && tail -n +2 "$work/out" >"$work/sum" &&
	"$PROFIL" report "$work/sum" 2>"$work/err" | grep -q '^ *100\.00 .* 2000 .* spin_much$' &&
	prints 2 'two or more results are needed' merge "$work/result" -o "$work/sum" &&
	"$PROFIL" merge --no-arguments "$work/result" -o "$work/sum" &&
	"$PROFIL" report "$work/sum" 2>"$work/err" | grep -qx "# command: $(readlink -f "$spin")" &&
	prints 2 '--output=OUT is needed' merge "$work/result" "$work/result" &&
	prints 2 'only one of the files can be standard input' merge - - -o "$work/sum" &&
	prints 1 "$work/sum is one of the results, which would be overwritten" \
		merge "$work/result" "$work/sum" -o "$work/sum" &&
	prints 1 'the sum is not written' merge "$work/result" "$work/result" -o /proc/x &&
	prints 1 'not a profil result file' merge "$work/result" /etc/passwd -o "$work/other" &&
	[ ! -e "$work/other" ]
}

# completes_function LINE WANT: bash completes the end of LINE to WANT. It splits words at =.
completes_function() (
	# shellcheck disable=SC2034 # the interface of bash completions
	COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
	read -ra COMP_WORDS <<<"${1//=/ = }"
	[[ $1 != *[\ =] ]] || COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMP_WORDS[0]=$(readlink -f "$PROFIL")
	. ../tools/generated/profil.bash
	_profil 2>/dev/null
	[ "${COMPREPLY[*]}" = "$2" ] || { echo "# $1: ${COMPREPLY[*]}"; false; }
)

# A name of C++ without its template arguments, which may fill a screen, is the function's, too.
long_functions_are_completed() {
	local cxx=_ZN5shelf4findISt6vectorISt4pairIiSaIiEESaIS2_EES0_ISt4pairIdSaIdEESaIS6_EEEEvT_T0_

	objcopy --redefine-sym "spin_much=$cxx" "$spin" "$work/long" &&
	echo "0 $address 1000" | unit/export_sample result "$work/long.out" "$work/long" &&
	env -u COLUMNS "$PROFIL" report "$work/long.out" | grep -q ' shelf::find<...>(...)$' &&
	"$PROFIL" report --full-names "$work/long.out" | grep -q ' void shelf::find<std::vector' &&
	completes_function "profil report $work/long.out --annotate sh" shelf::find &&
	"$PROFIL" report --annotate shelf::find "$work/long.out" |
		grep -q '^# 1000 of 1000 samples are in void shelf::find$'
}

functions_are_completed() {
	completes_function "profil report $work/result --annotate sp" spin_much &&
	completes_function "profil report $work/result --annotate=" spin_much &&
	completes_function "profil report $work/result --annotate x" "" &&
	completes_function "profil report --annotate=spin run." run.sh
}

# 100,000 symbols, of which each takes more than ten bytes. The objects of a result are sorted by path.
refused_file() {
	seq 100000 | sed 's/.*/.globl f&\n.type f&, @function\n.size f&, 1\nf&: nop/' \
		>"$work/many.s" &&
	gcc -shared -nostdlib -o "$work/many" "$work/many.s" && cp "$spin" "$work/spin" &&
	printf '%s\n' "0 $(nm "$work/many" | awk '$3 == "f1" { print $1 }') 5" "1 $address 1000" |
		unit/export_sample result "$work/refused" "$work/many" "$work/spin" || return
	PROFIL_READ_MIB=1 "$PROFIL" report "$work/refused" >"$work/out" &&
	grep -q '/many: it takes more memory .*(PROFIL_READ_MIB=4 allows more)' "$work/out" &&
	grep -q ' spin_much$' "$work/out" && ! grep ' f1$' "$work/out" &&
	"$PROFIL" report "$work/refused" | grep -q ' f1$'
}

ktap_print_header
ktap_set_plan 14
check "-h is --help" short_help
check "-h after the command belongs to the command" help_of_the_command
check "process IDs and times are checked" attach
check "habits of users of perf are answered" habits
check "perf's names of subcommands and options are accepted" perf_names
check "suggestions for mistyped options" mistyped_options
check "suggestions for mistyped subcommands" mistyped_subcommands
check "suggestions for mistyped functions" mistyped_functions
check "results can be read from standard input" standard_input
check "a result that is read is not overwritten" output_is_input
check "results are added" merge
check "functions with samples are completed" functions_are_completed
check "functions with long names are completed" long_functions_are_completed
check "a file that takes too much to read costs no other names, and is named" refused_file
ktap_finished
