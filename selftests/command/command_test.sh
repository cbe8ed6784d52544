#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the profil command on ordinary programs and checks its tables, results, messages and exit
# statuses. PROFIL: path of the command (default: the tree's).

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=${PROFIL:-../tools/profil}

# run STATUS ARG...: whether profil with these arguments exits with that status. The samples are at the
# tick unless the arguments say otherwise: then the bounds of a count need no chance.
run() {
	local want=$1 got

	shift
	"$PROFIL" -c tick -o "$work/result" -t "$work/profile" "$@" >"$work/out" 2>"$work/err"
	got=$?
	[ "$got" = "$want" ] || echo "# status $got, not $want: $*"
	[ "$got" = "$want" ]
}

# report ARG...: reports the result of the last run
report() {
	"$PROFIL" report "$@" "$work/result" >"$work/profile" 2>"$work/err"
}

# rows: prints the table without its header. The columns are percent, seconds, samples, system%,
# interval, object and name.
rows() {
	grep -v '^#' "$work/profile"
}

# share NAME: prints the number of samples of one function
share() {
	rows | awk -v name="$1" '$7 == name { n += $3 } END { print n + 0 }'
}

# samples: prints the number of all samples
samples() {
	rows | awk '{ n += $3 } END { print n + 0 }'
}

# samples_are_due SECONDS FRACTION NR: whether NR samples are that fraction of 100 per second.
# The phase accounts for one more or less; the last round of a loop, which takes up to 20 ms,
# for two more. Interruptions would account for more: see uninterrupted().
samples_are_due() {
	local due

	due=$(awk "BEGIN { print 100 * $1 * $2 }")
	between "$(awk "BEGIN { print $due - 1 }")" "$3" "$(awk "BEGIN { print $due + 3 }")"
}

# spun SECONDS: whether programs/spin has samples for SECONDS, 3/4 of them in spin_much.
# spin_less uses the remaining time, so the excess of the last round of spin_much is missing
# there. The start and the end of the program take up to 3 samples.
spun() {
	local much less

	much=$(share spin_much)
	less=$(share spin_less)
	samples_are_due "$1" 0.75 "$much" && [ "$less" -gt 0 ] &&
	samples_are_due "$1" 1 $((much + less)) &&
	between 0 $(($(samples) - much - less)) 3
}

shares() {
	run 0 programs/spin 1 && spun 1
}

stripped() {
	cp programs/spin "$work/spin" && strip "$work/spin" && run 0 "$work/spin" 0.4 &&
	[ "$(share spin_much)" = 0 ] &&
	# functions without names have rows of their own: two rows have nearly all samples
	samples_are_due 0.4 1 "$(rows | awk '$7 ~ /^0x/ && $6 == "spin" { print $3 }' |
		head -n 2 | awk '{ n += $1 } END { print n }')"
}

not_pie() {
	run 0 programs/spin-no-pie 0.4 && spun 0.4
}

# Each is rounded to the nearest.
percent_adds_up() {
	run 0 programs/spin 0.2 &&
	rows | awk '{ n += $1 } END { exit n < 100 - NR * 0.005 || n > 100 + NR * 0.005 }'
}

# profile_is_whole ALLOWANCE [LOST]: whether the counted and the LOST samples match the CPU time
# that the kernel accounts: that of the program from the profile's start on, and of its children
profile_is_whole() {
	between "-$1" "$(awk -v samples="$(($(samples) + ${2:-0}))" '
		/ samples* at / {
			rate = $5
			match($0, /used [0-9.]+/)
			used = substr($0, RSTART + 5, RLENGTH - 5)
			if (match($0, /[0-9.]+ s before profiling/))
				used -= substr($0, RSTART) + 0
		}
		/^# plus .* using / { used += $(NF - 1) }
		/ s while they were profiled$/ { used = $2 }
		END { if (used > 0) print samples - rate * used }' "$work/profile")" "$1"
}

# One more or less for the phase, and one less for the end of exit(), after the program has left its
# memory.
cpu_seconds_add_up() {
	run 0 --rate 250 programs/spin 0.5 && profile_is_whole 2
}

ends_by() {
	run "$1" programs/spin 0.4 "$2" && spun 0.4
}

# status_with_closed_pipe OPTION...: the exit status is the program's, although profil's output
# goes to a closed pipe
status_with_closed_pipe() {
	{
		"$PROFIL" -o /dev/null "$@" sh -c 'sleep 1; exit 42' 2>&1
		echo $? >"$work/out"
	} | true
	[ "$(<"$work/out")" = 42 ]
}

