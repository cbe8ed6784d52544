# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # work is of ktap.sh
#
# Functions of the tests of profil with processes that run already. Source it in selftests/, after
# ktap.sh. PROFIL: path of the command (default: the tree's).

PROFIL=$(realpath "${PROFIL:-../tools/profil}")

sessions=/sys/class/misc/profil/sessions

sessions_are() {
	[ "$(<$sessions)" = "$1" ]
}

# The standard input of the targets: each waits for a byte
mkfifo "$work/go" && exec {go}<>"$work/go" || exit 1

# start COMMAND...: starts a target in the background; its process ID is in `target`. With
# "programs/spin read", it waits until `release`.
start() {
	"$@" <&"$go" >"$work/target.out" 2>"$work/target.err" &
	target=$!
}

release() {
	printf . >&"$go"
}

# waits PID: whether a process sleeps until something happens
waits() {
	grep -q '^State:.*sleeping' "/proc/$1/status"
}

# attached NUMBER: waits until profil has attached to so many processes, has looked at them, and
# waits for the log. Two targets that are released before would take both CPUs from it.
attached() {
	wait_while "$profil" sessions_are "$1" && wait_while "$profil" waits "$profil"
}

# ended PID STATUS: waits for a child of this shell; whether that is its exit status
ended() {
	local status

	wait "$1"
	status=$?
	[ $status = "$2" ] || echo "# status $status, not $2"
	[ $status = "$2" ]
}

# finished: whether profil has ended successfully, and nothing is left in the kernel
finished() {
	ended "$profil" 0 && eventually sessions_are 0
}

# kill_target: ends a target that uses CPU time; whether it was still there
kill_target() {
	kill -KILL "$target" && ended "$target" 137 2>/dev/null
}

# rows [OPTION...]: prints the table of the result without its header
rows() {
	"$PROFIL" report "$@" "$work/result" 2>"$work/err" | grep -v '^#'
}

# all_samples: prints the number of samples in the result
all_samples() {
	rows | awk '{ n += $3 } END { print n + 0 }'
}

# spun PROCESSES SECONDS: whether PROCESSES of programs/spin have samples for SECONDS in all, 3/4 of
# them in spin_much. Each may have one more or less for the phase, and three more for the last
# rounds of its two loops, which take up to 20 ms each.
spun() {
	local much all

	much=$(rows | awk '$7 == "spin_much" { n += $3 } END { print n + 0 }')
	all=$(rows | awk '$7 ~ /^spin_(much|less)$/ { n += $3 } END { print n + 0 }')
	between "$(awk "BEGIN { print 75 * $2 - $1 }")" "$much" \
		"$(awk "BEGIN { print 75 * $2 + 3 * $1 }")" &&
	between "$(awk "BEGIN { print 100 * $2 - $1 }")" "$all" \
		"$(awk "BEGIN { print 100 * $2 + 4 * $1 }")"
}

# snapshot: requests a result, and waits until it is written
snapshot() {
	rm -f "$work/result" && kill -USR1 "$profil" && wait_while "$profil" test -s "$work/result"
}

# snapshot_has SAMPLES: whether a new result has at least that many
snapshot_has() {
	snapshot && [ "$(all_samples)" -ge "$1" ]
}

# uptime: prints the time since the machine started, in seconds, rounded to 10 ms
uptime() {
	awk '{ print $1 }' /proc/uptime
}

# lasts OPTION...: profiles the busy target for half a second, and kills it. Its CPU time is read
# within the two readings of the clock, and it cannot use more CPU time outside of the profile than
# there is time outside of it.
lasts() {
	local began cpu ended

	rm -f "$work/result"
	began=$(uptime)
	cpu=$(cpu_seconds "$target")
	"$PROFIL" -c tick -o "$work/result" -t "$work/profile" --duration 0.5 "$@" </dev/null \
		>"$work/out" 2>"$work/err" && eventually sessions_are 0 &&
	cpu=$(awk "BEGIN { print $(cpu_seconds "$target") - $cpu }") && ended=$(uptime) &&
	kill_target &&
	between "$(awk "BEGIN { print 100 * ($cpu - ($ended - $began + 0.02 - 0.5)) - 1 }")" \
		"$(all_samples)" "$(awk "BEGIN { print 100 * $cpu + 1 }")" &&
	[ "$(all_samples)" -gt 0 ]
}

# cpu_seconds PID: prints the CPU time of a process with one thread
cpu_seconds() {
	awk '{ print $1 / 1e9 }' "/proc/$1/schedstat"
}

# as_user COMMAND...: profil, as a user who may not trace root's processes
as_user() {
	setpriv --reuid 65532 --regid 65532 --clear-groups "$PROFIL" -o /dev/null "$@" \
		>"$work/out" 2>"$work/err" </dev/null
}

# refused REASON ARG...: profil exits with 125, and prints one line with the reason; nothing is left
refused() {
	local reason=$1

	shift
	rm -f "$work/result" "$work/profile"
	"$PROFIL" -o "$work/result" -t "$work/profile" "$@" >"$work/out" 2>"$work/err" </dev/null
	[ $? = 125 ] && grep -qE -- "$reason" "$work/err" && [ "$(wc -l <"$work/err")" = 1 ] &&
	[ ! -e "$work/result" ] && eventually sessions_are 0
}
