#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The profil command on programs that know nothing of it. PROFIL names another
# one than the tree's.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=${PROFIL:-../tools/profil}

# run STATUS ARG...: the command with these arguments ends with that status
run() {
	local want=$1 got

	shift
	"$PROFIL" -o "$work/result" -t "$work/profile" "$@" >"$work/out" 2>"$work/err"
	got=$?
	[ "$got" = "$want" ] || echo "# status $got instead of $want: $*"
	[ "$got" = "$want" ]
}

# report ARG...: of the result that the last run has kept
report() {
	"$PROFIL" report "$@" "$work/result" >"$work/profile" 2>"$work/err"
}

# rows: the table without its head; the fields are percent seconds samples name object
# interval
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

# of SECONDS FRACTION: whether a number of samples is that part of the 100 a second. One
# more or less is for the phase, and two more for the last round of a loop, which takes up
# to 20 ms.
of() {
	local due

	due=$(awk "BEGIN { print 100 * $1 * $2 }")
	between "$(awk "BEGIN { print $due - 1 }")" "$3" "$(awk "BEGIN { print $due + 3 }")"
}

# spun SECONDS: the spinning was seen, 3/4 of it in spin_much. spin_less uses the rest: what
# the last round of spin_much takes over its share is missing from spin_less. The start and
# the end of the program are up to 3 samples.
spun() {
	local much less

	much=$(share spin_much)
	less=$(share spin_less)
	of "$1" 0.75 "$much" && [ "$less" -gt 0 ] && of "$1" 1 $((much + less)) &&
	between 0 $(($(samples) - much - less)) 3
}

shares() {
	run 0 programs/spin 1 && spun 1
}

stripped() {
	cp programs/spin "$work/spin" && strip "$work/spin" && run 0 "$work/spin" 0.4 &&
	[ "$(share spin_much)" = 0 ] &&
	# unnamed functions are distinct all the same: two rows hold nearly all
	of 0.4 1 "$(rows | awk '$4 ~ /^0x/ && $5 == "spin" { print $3 }' |
		head -n 2 | awk '{ n += $1 } END { print n }')"
}

not_pie() {
	run 0 programs/spin-no-pie 0.4 && spun 0.4
}

percent_adds_up() {
	run 0 programs/spin 0.2 &&
	between 99.99 "$(rows | awk '{ n += $1 } END { print n }')" 100.01
}

# profile_is_whole ALLOWANCE [LOST]: the samples, and those that are known to be lost,
# are as many as the CPU time has that the kernel accounts for: the program's from the
# profile's start to exit(), and its children's.
profile_is_whole() {
	between "-$1" "$(awk -v samples="$(($(samples) + ${2:-0}))" '
		/ samples at / {
			rate = $5
			used = $16 - substr($18, 2) - $23
		}
		/^# plus .* using / { used += $(NF - 1) }
		END { if (used > 0) print samples - rate * used }' "$work/profile")" "$1"
}

# One more or less for the phase, and one after the program has reported its CPU time
cpu_seconds_add_up() {
	run 0 --rate 250 programs/spin 0.5 && profile_is_whole 2
}

ends_by() {
	run "$1" programs/spin 0.4 "$2" && spun 0.4
}

# unread OPTION...: though nobody reads what it says, the exit status is the command's
unread() {
	{
		"$PROFIL" -o /dev/null "$@" sh -c 'sleep 1; exit 42' 2>&1
		echo $? >"$work/out"
	} | true
	[ "$(<"$work/out")" = 42 ]
}

statuses() {
	run 0 true && run 1 false && run 42 sh -c 'exit 42' &&
	run 143 sh -c 'kill -TERM $$' && run 127 /nonexistent &&
	run 126 /etc/passwd && grep -q '(EACCES): .*chmod +x' "$work/err" &&
	run 127 nonexistent && grep -q '(ENOENT): no such command in PATH' "$work/err" &&
	run 141 sh -c 'kill -PIPE $$' && unread && unread --progress=0.1
}

# A limit of files' sizes is told, by the command and by its exports, and not by a signal;
# that is the program's.
file_size_limit() {
	(ulimit -f 100 && run 125 true) && grep -q '(EFBIG): .*(ulimit -f)' "$work/err" &&
	run 153 sh -c 'kill -XFSZ $$' && run 0 programs/spin 0.1 &&
	{
		(ulimit -f 1 && "$PROFIL" export --svg -o "$work/svg" "$work/result" 2>"$work/err")
		[ $? = 1 ]
	} && grep -q '(EFBIG): .*(ulimit -f)' "$work/err" && [ ! -e "$work/svg" ]
}

