#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How the command is asked for help, what it suggests for what is mistyped, and results on
# its standard input. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s programs/spin && make -s -C unit export_sample ||
	exit 1
PROFIL=${PROFIL:-../tools/profil}
spin=$(readlink -f programs/spin)

# A result of spin: 1000 samples of a function
address=$(nm "$spin" | awk '$3 == "spin_much" { print $1 }')
echo "0 $address 1000" | unit/export_sample result "$work/result" "$spin" || exit 1

# says STATUS WORDS ARG...: the command does, on standard error
says() {
	"$PROFIL" "${@:3}" >"$work/out" 2>"$work/err" </dev/null
	[ $? = "$1" ] && grep -qF -- "$2" "$work/err"
}

# not_said WORDS: by the command that says() ran
not_said() {
	! grep -F -- "$1" "$work/err"
}

# the same text by -h as by --help, and no error
helps() {
	local subcommand

	for subcommand in "" run report diff export info; do
		# shellcheck disable=SC2086 # no word, or one
		"$PROFIL" $subcommand -h >"$work/out" 2>"$work/err" &&
		"$PROFIL" $subcommand --help | diff - "$work/out" >>"$work/err" &&
		[ ! -s "$work/err" ] && grep -q '^Usage: profil' "$work/out" || return
	done
	"$PROFIL" report --lines -h | grep -q '^Usage: profil report'
}

# What is behind the command is its own, whatever it looks like.
help_of_the_command() {
	"$PROFIL" run --force -o /dev/null echo -h --bogus -p 2>"$work/err" | grep -qx -- '-h --bogus -p' &&
	"$PROFIL" run --force -o /dev/null -- echo -h 2>"$work/err" | grep -qx -- -h
}

attach() {
	says 125 'cannot attach to a running process' -p 1 &&
	says 125 'cannot attach to a running process' run --pid=1
}

perf_names() {
	"$PROFIL" record --no-inherit -F 99 --force -o /dev/null echo ran 2>"$work/err" |
		grep -qx ran &&
	says 125 "invalid rate '0'" record -F 0 true &&
	"$PROFIL" report --percent-limit=0 --symfs=/ "$work/result" >"$work/out" 2>"$work/err" &&
	"$PROFIL" report --min-percent=0 --root=/ "$work/result" 2>"$work/err" |
		diff "$work/out" - >>"$work/err" &&
	"$PROFIL" export --folded --symfs=/ "$work/result" >"$work/out" 2>"$work/err" &&
	"$PROFIL" diff --percent-limit=0 "$work/result" "$work/result" >"$work/out" 2>"$work/err"
}

mistyped_options() {
	says 2 'unknown option --anotate; did you mean --annotate?' report --anotate=main &&
	says 2 'unknown option --spedscope; did you mean --speedscope?' export --spedscope &&
	says 2 'unknown option --old-rot; did you mean --old-root' diff a b --old-rot . &&
	says 125 'unknown option --ratte; did you mean --rate?' --ratte 5 true &&
	says 2 'unknown option --zzz' report --zzz && not_said 'did you mean' &&
	# abbreviations are none, and what is wrong otherwise is as ever
	says 2 "invalid number of rows '0'" report --to=0 &&
	says 2 "'--n' is ambiguous" diff --n x a b &&
	# an option's argument is not an option
	says 1 '--zzz: No such file' report --root --zzz -- --zzz
}

mistyped_subcommands() {
	# with the module, as there is no such command; without, as it is not run
	"$PROFIL" rpeort "$work/result" 2>&1 | grep -q 'did you mean profil report?' &&
	says 127 'did you mean profil report?' --force rpeort "$work/result" &&
	says 2 'unknown subcommand expotr; did you mean profil export?' help expotr &&
	says 127 "no such command in PATH" --force no-such-command && not_said 'did you mean'
}

mistyped_functions() {
	says 1 'no function with the name spin_mucj has samples; did you mean spin_much?' \
		report --annotate spin_mucj "$work/result" &&
	says 1 'did you mean spin_much?' report --annotate SPIN "$work/result" &&
	says 1 'no function with the name zzz has samples' report --annotate zzz "$work/result" &&
	not_said 'did you mean' &&
	grep -q "profil report $work/result' lists the functions with samples" "$work/err"
}

# reads ARG...: the same from a file, from standard input, and from a pipe
# shellcheck disable=SC2002 # a pipe is asked for
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
	says 2 'only one of the files can be standard input' diff - - &&
	says 1 'standard input: the file is empty' report -
}

# The result that is read is not what is written.
output_is_input() {
	cp "$work/result" "$work/both" &&
	! "$PROFIL" export --json -o "$work/both" - <"$work/both" 2>"$work/err" &&
	grep -q 'both is the result itself' "$work/err" && cmp "$work/both" "$work/result"
}

ktap_print_header
ktap_set_plan 9
check "-h is --help" helps
check "-h of the command is its own" help_of_the_command
check "-p PID" attach
check "perf's names of subcommands and options" perf_names
check "options that are mistyped" mistyped_options
check "subcommands that are mistyped" mistyped_subcommands
check "functions that are mistyped" mistyped_functions
check "results on standard input" standard_input
check "a result that is read is not written over" output_is_input
ktap_finished