statuses() {
	run 0 true && run 1 false && run 42 sh -c 'exit 42' &&
	grep -qx '# exit status 42' "$work/profile" && run 143 sh -c 'kill -TERM $$' &&
	grep -qx '# killed by signal 15 (SIGTERM)' "$work/profile" && run 127 /nonexistent &&
	run 126 /etc/passwd && grep -q '(EACCES): .*chmod +x' "$work/err" &&
	run 127 nonexistent && grep -q '(ENOENT): no such command in PATH' "$work/err" &&
	run 141 sh -c 'kill -PIPE $$' && status_with_closed_pipe &&
	status_with_closed_pipe --progress=0.1
}

# Above the file size limit, run and export report EFBIG. SIGXFSZ does not kill profil, but it
# still kills the program.
file_size_limit() {
	(ulimit -f 0 && "$PROFIL" -o "$work/result" -t /dev/null sh -c 'exit 3' 2>&1) |
		cat >"$work/err"
	[ "${PIPESTATUS[0]}" = 125 ] && grep -q '(EFBIG): .*(ulimit -f)' "$work/err" &&
	run 153 sh -c 'kill -XFSZ $$' && run 0 programs/spin 0.1 &&
	{
		(ulimit -f 1 && "$PROFIL" export --html -o "$work/html" "$work/result" 2>"$work/err")
		[ $? = 1 ]
	} && grep -q '(EFBIG): .*(ulimit -f)' "$work/err" && [ ! -e "$work/html" ]
}

output_is_unchanged() {
	run 0 sh -c 'printf "a\0b"; echo c >&2' &&
	[ "$(od -An -c "$work/out" | tr -d ' ')" = 'a\0b' ] &&
	[ "$(cat "$work/err")" = c ] &&
	"$PROFIL" -o "$work/result" programs/spin 0.3 2>"$work/err" >"$work/out" &&
	[ ! -s "$work/out" ] && grep -q spin_much "$work/err"
}

# Closed standard descriptors stay closed in the program, and profil's messages do not go to
# another file.
closed_descriptors() {
	"$PROFIL" -c tick -o "$work/result" --progress=0.1 programs/spin 0.4 2>&- && report && spun 0.4 &&
	run 0 bash -c '! [ -e /proc/$$/fd/0 ]' <&- &&
	! "$PROFIL" report "$work/result" 2>"$work/err" >&- && grep -q '(EBADF)' "$work/err"
}

# Nothing is loaded into the program, and its environment and descriptors are the same. (The shell
# sets _.)
undisturbed() {
	# shellcheck disable=SC2016 # for the profiled shell
	local look='env | grep -v ^_=; sed "s/.* //" /proc/self/maps; ls -l /proc/self/fd | wc -l'

	sh -c "$look" >"$work/want" </dev/null && run 0 sh -c "$look" </dev/null &&
	diff "$work/want" "$work/out"
}

script() {
	run 0 ../scripts/demo-words.pl /usr/share/common-licenses/GPL-3 &&
	grep -q 'the$' "$work/out" && grep -q 'Perl_' "$work/profile"
}

# without_device OPTION...: runs profil in a mount namespace without /dev/profil
without_device() {
	rm -f "$work/ran"
	PROFIL=$PROFIL unshare -m sh -c 'mount -t tmpfs none /dev && ran=$1 && shift &&
		exec "$PROFIL" "$@" sh -c ">\"\$0\"; exit 3" "$ran"' sh "$work/ran" \
		-o "$work/result" "$@" >"$work/out" 2>"$work/err"
}

# A known failure is reported before the command runs, which may take hours.
no_device() {
	without_device
	[ $? = 125 ] && [ ! -e "$work/ran" ] &&
	grep -q 'ENOENT.*the module is loaded, but' "$work/err" &&
	grep -q -e '--force runs it' "$work/err" || return
	without_device --force
	[ $? = 3 ] && rm "$work/ran" && [ "$(grep -c ENOENT "$work/err")" = 1 ]
}

# is_refused REASON ARG...: the command does not run, and the reason is printed. With --force, it
# runs.
is_refused() {
	local reason=$1

	shift
	rm -f "$work/ran"
	run 125 "$@" touch "$work/ran" && [ ! -e "$work/ran" ] &&
	grep -q -e "$reason" "$work/err" &&
	run 0 --force "$@" touch "$work/ran" && rm "$work/ran" &&
	grep -q -e "$reason" "$work/err"
}