output_is_the_commands() {
	run 0 sh -c 'printf "a\0b"; echo c >&2' &&
	[ "$(od -An -c "$work/out" | tr -d ' ')" = 'a\0b' ] &&
	[ "$(cat "$work/err")" = c ] &&
	"$PROFIL" -o "$work/result" programs/spin 0.3 2>"$work/err" >"$work/out" &&
	[ ! -s "$work/out" ] && grep -q spin_much "$work/err"
}

# What is closed is so to the program too, and nothing that is said to nobody goes elsewhere.
closed_descriptors() {
	"$PROFIL" -o "$work/result" --progress=0.1 programs/spin 0.4 2>&- && report && spun 0.4 &&
	run 0 bash -c '! [ -e /proc/$$/fd/0 ]' <&- &&
	! "$PROFIL" report "$work/result" 2>"$work/err" >&- && grep -q '(EBADF)' "$work/err"
}

environment_is_the_commands() {
	run 0 --no-follow env && ! grep -E '^(LD_PRELOAD|PROFIL_RUN)=' "$work/out" &&
	LD_PRELOAD=libm.so.6 run 0 --no-follow env &&
	[ "$(grep '^LD_PRELOAD=' "$work/out")" = LD_PRELOAD=libm.so.6 ] &&
	LD_PRELOAD=libm.so.6 run 0 env && grep -q '^PROFIL_RUN=/proc/' "$work/out" &&
	grep -q '^LD_PRELOAD=.*/libprofil-run.so:libm.so.6$' "$work/out"
}

script() {
	run 0 ../scripts/demo-words.pl /usr/share/common-licenses/GPL-3 &&
	grep -q 'the$' "$work/out" && grep -q 'Perl_' "$work/profile"
}

# runs_alone STATUS REASON COMMAND...: it runs, and why without a profile is said, once
runs_alone() {
	local reason=$2

	run "$1" "${@:3}" && [ ! -s "$work/profile" ] &&
	[ "$(wc -l <"$work/err")" = 1 ] && grep -q "$reason" "$work/err"
}

static_program() {
	runs_alone 0 'spin-static is a static program.*libprofil(3)' programs/spin-static 0.1 &&
	printf '#!%s 0.1\n' "$PWD/programs/spin-static" >"$work/script" && chmod +x "$work/script" &&
	runs_alone 0 "spin-static, the interpreter of $work/script, is a static" "$work/script"
}

# as_user COMMAND...: as one who may write none of our files
as_user() {
	setpriv --reuid 65532 --regid 65532 --clear-groups "$PROFIL" -o /dev/null "$@" \
		>"$work/out" 2>"$work/err"
}

# Of another user than who runs it, and of himself
set_user_id() {
	cp programs/spin "$work/set-user-id" && chmod 4755 "$work/set-user-id" && chmod 755 "$work" &&
	as_user "$work/set-user-id" 0.1 && [ "$(wc -l <"$work/err")" = 1 ] &&
	grep -q 'is set-user-ID root.*run profil as root' "$work/err" &&
	run 0 "$work/set-user-id" 0.4 && spun 0.4
}

# Not known before: a dynamic one has its profile.
unreadable_program() {
	cp programs/spin "$work/unreadable" && cp programs/spin-static "$work/static" &&
	chmod 711 "$work/unreadable" "$work/static" && chmod 755 "$work" &&
	as_user "$work/unreadable" 0.3 && grep -q 'Permission denied: no function' "$work/err" &&
	! grep '^profil:' "$work/err" &&
	as_user "$work/static" 0.1 && [ "$(wc -l <"$work/err")" = 1 ] &&
	grep -q 'did not load libprofil-run.so, and you may not read it' "$work/err"
}

# Which would complain of our library, or end the program for it
other_linker() {
	local linker

	linker=$(readelf -p .interp programs/spin | sed -n 's/^ *\[ *0\]  //p') &&
	cp "$linker" "$work/ld-other.so" &&
	printf '#include <stdlib.h>\nint main(void) { return getenv("LD_PRELOAD") ? 1 : 7; }\n' |
		cc -x c -o "$work/other" -Wl,--dynamic-linker="$work/ld-other.so" - &&
	runs_alone 7 'is started by .*/ld-other.so, which cannot load libprofil-run.so' "$work/other"
}

