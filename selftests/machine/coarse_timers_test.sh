#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel without high-resolution timers, whose timers fire at the tick: the command says so, once,
# and samples at the tick. Needs the kernel parameter highres=off. PROFIL: path of the command
# (default: the tree's).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=${PROFIL:-../tools/profil}

# runs CLOCK LINES [OPTION...]: whether the result names that clock, and so many lines explain it
runs() {
	"$PROFIL" -o "$work/result" --no-table "${@:3}" programs/spin 0.2 2>"$work/err" &&
	[ "$(wc -l <"$work/err")" = "$2" ] &&
	[ "$(grep -c '^profil: .*no high-resolution timers' "$work/err")" = "$2" ] &&
	"$PROFIL" export --json "$work/result" >"$work/json" &&
	grep -q "\"clock\": *\"$1\"" "$work/json"
}

ktap_print_header
need_device
ktap_set_plan 3
check "the default is the tick, and the command says so" runs tick 1
check "a clock that the user names" runs tick 0 --clock tick
check "another one that the user names" runs random 0 --clock random
ktap_finished