# as_user BYTES OPTION... COMMAND...: runs profil as a user who may lock that many bytes. The table
# goes to standard error.
as_user() {
	# set by root: it may exceed the user's hard limit, which is 64 KiB up to Linux 5.15
	prlimit --memlock="$1" setpriv --reuid 65532 --regid 65532 --clear-groups \
		"$PROFIL" -c tick -o /dev/null "${@:2}" >"$work/out" 2>"$work/profile"
}

# The log is in locked memory.
no_locked_memory() {
	as_user 0 true
	[ $? = 125 ] && grep -q 'ENOMEM.*ulimit -l' "$work/profile" || return
	prlimit --memlock=0 setpriv --reuid 65532 --regid 65532 --clear-groups \
		"$PROFIL" info >"$work/out"
	[ $? = 1 ] && grep -q '^profile .*ENOMEM.*ulimit -l' "$work/out"
}

# The log becomes as small as the limit needs.
little_locked_memory() {
	as_user 65536 programs/spin 0.5 && spun 0.5 && [ -z "$(lost)" ] && profile_is_whole 2
}

rates() {
	run 0 --rate 50 programs/spin 0.4 && profile_is_whole 2 &&
	is_refused 'the kernel offers 1 to' --rate 100000 &&
	is_refused 'the tick rate; other clocks' --clock tick --rate 3000 &&
	# 400 random samples have four standard errors of 4 * sqrt(400) = 80
	run 0 --clock random --rate 800 programs/spin 0.5 && profile_is_whole 80 &&
	run 125 --clock sun true && grep -q 'random, timer or tick' "$work/err"
}

# is_sampled_by CLOCK [OPTION...]: whether the result names that clock. 50 samples have four standard
# errors of 4 * sqrt(50) = 28.
is_sampled_by() {
	"$PROFIL" -o "$work/result" --no-table "${@:2}" programs/spin 0.5 2>"$work/err" &&
	[ ! -s "$work/err" ] && "$PROFIL" export --json "$work/result" >"$work/json" &&
	grep -q "\"clock\": *\"$1\"" "$work/json" && report && between 22 "$(samples)" 78
}

default_clock() {
	is_sampled_by random && is_sampled_by tick --clock tick
}

parameter=/sys/module/profil/parameters/max_cpu_percent

# With a limit of 0 %, the throttle lowers the rate at the first sample that it measures, the
# 16th. The profile's seconds are computed from the lower rate.
lowered_rate() {
	local before status

	before=$(<$parameter)
	echo 0 >$parameter
	run 0 --clock random --rate 4000 programs/spin 0.5 &&
	grep -q 'lowered the rate from 4000 Hz' "$work/profile" &&
	profile_is_whole 18
	status=$?
	echo "$before" >$parameter
	return $status
}

# lost: prints the number of lost samples in the table's header
lost() {
	sed -n 's/^# \([0-9]*\) samples* (.*) lost .*/\1/p' "$work/profile"
}

# status PID FIELD: prints a field of a process, which may be a zombie
status() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}

# While profil is stopped, the log of 64 KiB fills up. The program has 6000 samples, and up to 80
# for the last rounds of its two loops. Half of the log has room for 1312 of them, in 32 chunks of
# which a CPU that the program has left may keep one that is not full, and up to 100 are read before
# profil is stopped. The others are lost. The table reports their number.
#
# Ordinary threads interrupt the program, on a slow host some 200 times. Most of them are woken by
# the tick. The points of the clock "timer" are in step with it, so that all or none of them may be
# in an interruption: at 2000 Hz, up to 64 samples were too few. Random points are independent. The
# program has a part of a period before and after an interruption, each with a variance of 1/4 at
# most, and five standard errors are allowed.
full_log() {
	local go spin interruptions allowance

	mkfifo "$work/full" && exec {go}<>"$work/full" || return
	as_user 65536 --rate 2000 --clock random programs/spin read 3 <&"$go" &
	wait_while $! pgrep -x spin >"$work/pid" && spin=$(<"$work/pid") &&
	kill -STOP "$(status "$spin" PPid)" && echo >&"$go" &&
	while [[ $(status "$spin" State) != *zombie* ]]; do sleep 0.1; done &&
	interruptions=$(status "$spin" nonvoluntary_ctxt_switches) &&
	kill -CONT "$(status "$spin" PPid)" && wait $! &&
	allowance=$(awk -v n="$interruptions" 'BEGIN { print 5 * sqrt((n + 1) / 2) }') &&
	grep -q '(ENOBUFS)' "$work/profile" &&
	between "$((6000 - 1312 - 100 - ${allowance%.*}))" "$(lost)" \
		"$((6080 - 1312 + 41 * $(nproc) + ${allowance%.*}))" &&
	profile_is_whole "$allowance" "$(lost)"
}