other_word_size() {
	runs_alone 0 'old is a program for .*, whose word size differs' ../build/m32/selftests/programs/old
}

# without_device OPTION...: in a mount namespace in which it is not there
without_device() {
	rm -f "$work/ran"
	PROFIL=$PROFIL unshare -m sh -c 'mount -t tmpfs none /dev && ran=$1 && shift &&
		exec "$PROFIL" "$@" sh -c ">\"\$0\"; exit 3" "$ran"' sh "$work/ran" \
		-o "$work/result" "$@" >"$work/out" 2>"$work/err"
}

# What is known to fail is said before the command runs, which may take hours.
no_device() {
	without_device
	[ $? = 125 ] && [ ! -e "$work/ran" ] &&
	grep -q 'ENOENT.*modprobe profil' "$work/err" &&
	grep -q -e '--force runs it' "$work/err" || return
	without_device --force
	[ $? = 3 ] && rm "$work/ran" && [ "$(grep -c modprobe "$work/err")" = 1 ]
}

# is_refused REASON ARG...: the command does not run, and the reason is said
is_refused() {
	local reason=$1

	shift
	rm -f "$work/ran"
	run 125 "$@" touch "$work/ran" && [ ! -e "$work/ran" ] &&
	grep -q -e "$reason" "$work/err" &&
	run 0 --force "$@" touch "$work/ran" && rm "$work/ran" &&
	grep -q -e "$reason" "$work/err"
}

no_library() {
	mkdir -p "$work/alone" && cp "$PROFIL" "$work/alone/profil" || return
	# there is none where it would be installed either
	[ ! -e /usr/local/lib/libprofil-run.so ] || return
	PROFIL=$work/alone/profil is_refused 'libprofil-run.so not found'
}

# A run pins the pages that are hit. Where none can be, all samples would be lost.
no_locked_memory() {
	prlimit --memlock=0 setpriv --reuid 65532 --regid 65532 --clear-groups \
		"$PROFIL" -o /dev/null true 2>"$work/err"
	[ $? = 125 ] && grep -q 'ENOMEM.*ulimit -l' "$work/err" || return
	prlimit --memlock=0 setpriv --reuid 65532 --regid 65532 --clear-groups \
		"$PROFIL" info >"$work/out"
	[ $? = 1 ] && grep -q '^profile .*ENOMEM.*ulimit -l' "$work/out"
}

rates() {
	run 0 --rate 50 programs/spin 0.4 && profile_is_whole 2 &&
	is_refused 'the kernel offers 1 to' --rate 100000 &&
	is_refused 'by the tick; other' --clock tick --rate 3000 &&
	# of 400 samples at random, with four standard errors: 4 * sqrt(400)
	run 0 --clock random --rate 800 programs/spin 0.5 && profile_is_whole 80 &&
	run 125 --clock sun true && grep -q 'tick, timer or random' "$work/err"
}

parameter=/sys/module/profil/parameters/max_cpu_percent

# With a limit of 0 %, the guard lowers the rate at the first sample that it measures, the
# 16th. The profile's seconds are by the lower rate.
lowered_rate() {
	local before status

	before=$(<$parameter)
	echo 0 >$parameter
	run 0 --rate 4000 programs/spin 0.5 &&
	grep -q 'lowered the rate from 4000 Hz' "$work/profile" &&
	profile_is_whole 18
	status=$?
	echo "$before" >$parameter
	return $status
}

# limited BYTES: a script of a user who may lock no more memory than that. He has
# no place to write the profile to but standard error, and none for the result.
limited() {
	local text=/usr/share/common-licenses/GPL-3

	# (as root, as it may be above what a user is allowed: 64 KiB up to Linux 5.15)
	prlimit --memlock="$1" \
		setpriv --reuid 65532 --regid 65532 --clear-groups \
		"$PROFIL" -o /dev/null --rate 250 perl ../scripts/demo-words.pl \
		$text $text $text $text >"$work/out" 2>"$work/profile"
}

lost() {
	sed -n 's/^# \([0-9]*\) samples* (.*) lost .*/\1/p' "$work/profile"
}

# Four pages of locked memory: what falls on others is lost, and it says so. The
# rest is there.
memlock_short() {
	limited 16384 && grep -q 'ulimit -l' "$work/profile" &&
	between 10 "$(lost)" 10000 && profile_is_whole 3 "$(lost)"
}

# perl and its libraries have more text, but only the pages that are hit count.
memlock_enough() {
	limited 1048576 && grep -q 'Perl_' "$work/profile" &&
	[ -z "$(lost)" ] && profile_is_whole 3
}

