#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The profil command on programs that know nothing of it. PROFIL names another
# one than the tree's.

cd "$(dirname "$0")" || exit 1
# shellcheck source=ktap.sh
. ./ktap.sh

PROFIL=${PROFIL:-../tools/profil}

# run STATUS ARG...: the command with these arguments ends with that status
run() {
	local want=$1 got

	shift
	"$PROFIL" -o "$work/profile" "$@" >"$work/out" 2>"$work/err"
	got=$?
	[ "$got" = "$want" ] || echo "# status $got instead of $want: $*"
	[ "$got" = "$want" ]
}

# rows: the table without its head; the fields are percent seconds samples name
rows() {
	grep -v '^#' "$work/profile"
}

# share NAME: samples of one function
share() {
	rows | awk -v name="$1" '$4 == name { n += $3 } END { print n + 0 }'
}

samples() {
	rows | awk '{ n += $3 } END { print n + 0 }'
}

# between LOW VALUE HIGH
between() {
	awk -v low="$1" -v value="$2" -v high="$3" \
		'BEGIN { exit !(low <= value && value <= high) }' ||
		{ echo "# $2 is not in $1 to $3"; false; }
}

# That the spinning of SECONDS was seen, in the right functions.
spun() {
	local seconds=$1 much less

	much=$(share spin_much)
	less=$(share spin_less)
	# 100 samples a second, start and end of the process included; 3/4 and
	# 1/4 with the statistical error of 100 samples
	between "$(awk "BEGIN { print 98 * $seconds - 1 }")" "$(samples)" \
		"$(awk "BEGIN { print 102 * $seconds + 8 }")" &&
	between 0.68 "$(awk "BEGIN { print $much / ($much + $less) }")" 0.82
}

shares() {
	run 0 ./spin 3 && spun 3
}

stripped() {
	cp spin "$work/spin" && strip "$work/spin" && run 0 "$work/spin" 1 &&
	[ "$(share spin_much)" = 0 ] &&
	between 95 "$(rows | awk '$5 == "spin" { n += $3 } END { print n }')" 103 &&
	# unnamed functions are told apart all the same: two rows hold nearly all
	between 93 "$(rows | awk '$4 ~ /^0x/ && $5 == "spin" { print $3 }' |
		head -n 2 | awk '{ n += $1 } END { print n }')" 103
}

not_pie() {
	run 0 ./spin-no-pie 1 && spun 1
}

percent_adds_up() {
	run 0 ./spin 1 &&
	between 99.99 "$(rows | awk '{ n += $1 } END { print n }')" 100.01
}

# Against what the kernel's accounting has, from start to exit().
cpu_seconds_add_up() {
	run 0 --rate 250 ./spin 3 || return
	# shellcheck disable=SC2046 # three numbers, three words
	set -- $(sed -n 's/.* the process used \([0-9.]*\) s (\([0-9.]*\) s before the profile began, \([0-9.]*\) s after it ended).*/\1 \2 \3/p' \
		"$work/profile")
	[ $# = 3 ] && between 0.98 \
		"$(awk "BEGIN { print $(samples) / 250 / ($1 - $2 - $3) }")" 1.02
}

ends_by() {
	run "$1" ./spin 1 "$2" && spun 1
}

statuses() {
	run 0 true && run 1 false && run 42 sh -c 'exit 42' &&
	run 143 sh -c 'kill -TERM $$' && run 127 /nonexistent &&
	run 126 /etc/passwd
}

output_is_the_commands() {
	run 0 sh -c 'printf "a\0b"; echo c >&2' &&
	[ "$(od -An -c "$work/out" | tr -d ' ')" = 'a\0b' ] &&
	[ "$(cat "$work/err")" = c ] &&
	"$PROFIL" ./spin 0.3 2>"$work/err" >"$work/out" &&
	[ ! -s "$work/out" ] && grep -q spin_much "$work/err"
}

environment_is_the_commands() {
	run 0 env && ! grep -E '^(LD_PRELOAD|PROFIL_RUN)=' "$work/out" &&
	LD_PRELOAD=libm.so.6 run 0 env &&
	[ "$(grep '^LD_PRELOAD=' "$work/out")" = LD_PRELOAD=libm.so.6 ]
}

script() {
	run 0 ../scripts/demo-words.pl /usr/share/common-licenses/GPL-3 &&
	grep -q 'the$' "$work/out" && grep -q 'Perl_' "$work/profile"
}

static_program() {
	run 0 ./spin-static 0.1 && cat "$work/profile" >>"$work/err" &&
	grep -qi 'static' "$work/err"
}

no_device() {
	# a mount namespace in which the device is not there
	PROFIL=$PROFIL unshare -m sh -c 'mount -t tmpfs none /dev &&
		"$PROFIL" ./spin 0.1' >"$work/out" 2>"$work/err" &&
	grep -q ENOENT "$work/err" && grep -q 'modprobe profil' "$work/err"
}

rates() {
	run 0 --rate 50 ./spin 1 && between 46 "$(samples)" 53 &&
	run 0 --rate 100000 ./spin 0.1 &&
	grep -q 'this kernel offers 1 to' "$work/err" "$work/profile"
}

# Too little locked memory for fine counters: coarser ones, and it says so.
memlock() {
	local status

	setpriv --reuid 65532 --regid 65532 --clear-groups \
		prlimit --memlock=1048576 \
		"$PROFIL" perl ../scripts/demo-words.pl \
		/usr/share/common-licenses/GPL-3 >"$work/out" 2>"$work/err"
	status=$?
	[ "$status" = 0 ] && grep -q 'ulimit -l' "$work/err" &&
	grep -q 'Perl_' "$work/err"
}

ktap_print_header
if [ ! -c /dev/profil ]; then
	ktap_skip_all "no /dev/profil: load the module"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 17
check "shares of two functions" shares
check "a stripped program" stripped
check "a program at fixed addresses" not_pie
check "percentages add up to 100" percent_adds_up
check "samples add up to the CPU seconds" cpu_seconds_add_up
check "nothing is lost by _exit" ends_by 0 _exit
check "nothing is lost by SIGKILL" ends_by 137 kill
check "nothing is lost by exec" ends_by 0 exec
check "exit statuses are the command's" statuses
check "output is the command's" output_is_the_commands
check "the command's own programs get a clean environment" \
	environment_is_the_commands
check "a script" script
check "a static program: a clear message" static_program
check "no device: errno and remedy" no_device
check "rates" rates
check "memlock limit" memlock
check "no CPU time used" run 0 true
ktap_finished