# The same with programs: each writes some 500 bytes, so that 32 KiB have room for 65 of them.
full_log_of_programs() {
	local go shell

	mkfifo "$work/programs" && exec {go}<>"$work/programs" || return
	as_user 65536 sh -c 'read -r _; for i in $(seq 200); do /bin/true; done' <&"$go" &
	wait_while $! pgrep -u 65532 -x sh >"$work/pid" && shell=$(<"$work/pid") &&
	kill -STOP "$(status "$shell" PPid)" && echo >&"$go" &&
	while [[ $(status "$shell" State) != *zombie* ]]; do sleep 0.1; done &&
	kill -CONT "$(status "$shell" PPid)" && wait $! &&
	grep -q '^# [0-9]* records of programs and mappings were lost (ENOBUFS)' "$work/profile" &&
	grep -q '^# the log had 64 KiB instead of ' "$work/profile" &&
	grep -q 'full of records .*(ulimit -l), or profile fewer' "$work/profile" &&
	! grep -e --rate "$work/profile"
}

# The same, and then the shell executes a program: the record of that is lost, too. Its samples are
# not the shell's.
lost_exec() {
	local go shell

	mkfifo "$work/exec" && exec {go}<>"$work/exec" || return
	as_user 65536 sh -c 'read -r _; for i in $(seq 200); do /bin/true; done
		exec programs/spin 2' <&"$go" &
	wait_while $! pgrep -u 65532 -x sh >"$work/pid" && shell=$(<"$work/pid") &&
	kill -STOP "$(status "$shell" PPid)" && echo >&"$go" &&
	while [[ $(readlink "/proc/$shell/exe") != */programs/spin ]]; do sleep 0.1; done &&
	kill -CONT "$(status "$shell" PPid)" && wait $! &&
	grep -q '^# [0-9]* records of programs and mappings were lost (ENOBUFS)' "$work/profile" &&
	between 150 $(($(share spin_much) + $(share spin_less))) 208
}

# thread_has NAME SECONDS SYSTEM: whether the samples and the CPU time of a thread are SECONDS, and
# its share of samples in the kernel is within SYSTEM, two percentages. The table rounds the CPU time
# to 0.01 s. The kernel accounts what the thread uses after it has read its clock, too: up to 2 ms.
thread_has() {
	local row

	row=$(rows | awk -v name="$1" '$8 == name { print $3, $2, $4 }')
	samples_are_due "$2" 1 "${row%% *}" &&
	between "$(awk "BEGIN { print $2 - 0.005 }")" "$(cut -d' ' -f2 <<<"$row")" \
		"$(awk "BEGIN { print $2 + 0.007 }")" &&
	between "${3% *}" "${row##* }" "${3#* }"
}

# A thread that spins makes a system call to read its clock every few ms, and one that reads
# /dev/zero is in user mode between the calls.
threads() {
	run 0 programs/pool spinner user 0.4 reader kernel 0.6 && report --by thread --full-names &&
	thread_has spinner "$(awk '/^spinner/ { print $2 }' "$work/out")" "0 10" &&
	thread_has reader "$(awk '/^reader/ { print $2 }' "$work/out")" "90 100"
}

# A selection has the samples of its row, in each view and export.
selections() {
	local reader all

	run 0 sh -c 'programs/pool spinner user 0.2 reader kernel 0.3; :' && report --by thread &&
	reader=$(rows | awk '$8 == "reader" { print $3 }') &&
	report --program pool --thread reader --by object && [ "$(samples)" = "$reader" ] &&
	grep -q '^# only program pool, thread reader$' "$work/profile" &&
	"$PROFIL" export --folded --thread 'read*' "$work/result" >"$work/profile" &&
	[ "$(awk '{ n += $NF } END { print n }' "$work/profile")" = "$reader" ] &&
	report --by program && all=$(rows | awk '$7 ~ "/pool$" { print $3 }') &&
	report --program pool && [ "$(samples)" = "$all" ] &&
	! report --program nothing && grep -q -e '--by program' "$work/err"
}

# views: prints the result in all forms that need no source
views() {
	local view

	for view in "" --lines --inline --by=address --by=object; do
		"$PROFIL" report $view "$work/result" 2>&1
	done
	for view in --json --callgrind --firefox --folded; do
		"$PROFIL" export $view "$work/result" 2>&1
	done
	"$PROFIL" export --pprof "$work/result" 2>&1 | zcat
}