# forked CHILDREN SECONDS: the samples of so many and their parent, each of which
# used so much, are in the right functions; and the report does not take those of the
# children for too many.
forked() {
	of "$2" 1 "$(share spin_parent)" &&
	between "$(awk "BEGIN { print $1 * (100 * $2 - 1) }")" "$(share spin_child)" \
		"$(awk "BEGIN { print $1 * (100 * $2 + 3) }")" &&
	! grep 'more than the CPU time' "$work/profile"
}

# With the CPU time of all of them, which is known where they come to exit(): also
# of those that the system call alone makes.
forks() {
	run 0 programs/forks 3 0.2 "$1" && forked 3 0.2 &&
	grep -q '^# plus 3 forked children, using ' "$work/profile" &&
	profile_is_whole 8
}

forks_unknown() {
	run 0 programs/forks 3 0.2 kill && forked 3 0.2 &&
	grep -q '^# plus 3 forked children$' "$work/profile" &&
	grep -q '^# 3 of them did not call exit()' "$work/profile"
}

# A child is counted until it executes another program, and that is not.
forks_and_exec() {
	run 0 --no-follow programs/forks 1 0.2 exec programs/spin 0.2 && forked 1 0.2 &&
	[ "$(share spin_much)" = 0 ] &&
	grep -q '^# plus 1 forked child, using ' "$work/profile"
}

# A static program is not profiled, but the first dynamic one that it executes is;
# the second must not get into its counters.
first_of_several() {
	run 0 --no-follow programs/forks-static 2 0 exec programs/spin 0.5 &&
	grep -q '^# the command itself was not profiled: ' "$work/profile" &&
	spun 0.5
}

# What is kept is what was shown, and can be shown otherwise.
kept() {
	run 0 programs/spin 0.4 && cp "$work/profile" "$work/shown" && report &&
	diff "$work/shown" <(grep -v '^# started ' "$work/profile") &&
	grep -q "^# started .* on $(uname -n), Linux $(uname -r) " "$work/profile" &&
	report --top 1 && [ "$(rows | wc -l)" = 1 ] &&
	[ "$(share spin_much)" -gt 0 ] &&
	report --by object --sort name --min-percent 90 &&
	[ "$(rows | awk '{ print $4 }')" = "$PWD/programs/spin" ] &&
	report --by process && rows | grep -q '^  *100\.[0-9]* .*/spin ' &&
	report --color=always && grep -q "$(printf '\033')\[31m" "$work/profile" &&
	COLUMNS=40 report --by object && [ "$(wc -L <"$work/profile")" -le 40 ] &&
	COLUMNS=40 report --by object --full-names && rows | grep -qF " $PWD/programs/spin "
}

