# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # work is of ktap.sh
#
# A terminal for tests of full-screen programs: tmux emulates it. Source it in selftests/, after
# ktap.sh.

# Each terminal has a server of its own, without the user's configuration: the one before may
# still be about to end.
terminals=0
terminal() {
	LC_ALL=C.UTF-8 TERM=xterm-256color tmux -S "$work/tmux$terminals" -f /dev/null "$@"
}

# terminal_open COLUMNS ROWS COMMAND: a new terminal, which the command has. Its exit status is in
# $work/status.
terminal_open() {
	terminal kill-server 2>/dev/null
	((terminals++))
	rm -f "$work/status"
	terminal new-session -d -x "$1" -y "$2" \
		"LC_ALL=C.UTF-8 TERM=screen-256color $3; echo \$? >$work/status; sleep 1000"
}

terminal_close() {
	terminal kill-server
}

# typed KEY...: types keys, in tmux's names
typed() {
	terminal send-keys "$@"
}

resized() {
	terminal resize-window -x "$1" -y "$2"
}

# shellcheck disable=SC2120 # some tests give options
# screen [OPTION...]: prints what is on the screen; options are those of capture-pane
screen() {
	terminal capture-pane -p "$@"
}

# shows PATTERN: waits until a line of the screen matches (grep -E). Fails if the command ends first
shows() {
	local has_ended=false

	wait_for on_screen_or_ended "$1"
	! $has_ended || {
		echo "# not on the screen: $1"
		screen | sed 's/^/#   /'
		return 1
	}
}

on_screen() {
	screen | grep -qE -- "$1"
}

on_screen_or_ended() {
	on_screen "$1" || { [ -s "$work/status" ] && has_ended=true; }
}

# hides PATTERN: waits until no line matches. What is written is on the screen some time later
hides() {
	wait_for not on_screen "$1"
}

# left STATUS: waits until the command has ended; whether that is its exit status
left() {
	wait_for test -s "$work/status" && [ "$(<"$work/status")" = "$1" ]
}