# After the program is gone, the result is printed as before. A result does not differ from itself,
# wherever the files are.
names_stay() {
	cp programs/spin "$work/gone" && run 0 "$work/gone" 0.3 && views >"$work/before" &&
	rm "$work/gone" && views >"$work/after" && cmp "$work/before" "$work/after" &&
	grep -q 'spin\.[ch]:[0-9]* (spin_much)' "$work/after" &&
	"$PROFIL" diff --old-root "$work" "$work/result" "$work/result" >"$work/profile" &&
	grep -q '^# 0 of ' "$work/profile"
}

# forked CHILDREN SECONDS: whether the parent and CHILDREN children, each of which used SECONDS,
# have their samples in the right functions, and the report does not warn that there are too many.
forked() {
	samples_are_due "$2" 1 "$(share spin_parent)" &&
	between "$(awk "BEGIN { print $1 * (100 * $2 - 1) }")" "$(share spin_child)" \
		"$(awk "BEGIN { print $1 * (100 * $2 + 3) }")" &&
	! grep 'more than the CPU time' "$work/profile"
}

# forks END: whether the CPU time of children is known, even of children by the raw system call, and
# of those that are killed
forks() {
	run 0 programs/forks 3 0.2 "$1" && forked 3 0.2 &&
	grep -q '^# plus 3 forked children, using ' "$work/profile" &&
	profile_is_whole 8
}

# A child is counted until it executes another program, which is not counted.
forks_and_exec() {
	run 0 --no-follow programs/forks 1 0.2 exec programs/spin 0.2 && forked 1 0.2 &&
	[ "$(share spin_much)" = 0 ] &&
	grep -q '^# plus 1 forked child, using ' "$work/profile"
}

# The options of report, and a summary of many rows
run_has_options_of_report() {
	run 0 --by object programs/spin 0.2 && rows | grep -q "  $PWD/programs/spin$" &&
	run 0 --lines programs/spin 0.2 && rows | grep -q '  spin\.c:[0-9]* (spin_much)$' &&
	run 0 --top 1 programs/spin 0.2 && [ "$(rows | wc -l)" -le 2 ] &&
	run 0 --min-percent 60 programs/spin 0.2 && [ "$(rows | wc -l)" = 2 ] &&
	rm -f "$work/result" &&
	"$PROFIL" -o "$work/result" --no-table programs/spin 0.2 2>"$work/err" >"$work/out" &&
	[ -s "$work/result" ] && [ ! -s "$work/err" ] && run 0 --clock random --rate max programs/spin 0.2 &&
	# with a fraction, if the kernel has lowered it
	grep -q '^# [0-9]* samples at [0-9]\{4,\}[0-9.]* Hz' "$work/profile" &&
	run 0 --clock random --rate max ../scripts/demo-words.pl /usr/share/common-licenses/GPL-3 &&
	[ "$(rows | wc -l)" = 41 ] && rows | tail -n 1 | grep -q '([0-9]* more functions)$' &&
	grep -q 'report --all. shows all rows$' "$work/profile" &&
	run 0 --clock random --rate max --all ../scripts/demo-words.pl /usr/share/common-licenses/GPL-3 &&
	[ "$(rows | wc -l)" -gt 41 ] && ! rows | grep ' more function'
}

# The result file gives the same table as the run, and tables with other options.
result_is_kept() {
	run 0 programs/spin 0.4 && cp "$work/profile" "$work/shown" && report &&
	diff "$work/shown" <(grep -v '^# started ' "$work/profile") &&
	grep -q "^# started .* on $(uname -n), Linux $(uname -r) " "$work/profile" &&
	report --top 1 && [ "$(rows | wc -l)" = 2 ] && rows | tail -n 1 | grep -q ' more functions*)$' &&
	[ "$(share spin_much)" -gt 0 ] &&
	report --by object --sort name --min-percent 90 &&
	[ "$(rows | awk 'NR == 1 { print $6 }')" = "$PWD/programs/spin" ] &&
	report --by process && rows | grep -q '^  *100\.[0-9]* .*/spin ' &&
	report --color=always && grep -q "$(printf '\033')\[31m" "$work/profile" &&
	COLUMNS=40 report --by object && [ "$(wc -L <"$work/profile")" -le 40 ] &&
	COLUMNS=40 report --by object --full-names && rows | grep -q "  $PWD/programs/spin$"
}