# An old program calls monitor(3C) and writes mon.out, which is shown as by prof(1): its calls,
# and samples within one tick of the CPU time that it prints. No thread of an ordinary priority
# takes the CPU meanwhile; a break by another is at a random phase: see samples() in
# monitor_test.sh.
mon_out() {
	local program=$PWD/programs/dialects/solaris-monitor first=()

	[ "$(id -u)" != 0 ] || first=(chrt --fifo 1)

	rm -rf "$work/mon" && mkdir "$work/mon" &&
	(cd "$work/mon" && PROFIL_RATE=250 "${first[@]}" "$program") >"$work/out" 2>"$work/err" &&
	grep -q 'profil report --rate 250 mon.out$' "$work/err" &&
	"$PROFIL" report --rate 250 --program "$program" "$work/mon/mon.out" \
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

# By the debug information that our own programs are built with
by_line() {
	run 0 programs/spin 0.4 && report --lines && rows | grep -q ' spin\.c:[0-9]* *spin ' &&
	between 0.9 "$(rows | awk '$4 ~ /^spin.c:/ { n += $3 } { all += $3 }
		END { print n / all }')" 1 &&
	report --annotate spin_much && grep -q '^ .* [0-9][0-9]*  .*spin' "$work/profile" &&
	! report --annotate no_such_function && grep -q 'lists the functions with samples' "$work/err"
}

# A file that was built over: named, and its symbols not used
changed_object() {
	cp programs/spin "$work/spin" && run 0 "$work/spin" 0.5 &&
	[ "$(share spin_much)" -gt 0 ] && cp programs/forks "$work/spin" && report &&
	grep -q "^# $work/spin: .* build-id differs" "$work/profile" &&
	[ "$(share spin_much)" = 0 ] &&
	rows | grep -q ' 0x[0-9a-f]* *spin ' &&
	# and the old one, elsewhere
	mkdir -p "$work/root$work" && cp programs/spin "$work/root$work/spin" &&
	report --root "$work/root" && [ "$(share spin_much)" -gt 0 ]
}

# Nothing but the last two results is there, whatever becomes of the command.
result_file() {
	mkdir "$work/here" &&
	(PROFIL=$(realpath "$PROFIL") && spin=$PWD/programs/spin && cd "$work/here" &&
		"$PROFIL" "$spin" 0.1 2>"$work/err" && [ "$(ls)" = profil.out ] &&
		cp profil.out ../before &&
		"$PROFIL" "$spin" 0.1 kill 2>>"$work/err"
		[ $? = 137 ] && [ "$(echo *)" = "profil.out profil.out.old" ] &&
		cmp ../before profil.out.old && "$PROFIL" report >"$work/profile")
}

# A snapshot of a command that is still running. The file from before the run stays.
snapshot() {
	local pid go_on status

	rm -f "$work/result.old" && mkfifo "$work/go" && exec {go_on}<>"$work/go" &&
	echo before >"$work/result" || return
	# shellcheck disable=SC2016 # of the command's own shell
	"$PROFIL" -o "$work/result" -t "$work/table" \
		sh -c 'programs/spin 0.4; : >"$1/spun"; read -r line <"$1/go"' sh "$work" &
	pid=$!
	soon test -e "$work/spun" && kill -USR1 "$pid" && soon report && spun 0.4 &&
	[ "$(<"$work/result.old")" = before ] && [ ! -s "$work/table" ]
	status=$?
	echo >&"$go_on"
	exec {go_on}>&-
	wait "$pid" && [ $status = 0 ] && report && spun 0.4 &&
	[ "$(<"$work/result.old")" = before ]
}

# The run goes on, and its table is there.
result_that_cannot_be_written() {
	"$PROFIL" -o /nonexistent/file -t "$work/profile" sh -c 'exit 3' 2>"$work/err"
	[ $? = 3 ] && grep -q '/nonexistent/file: .* (ENOENT): .*name another file with -o' "$work/err" &&
	grep -q '^# command: sh' "$work/profile"
}

# By a link that another user has planted in a directory for all, nobody's file is replaced.
planted_link() {
	local protected=/proc/sys/fs/protected_symlinks before status

	before=$(<$protected)
	echo 1 >$protected
	mkdir -m 1777 "$work/sticky" && echo precious >"$work/precious" &&
	ln -s "$work/precious" "$work/sticky/result" &&
	chown -h 65532 "$work/sticky/result" &&
	"$PROFIL" -o "$work/sticky/result" -t "$work/profile" true 2>"$work/err" &&
	grep -q 'sticky/result: .* (EACCES)' "$work/err" &&
	[ "$(<"$work/precious")" = precious ]
	status=$?
	echo "$before" >$protected
	return $status
}

# refused WHICH COMMAND...: it does not run, as the table named by the option is the result
refused() {
	"$PROFIL" "${@:2}" touch "$work/ran"
	[ $? = 125 ] && [ ! -e "$work/ran" ] &&
	grep -q "^[^ ]*: $1 is used for the result" "$work/err"
}

# One would be written over by the other. What is there is not touched.
one_file_for_both() {
	run 0 true && cp "$work/result" "$work/before" && ln -s result "$work/link" &&
	refused "$work/link" -o "$work/result" -t "$work/link" 2>"$work/err" &&
	refused 'standard error' -o "$work/err" 2>"$work/err" &&
	cmp "$work/before" "$work/result" &&
	refused "$work/new" -o "$work/new" -t "$work/new" 2>"$work/err" &&
	# which leaves nothing
	[ ! -e "$work/new" ] && echo kept >"$work/result.old" &&
	refused "$work/result.old" -o "$work/result" -t "$work/result.old" 2>"$work/err" &&
	[ "$(<"$work/result.old")" = kept ] &&
	"$PROFIL" -o /dev/null -t /dev/null true 2>"$work/err" &&
	# an earlier table leaves nothing
	echo earlier >"$work/profile" && run 0 true && ! grep earlier "$work/profile"
}

differences() {
	run 0 programs/spin 0.4 && mv "$work/result" "$work/old" && run 0 programs/forks 1 0.4 exit &&
	"$PROFIL" diff "$work/old" "$work/result" >"$work/profile" 2>"$work/err" &&
	# what is in one only has changed by more than chance
	grep -q '^ .* -[0-9.]*\* .* spin_much  *spin$' "$work/profile" &&
	grep -q '^ .* +[0-9.]*\* .* spin_child  *forks$' "$work/profile" &&
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
	grep -q '^/dev/profil .*(ENOENT): .*modprobe profil' "$work/out"
}

# A command that is called like a subcommand
names() {
	printf '#!/bin/sh\nexit 7\n' >"$work/report" && chmod +x "$work/report" &&
	run 7 "$work/report" &&
	{
		PATH=$work:$PATH "$PROFIL" run -o "$work/result" -t "$work/profile" report
		[ $? = 7 ]
	} && "$PROFIL" help diff | grep -q '^Usage: profil diff' &&
	"$PROFIL" --help | grep -q 'profil info'
}

# completes WORD... WANT: what bash makes of these words, the last of them half typed
completes() (
	# shellcheck disable=SC2034 # bash's own, by which it asks
	COMP_WORDS=("${@:1:$#-1}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
	. ../tools/completion/profil.bash
	_profil 2>/dev/null
	[ "${COMPREPLY[*]}" = "${!#}" ] || echo "# ${*:1:$#-1}: ${COMPREPLY[*]}"
	[ "${COMPREPLY[*]}" = "${!#}" ]
)

completion() {
	completes profil run --t --table= && completes profil report --so --sort= &&
	completes profil report --sort = n name &&
	completes profil report --by = "" "function line object process" &&
	completes profil report --color = n never &&
	completes profil report --fu --full-names &&
	completes profil report --color faults. faults.md &&
	completes profil -c ti "tick timer" && completes profil help d diff &&
	completes profil diff --sh --shares &&
	completes profil diff faults. faults.md && completes profil info x ""
}

ktap_print_header
need_device
ktap_set_plan 46
check "shares of two functions" shares
check "a stripped program" stripped
check "a program at fixed addresses" not_pie
check "percentages add up to 100" percent_adds_up
check "samples add up to the CPU seconds" cpu_seconds_add_up
check "nothing is lost by _exit" ends_by 0 _exit
check "nothing is lost by SIGKILL" ends_by 137 kill
check "nothing is lost by exec" ends_by 0 exec
check "exit statuses are the command's" statuses
check "a limit of files' sizes" file_size_limit
check "output is the command's" output_is_the_commands
check "descriptors that are closed" closed_descriptors
check "the environment, of programs that are followed and others" \
	environment_is_the_commands
check "a script" script
check "a static program: a clear message" static_program
if [ "$(id -u)" = 0 ]; then
	check "a set-user-ID program: a clear message, none to root" set_user_id
	check "a program that may not be read" unreadable_program
else
	ktap_test_skip "a set-user-ID program: needs root"
	ktap_test_skip "a program that may not be read: needs root"
fi
check "another C library's program: a clear message" other_linker
if [ -x ../build/m32/selftests/programs/old ]; then
	check "a 32-bit program: a clear message" other_word_size
else
	ktap_test_skip "a 32-bit program: there is none (libc6-dev-i386)"
fi
check "no device: errno and remedy" no_device
check "no library: it is said before" no_library
if [ "$(id -u)" = 0 ]; then
	check "no locked memory: it is said before" no_locked_memory
else
	ktap_test_skip "no locked memory: needs root"
fi
check "rates" rates
if [ -w $parameter ]; then
	check "a rate that the kernel lowers" lowered_rate
else
	ktap_test_skip "a rate that the kernel lowers: needs root"
fi
check "memlock limit: what is over it is lost, and told" memlock_short
check "memlock limit: only what is hit counts" memlock_enough
check "forked children" forks exit
check "forked children that end by _exit()" forks _exit
check "forked children that do not call exit()" forks_unknown
check "children by clone" forks clone
check "a forked child that executes another program, not followed" forks_and_exec
check "two programs that a static one executes" first_of_several
check "a mon.out of monitor(3C), as by prof(1)" mon_out
check "no CPU time used" run 0 true
check "a result is kept, and shown otherwise" kept
check "lines" by_line
check "an object that has changed" changed_object
check "a result file, and nothing else" result_file
check "a result while the command runs" snapshot
check "a result that cannot be written" result_that_cannot_be_written
check "a result by way of a planted link" planted_link
check "a table and a result in one file" one_file_for_both
check "differences" differences
check "information" information
check "commands that are called like ours" names
check "completion" completion
ktap_finished
