#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs `profil top' in an emulated terminal: on processes that run already, and with a command. How it
# ends, what the programs notice, and what is refused. host/top_test.sh tests all keys. PROFIL: path
# of the command (default: the tree's).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh
# shellcheck source=../lib/attached.sh
. lib/attached.sh
# shellcheck source=../lib/tmux.sh
. lib/tmux.sh

unset COLUMNS LINES NO_COLOR
SPIN=$PWD/programs/spin

# top ARGUMENT...: starts it in a new terminal
top() {
	terminal_open 100 20 "$PROFIL top $* 2>$work/err"
}

# Share of spin_much(). It reads the clock, which had 1 of 799 samples: more than 10 % of 50 samples are
# as good as impossible.
most='(9[0-9]\.[0-9]{2}|100\.00)'

# spin_much() has most of the CPU time, live; and the target goes on when the user leaves.
attached() {
	start "$SPIN" read 100 && top -p "$target" && shows "^$SPIN \(PID $target\)" && release &&
	shows "^ *[0-9.]+ +$most +[0-9.]+ +[0-9.]+  spin_much +spin\$" &&
	typed Enter && shows 'SPIN\(spin_much\)' && typed q && shows FUNCTION &&
	typed q && left 0 && eventually sessions_are 0 && kill -0 "$target" && kill_target
}

# The terminal is as it was, without what was on the screen.
ended_target() {
	start "$SPIN" read 0.2 exit 7 && top -p "$target" && shows 'PID' && release &&
	ended "$target" 7 && shows '^ENDED, q leaves' && shows ' spin_much ' && typed q && left 0 &&
	hides spin_much && eventually sessions_are 0
}

# It has /dev/null for the terminal, goes on when the user leaves it, and finishes its work.
left_command() {
	rm -f "$work/done"
	cat >"$work/worker" <<-EOF
	#!/bin/bash
	readlink /proc/\$\$/fd/0 /proc/\$\$/fd/1 /proc/\$\$/fd/2 >$work/descriptors
	echo noise
	$SPIN 0.3
	until [ -e $work/go_on ]; do sleep 0.1; done
	$SPIN 0.1
	echo finished >$work/done
	EOF
	chmod +x "$work/worker"
	top "$work/worker" && shows ' spin_much ' && ! on_screen noise && typed q && left 0 &&
	[ "$(<"$work/descriptors")" = "$(printf '%s\n' /dev/null /dev/null "$work/err")" ] &&
	eventually sessions_are 0 && touch "$work/go_on" && wait_for test -s "$work/done"
}

# Its output is not a terminal, so it stays; the status is that of the command.
ended_command() {
	top "$SPIN 0.3 exit 7 >$work/output" && shows '^ENDED' && shows ' spin_much ' && typed q &&
	left 7
}

killed_command() {
	top "$SPIN 0.3 kill" && shows '^ENDED' && typed q && left 137
}

# profil ends by a signal, and gives the terminal back.
terminated() {
	start "$SPIN" read 100 && top -p "$target" && shows 'PID' || return
	kill "$(pgrep -f "^$PROFIL top -p $target")" && left 0 && hides PID && kill_target
}

threads() {
	start "$SPIN" read 100 && top --by thread -p "$target" && release &&
	shows " spin \[$target\] +spin$" && typed Enter && shows ' spin_much$' && typed q q && left 0 &&
	kill_target
}

once() {
	start "$SPIN" read 100 && release && "$PROFIL" top --once -d 0.5 --top 1 -p "$target" >"$work/out" &&
	grep -q '^# .*(PID ' "$work/out" && grep -q '^# CPU%' "$work/out" &&
	grep -qE " $most .* spin_much  spin\$" "$work/out" &&
	[ "$(grep -vc '^#' "$work/out")" = 1 ] && kill_target &&
	"$PROFIL" top --once --by program "$SPIN" 0.1 >"$work/out" &&
	grep -qE " 100\.00 .* spin  $SPIN$" "$work/out"
}

# refused STATUS PATTERN COMMAND...
refused() {
	local status

	"${@:3}" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	[ $status = "$1" ] && grep -q "$2" "$work/err"
}

no_terminal() {
	refused 125 'standard output is not a terminal.*(ENOTTY): use --once' "$PROFIL" top -p $$ &&
	refused 125 'there is no terminal.*(ENXIO): use --once' setsid -w "$PROFIL" top true
}

no_target() {
	top -p 4194303 && left 125 && grep -q 'no process 4194303 (ESRCH)' "$work/err" &&
	top ./no-such-command && left 127
}

# The names are the same without the library, which only the screen needs.
no_ncurses() {
	mkdir -p "$work/none" && rm -f "$work"/none/*
	ln -s /dev/null "$work/none/libncursesw.so.6"
	terminal_open 100 20 "LD_LIBRARY_PATH=$work/none $PROFIL top $SPIN 0.1 2>$work/err" && left 125 &&
	grep -q 'libncursesw.so.6 cannot be loaded: install .*or use --once' "$work/err"
}

ktap_print_header
need_device
type tmux >/dev/null 2>&1 || skip_all "no tmux: install it"
mountpoint -q /dev/pts || { mkdir -p /dev/pts && mount -t devpts devpts /dev/pts; } ||
	skip_all "no pseudo-terminals"
trap 'terminal_close 2>/dev/null; sleep 0.2; rm -rf "$work"' EXIT
ktap_set_plan 11
check "a process, and the user leaves" attached
check "a process that ends" ended_target
check "a command, and the user leaves" left_command
check "a command that ends" ended_command
check "a command that is killed" killed_command
check "a signal" terminated
check "threads" threads
check "--once" once
check "no terminal" no_terminal
check "no process, no command" no_target
check "no ncurses" no_ncurses
ktap_finished