# An old program calls monitor(3C) and writes mon.out. prof prints it, with
# its calls, and with samples within one tick of the CPU time that the program prints. For the breaks
# in it, see samples() in monitor_test.sh.
mon_out() {
	local program=$PWD/programs/dialects/solaris-monitor

	rm -rf "$work/mon" && mkdir "$work/mon" &&
	(cd "$work/mon" && PROFIL_RATE=250 "$program") >"$work/out" 2>"$work/err" &&
	grep -q 'PROFIL_RATE=250 prof -m mon.out$' "$work/err" &&
	PROFIL_RATE=250 "${PROFIL%profil}prof" -m "$work/mon/mon.out" "$program" \
		>"$work/profile" 2>"$work/err" && [ ! -s "$work/err" ] &&
	awk '
		FNR == NR { of[$1] = $2; next }
		FNR == 1 { titles = $0; next }
		{ total = 250 * $3; calls[$NF] = NF > 4 ? $4 : 0; n[$NF] = 250 * $2 }
		END {
			due = 250 * of["seconds"]
			allowed = 1 + 2 * sqrt(of["breaks"])
			both = n["much"] + n["less"]
			off = n["much"] / both - 0.75
			printf "# %d samples of %.2f, %.2f allowed\n", total, due, allowed
			exit !(titles == " %Time Seconds Cumsecs  #Calls   msec/call  Name" &&
				total >= due - allowed && total <= due + allowed &&
				calls["much"] == 100 && calls["less"] == 100 &&
				calls["work"] == 1 &&
				off * off <= 16 * 0.75 * 0.25 / both)
		}' "$work/out" "$work/profile"
}

# The instructions have the samples of the result, at the same addresses, and lines of the source,
# also those without samples, which are not stored with the result.
instructions() {
	report --by=address --all &&
	rows | awk '$8 == "spin_much" { print substr($7, 3), $3 }' | sort >"$work/wanted" &&
	[ -s "$work/wanted" ] && report --annotate spin_much --asm --all &&
	awk '!/^#/ && $1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9]+$/ { print $3, $2 }' "$work/profile" |
		sort | diff "$work/wanted" - >"$work/err" &&
	[ "$(grep -c '^ \{33\}spin\.c:[0-9]' "$work/profile")" -gt 2 ] &&
	grep -q '^ \{22,\}[0-9a-f]*  [a-z]' "$work/profile"
}

# The tests' programs have debug information.
by_line() {
	run 0 programs/spin 0.4 && report --lines && rows | grep -q ' spin  *spin\.c:[0-9]* (spin_much)$' &&
	between 0.9 "$(rows | awk '$7 ~ /^spin.c:/ { n += $3 } { all += $3 }
		END { print n / all }')" 1 &&
	report --annotate spin_much && grep -q '^ .* [0-9][0-9]*  .*spin' "$work/profile" &&
	instructions &&
	! report --annotate no_such_function &&
	grep -q 'lists the functions with samples' "$work/err"
}

# A file that was rebuilt after the run: the result has the names. With --refresh, the report names
# the file, and does not use its symbols.
changed_object() {
	cp programs/spin "$work/spin" && run 0 "$work/spin" 0.5 &&
	[ "$(share spin_much)" -gt 0 ] && cp programs/forks "$work/spin" && report &&
	[ "$(share spin_much)" -gt 0 ] && ! grep 'build-id' "$work/profile" &&
	report --refresh && [ "$(share spin_much)" -gt 0 ] &&
	grep -q "^# $work/spin: .* build-id differs: function names are those of the end" \
		"$work/profile" &&
	# the old file is below --root
	mkdir -p "$work/root$work" && cp programs/spin "$work/root$work/spin" &&
	report --root "$work/root" && [ "$(share spin_much)" -gt 0 ] &&
	! grep 'build-id' "$work/profile"
}

# The directory contains the last two results and no other file, even after the program is killed.
result_file() {
	mkdir "$work/here" &&
	(PROFIL=$(realpath "$PROFIL") && spin=$PWD/programs/spin && cd "$work/here" &&
		"$PROFIL" "$spin" 0.1 2>"$work/err" && [ "$(ls)" = profil.out ] &&
		cp profil.out ../before &&
		"$PROFIL" "$spin" 0.1 kill 2>>"$work/err"
		[ $? = 137 ] && [ "$(echo *)" = "profil.out profil.out.old" ] &&
		cmp ../before profil.out.old && "$PROFIL" report >"$work/profile")
}

# SIGUSR1 writes a snapshot of a running command. The result from before the run stays as .old.
snapshot() {
	local pid resume status

	rm -f "$work/result.old" && mkfifo "$work/go" && exec {resume}<>"$work/go" &&
	echo before >"$work/result" || return
	# shellcheck disable=SC2016 # for the profiled shell
	"$PROFIL" -c tick -o "$work/result" -t "$work/table" \
		sh -c 'programs/spin 0.4; : >"$1/spun"; read -r line <"$1/go"' sh "$work" &
	pid=$!
	wait_while "$pid" test -e "$work/spun" && kill -USR1 "$pid" &&
	wait_while "$pid" report && spun 0.4 &&
	[ "$(<"$work/result.old")" = before ] && [ ! -s "$work/table" ]
	status=$?
	echo >&"$resume"
	exec {resume}>&-
	wait "$pid" && [ $status = 0 ] && report && spun 0.4 &&
	[ "$(<"$work/result.old")" = before ]
}

# The command runs, and the table is printed.
result_that_cannot_be_written() {
	"$PROFIL" -o /nonexistent/file -t "$work/profile" sh -c 'exit 3' 2>"$work/err"
	[ $? = 125 ] &&
	grep -q '/nonexistent/file: .* (ENOENT): .*name another file with -o' "$work/err" &&
	grep -q '^# command: sh' "$work/profile"
}

# In a sticky directory, another user's symbolic link does not make profil replace a file.
planted_link() {
	local protected=/proc/sys/fs/protected_symlinks before status

	before=$(<$protected)
	echo 1 >$protected
	mkdir -m 1777 "$work/sticky" && echo precious >"$work/precious" &&
	ln -s "$work/precious" "$work/sticky/result" &&
	chown -h 65532 "$work/sticky/result" &&
	{
		"$PROFIL" -o "$work/sticky/result" -t "$work/profile" true 2>"$work/err"
		[ $? = 125 ]
	} && grep -q 'sticky/result: .* (EACCES)' "$work/err" &&
	[ "$(<"$work/precious")" = precious ]
	status=$?
	echo "$before" >$protected
	return $status
}

# refused FILE OPTION...: the command does not run, because FILE is both table and result
refused() {
	"$PROFIL" "${@:2}" touch "$work/ran"
	[ $? = 125 ] && [ ! -e "$work/ran" ] &&
	grep -q "^[^ ]*: $1 is used for the result" "$work/err"
}

# The table and the result would overwrite each other. Existing files stay unchanged.
one_file_for_both() {
	run 0 true && cp "$work/result" "$work/before" && ln -s result "$work/link" &&
	refused "$work/link" -o "$work/result" -t "$work/link" 2>"$work/err" &&
	refused 'standard error' -o "$work/err" 2>"$work/err" &&
	cmp "$work/before" "$work/result" &&
	refused "$work/new" -o "$work/new" -t "$work/new" 2>"$work/err" &&
	# the refused command creates no file
	[ ! -e "$work/new" ] && echo kept >"$work/result.old" &&
	refused "$work/result.old" -o "$work/result" -t "$work/result.old" 2>"$work/err" &&
	[ "$(<"$work/result.old")" = kept ] &&
	"$PROFIL" -o /dev/null -t /dev/null true 2>"$work/err" &&
	# a new table replaces an earlier one
	echo earlier >"$work/profile" && run 0 true && ! grep earlier "$work/profile"
}

differences() {
	run 0 programs/spin 0.4 && mv "$work/result" "$work/old" &&
	run 0 programs/forks 1 0.4 exit &&
	"$PROFIL" diff "$work/old" "$work/result" >"$work/profile" 2>"$work/err" &&
	# functions in only one of the results have changed significantly
	grep -q '^ .* -[0-9.]*\* .* forks  *spin_much$' "$work/profile" &&
	grep -q '^ .* +[0-9.]*\* .* forks  *spin_child$' "$work/profile" &&
	"$PROFIL" diff "$work/old" "$work/old" >"$work/profile" &&
	grep -q '^# 0 of ' "$work/profile" && ! grep -q '[0-9]\* ' "$work/profile"
}

information() {
	"$PROFIL" info >"$work/out" 2>"$work/err" &&
	grep -q '^/dev/profil  *can be opened' "$work/out" &&
	grep -q '^rates  *1 to [0-9]* Hz' "$work/out" &&
	grep -q '^profile  *can be started' "$work/out" &&
	! PROFIL=$PROFIL unshare -m sh -c 'mount -t tmpfs none /dev &&
		"$PROFIL" info' >"$work/out" 2>"$work/err" &&
	grep -q '^/dev/profil .*(ENOENT): the module is loaded, but' "$work/out"
}

# A command with the name of a subcommand
subcommand_names() {
	printf '#!/bin/sh\nexit 7\n' >"$work/report" && chmod +x "$work/report" &&
	run 7 "$work/report" &&
	{
		PATH=$work:$PATH "$PROFIL" run -o "$work/result" -t "$work/profile" report
		[ $? = 7 ]
	} && "$PROFIL" help diff | grep -q '^Usage: profil diff' &&
	"$PROFIL" --help | grep -q 'profil info'
}

# completes WORD... WANT: whether the completions of WORD... are WANT; the last WORD is incomplete
completes() (
	# shellcheck disable=SC2034 # the interface of bash completions
	COMP_WORDS=("${@:1:$#-1}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
	. ../tools/generated/profil.bash
	_profil 2>/dev/null
	[ "${COMPREPLY[*]}" = "${!#}" ] || echo "# ${*:1:$#-1}: ${COMPREPLY[*]}"
	[ "${COMPREPLY[*]}" = "${!#}" ]
)

completion() {
	completes profil run --ta --table= && completes profil run --by = f function && completes profil --cg --cgroup= &&
	completes profil report --so --sort= &&
	completes profil report --sort = n name &&
	completes profil report --by = "" "function line object address process thread program caller" &&
	completes profil report --color = n never &&
	completes profil report --fu --full-names &&
	completes profil report --color faults. faults.md &&
	completes profil -c ti "timer tick" && completes profil help d diff &&
	completes profil diff --sh --shares &&
	completes profil diff faults. faults.md && completes profil info x ""
}

ktap_print_header
need_device
ktap_set_plan 46
# These stop profil and let it continue. While real-time threads run, what it then needs of the
# kernel's ordinary threads may take seconds.
if [ "$(id -u)" = 0 ]; then
	check "samples that the log cannot hold are lost, and reported" full_log
	check "programs that the log cannot hold are lost, and reported" full_log_of_programs
	check "samples after a lost exec are of the program that runs" lost_exec
else
	ktap_test_skip "samples that the log cannot hold: needs root"
	ktap_test_skip "programs that the log cannot hold: needs root"
	ktap_test_skip "samples after a lost exec: needs root"
fi
uninterrupted
check "shares of two functions" shares
check "a stripped program" stripped
check "a program at fixed addresses" not_pie
check "percentages add up to 100" percent_adds_up
check "samples add up to the CPU time" cpu_seconds_add_up
check "no sample is lost if the program calls _exit" ends_by 0 _exit
check "no sample is lost if the program is killed" ends_by 137 kill
check "no sample is lost if the program executes another" ends_by 0 exec
check "the exit status is the program's" statuses
check "above the file size limit: EFBIG" file_size_limit
check "the program's output is unchanged" output_is_unchanged
check "closed standard descriptors stay closed" closed_descriptors
check "the environment, the memory and the descriptors are unchanged" undisturbed
check "a script" script
check "no device: refused, with errno and remedy" no_device
if [ "$(id -u)" = 0 ]; then
	check "no locked memory: refused, with the reason" no_locked_memory
	check "little locked memory" little_locked_memory
else
	ktap_test_skip "no locked memory: needs root"
	ktap_test_skip "little locked memory: needs root"
fi
check "rates and clocks" rates
check "random points unless the user names a clock" default_clock
if [ -w $parameter ]; then
	check "a rate that the kernel lowers" lowered_rate
else
	ktap_test_skip "a rate that the kernel lowers: needs root"
fi
check "forked children" forks exit
check "forked children that call _exit()" forks _exit
check "forked children that are killed" forks kill
check "children by clone" forks clone
check "a forked child that executes another program, with --no-follow" forks_and_exec
check "a mon.out of monitor(3C), and prof" mon_out
check "a program that uses no CPU time" run 0 true
check "run has the options of report" run_has_options_of_report
check "a result is kept, and reported with other options" result_is_kept
check "source lines" by_line
check "threads have their samples, modes and CPU times" threads
check "samples are selected by program and thread" selections
check "a result has its names after the program is gone" names_stay
check "a file that has changed since the run" changed_object
check "the directory has results and no other files" result_file
check "a snapshot of a running command" snapshot
check "a result that cannot be written" result_that_cannot_be_written
check "another user's link does not redirect a result" planted_link
check "one file for the table and the result is refused" one_file_for_both
check "profil diff" differences
check "profil info" information
check "commands with the name of a subcommand" subcommand_names
check "completion" completion
ktap_finished
