#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profil optimize: makes a copy, compares it with the program, and says which is faster. The profile is
# made here, so it runs natively, without the module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s -C unit export_sample || exit 1
PROFIL=$(readlink -f "${PROFIL:-../tools/profil}")
sample=$(readlink -f unit/export_sample)
head -c 1000 /dev/zero >"$work/input"

# build OUT ROUNDS STATUS FLAG...
build() {
	gcc -O1 -DROUNDS="$2" -DSTATUS="$3" -o "$1" programs/counts.c "${@:4}"
}

program=$work/counts
build "$program" 12 0 -Wl,--emit-relocs && build "$work/fast" 3 0 && build "$work/slow" 36 0 &&
	build "$work/broken" 12 1 || exit 1
nm "$program" | awk '$3 == "add_up" { print 0, $1, 1000 }' |
	"$sample" result "$work/result" "$program" || exit 1
cp "$program" "$work/before"

# optimize STATUS ARG...: with the profile above; its exit status is STATUS
optimize() {
	local wanted=$1 status=0

	shift
	"$PROFIL" optimize --profile="$work/result" --runs=6 "$@" \
		<"$work/input" >"$work/out" 2>"$work/err" || status=$?
	[ $status = "$wanted" ] || { echo "# exit status $status instead of $wanted"; false; }
}

# linked STATUS FILE ARG...: with a copy that is FILE
linked() {
	optimize "$1" --with=order --relink="cp $2 \"\$OUT\"" "${@:3}" "$program" 1000
}

prints() {
	grep -q -e "$1" "$work/out" || { echo "# not printed: $1"; cat "$work/out"; false; }
}

refuses() {
	local text=$1

	shift
	optimize 1 "$@" && grep -q -e "$text" "$work/err"
}

# The saving of three quarters is within the interval, which is above 0.
faster() {
	linked 0 "$work/fast" && prints "^$program.order is faster.$" &&
	awk '/^It saves/ { found = $3 > 50 && $3 < 95 && $14 > 0 && $14 <= $3 && $16 >= $3 }
		END { exit !found }' "$work/out" &&
	cmp "$work/fast" "$program.order" && cmp "$work/before" "$program"
}

slower() {
	linked 3 "$work/slow" && prints "^$program.order is slower: do not use it.$" &&
	prints '^It saves -[1-9][0-9]*\.'
}

# A copy of the program itself: it may be found faster or slower once in 20 times, but not by much.
same() {
	linked 3 "$work/before" || linked 0 "$work/before" || return
	awk '/^It saves/ { found = $3 > -30 && $3 < 30 } END { exit !found }' "$work/out"
}

other_name() {
	linked 0 "$work/fast" --output="$work/named" && cmp "$work/fast" "$work/named" &&
	prints "^$work/named is faster"
}

# Not the ls in PATH: it would be run instead of the copy, and there is one.
name_without_slash() (
	PROFIL=$(readlink -f "$PROFIL") && cd "$work" &&
	linked 0 "$work/fast" --output=ls && cmp "$work/fast" ls && prints "^$work/ls is faster"
)

# The command is found as execvp(3) does: an empty part of PATH is the current directory, and a
# directory is no command.
found_in_path() (
	mkdir -p "$work/path/counts" && cd "$work" || return
	PATH=$work/path::$PATH
	optimize 0 --with=order --relink="cp fast \"\$OUT\"" counts 1000 &&
	optimize 1 --with=order --relink=false '' && grep -q ' command not found (ENOENT)' "$work/err"
)

# Each of the three exports reads the result, which standard input has only once.
result_from_input() {
	"$PROFIL" optimize --profile=- --runs=6 --with=order --relink="cp $work/fast \"\$OUT\"" \
		"$program" 0 <"$work/result" >"$work/out" 2>"$work/err" && prints "is faster.$"
}

# It is written before the exit, and its error is the exit status.
unwritten() {
	"$PROFIL" optimize --profile="$work/result" --runs=6 --with=order \
		--relink="cp $work/fast \"\$OUT\"" "$program" 0 </dev/null >/dev/full 2>"$work/err"
	[ $? = 1 ] && grep -q 'standard output: .* (ENOSPC)' "$work/err"
}

# The variables of the linker are not for the programs: this one is a script.
clean_environment() {
	printf '#!/bin/sh\n[ "$OUT$ORDER" = mine ] || exit 1\nexec %s 1000\n' "$work/fast" >"$work/clean"
	chmod +x "$work/clean"
	OUT=mine linked 0 "$work/clean"
}

# An owner's program is not for others to read.
permissions() (
	umask 022
	chmod 700 "$program" && { optimize 0 "$program" 1000 || optimize 3 "$program" 1000; } &&
		[ "$(stat -c %a "$program.bolt")" = 700 ]
	status=$?
	chmod 755 "$program"
	return $status
)

# interrupted SIGNAL TEXT BOTH ARG...: a program writes its process ID to a file, and then profil gets
# the signal. It ends that program, removes its temporary files, and says TEXT. BOTH: the signal comes
# from a terminal, to both
interrupted() {
	local signal=$1 text=$2 both=$3 pid status=0

	shift 3
	rm -rf "$work/started" "$work/tmp" && mkdir "$work/tmp" || return
	# not ignored, as bash does in the background, or nohup(1)
	TMPDIR=$work/tmp env --default-signal=INT,TERM,HUP "$PROFIL" optimize --profile="$work/result" "$@" \
		"$program" 0 </dev/null >"$work/out" 2>"$work/err" &
	pid=$!
	until [ -s "$work/started" ]; do sleep 0.1; done
	kill -"$signal" "$pid"
	[ -z "$both" ] || kill -"$signal" "$(<"$work/started")"
	wait "$pid" || status=$?
	[ $status = 1 ] && grep -q "$text" "$work/err" && [ -z "$(ls "$work/tmp")" ] &&
	! kill -0 "$(<"$work/started")" 2>/dev/null && ! compgen -G "$work/*.$pid" ||
		{ echo "# SIG$signal: exit status $status"; cat "$work/err"; ls "$work/tmp"; false; }
}

interrupts() {
	local signal both

	printf '#!/bin/sh\necho $$ >%s/started\nexec sleep 1000\n' "$work" >"$work/waits"
	# it ends by itself, with exit status 0
	printf '#!/bin/sh\ntrap "exit 0" INT\necho $$ >%s/started\nwhile :; do sleep 0.1; done\n' \
		"$work" >"$work/catches"
	mkdir -p "$work/bolt"
	printf '#!/bin/sh\n[ "$1" = --version ] || exec %s/waits\n' "$work" >"$work/bolt/llvm-bolt"
	chmod +x "$work/waits" "$work/catches" "$work/bolt/llvm-bolt"
	for signal in INT TERM HUP; do
		both=; [ $signal != INT ] || both=yes
		PATH=$work/bolt:$PATH interrupted $signal "interrupted: .* is not made" "$both" || return
		interrupted $signal "interrupted: .* is there, but not compared" "$both" \
			--with=order --relink="cp $work/waits \"\$OUT\"" || return
	done
	interrupted INT "interrupted: .* is there, but not compared" yes --with=order \
		--relink="cp $work/catches \"\$OUT\""
}

no_other_files() {
	local before

	before=$(ls /tmp/profil.?????? -d 2>/dev/null | wc -l)
	rm -f "$program".*
	linked 0 "$work/fast" && [ "$(cd "$work" && ls counts.*)" = "counts.order
counts.order.log" ] && [ "$(ls /tmp/profil.?????? -d 2>/dev/null | wc -l)" -le "$before" ]
}

# Each run takes three ticks of the line, which comes after five. The shell takes CPU time, too, so the
# copy may be found slower.
progress() {
	printf '#!/bin/sh\nsleep 0.3\nexec %s 0\n' "$work/fast" >"$work/sleepy"
	chmod +x "$work/sleepy"
	script -qc "$PROFIL optimize --profile=$work/result --runs=6 --with=order \
		--relink='sleep 1; cp $work/sleepy \"\$OUT\"' $program 0" /dev/null >"$work/out" </dev/null &&
	prints 'profil: making counts.order' && prints 'profil: comparing counts.order (6 of 6)' &&
	prints '^It saves '
}

# The linker's command gets the functions in three forms.
order() {
	local relink="cat \$ORDER \$ORDER_SECTIONS \$ORDER_SCRIPT >$work/order; cp $work/fast \"\$OUT\""

	optimize 0 --with=order --relink="$relink" "$program" 1000 &&
	[ "$(grep -c 'left out' "$work/err")" = 1 ] && grep -qx add_up "$work/order" &&
	grep -qx '.text.add_up' "$work/order" && grep -q '^ *\*(".text.add_up")$' "$work/order"
}

# Both would return 1 if they could not read their input from the start in each run.
does_other_things() {
	linked 1 "$work/broken" && grep -q 'differ in their exit status (EPROTO)' "$work/err"
}

link_fails() {
	refuses "the command of --relink failed, .*(EPROTO): its output is in $program.order.log" \
		--with=order --relink="echo no linker; false" "$program" 1000 &&
	grep -q 'no linker' "$program.order.log" &&
	refuses "--relink failed, or wrote no program (EPROTO)" --with=order --relink=true "$program" 1000
}

refused() {
	printf '#!/bin/sh\n' >"$work/script" && chmod +x "$work/script" &&
	refuses 'it is no executable program, but perhaps a script (ENOEXEC)' "$work/script" &&
	refuses 'without relocations (EOPNOTSUPP): link it with' "$work/fast" &&
	refuses 'no-such-command: command not found (ENOENT)' no-such-command &&
	refuses "$work: not a regular file (EINVAL)" "$work" &&
	refuses 'is the program itself (EINVAL): name another file with --output' \
		--with=order --relink=true --output="$program" "$program" &&
	cp "$program" "$work/as.log" &&
	refuses 'as.log is the program itself (EINVAL)' --output="$work/as" "$work/as.log" &&
	cmp "$work/as.log" "$program" && cp "$work/result" "$work/result.log" &&
	refuses 'result is the result of --profile (EINVAL)' --output="$work/result" "$program" &&
	refuses 'result.log is the result of --profile (EINVAL)' --output="$work/result" \
		--profile="$work/result.log" "$program" &&
	refuses 'is not a regular file (EINVAL)' --output="$work" "$program" &&
	mkfifo "$work/fifo.log" && refuses 'fifo.log is not a regular file' --output="$work/fifo" "$program" &&
	refuses 'no-such/copy: .*(ENOENT)' --output=no-such/copy "$program" &&
	cp "$program" "$work/other" && chmod -x "$work/other" &&
	refuses 'other: Permission denied (EACCES): make it executable' "$work/other" &&
	chmod +x "$work/other" &&
	refuses "it has no samples of $work/other (ENODATA)" "$work/other" &&
	TMPDIR=$work/none refuses 'no temporary directory: .*(ENOENT): set TMPDIR' "$program" &&
	mkdir -p "$work/empty" &&
	PATH=$work/empty refuses_bolt
}

# with an empty PATH
refuses_bolt() {
	local status=0

	"$PROFIL" optimize --profile="$work/result" "$program" 2>"$work/err" || status=$?
	[ $status = 1 ] || return
	[[ $(<"$work/err") == *"llvm-bolt is not installed (ENOENT): install it"* ]]
}

usage() {
	optimize 2 --with=order "$program" && optimize 2 --relink=true "$program" &&
	optimize 2 --with=other "$program" &&
	optimize 2 --output= "$program" && optimize 2 --runs=5 "$program" && optimize 2
}

# Without a module, the profile fails, and nothing is made.
no_profile() {
	rm -f "$program.bolt"
	"$PROFIL" optimize "$program" >"$work/out" 2>"$work/err"
	[ $? = 1 ] && [ ! -e "$program.bolt" ] && grep -q 'profil' "$work/err"
}

# The copy may be faster or not.
bolt() {
	optimize 0 "$program" 1000 || optimize 3 "$program" 1000 || return
	grep -q ' 1 out of .* have non-empty execution profile' "$program.bolt.log" &&
	"$program.bolt" 1000 <"$work/input" && ! cmp -s "$program" "$program.bolt" &&
	cmp "$work/before" "$program"
}

ktap_print_header
ktap_set_plan 20
check "a faster copy" faster
check "a slower copy" slower
check "a copy that is the same" same
check "another name for the copy" other_name
check "a name without a slash is not searched in PATH" name_without_slash
check "the command is searched as execvp(3) does" found_in_path
check "a result from standard input" result_from_input
check "an error of standard output" unwritten
check "the programs do not get the variables of the linker" clean_environment
check "signals end the programs, and leave no files" interrupts
check "a terminal shows what takes long" progress
check "no other files are left" no_other_files
check "the linker gets the order" order
check "a copy that does other things is not compared" does_other_things
check "the output of a linker that fails is kept" link_fails
check "what cannot be optimized is refused" refused
check "wrong usage" usage
if [ -e /dev/profil ]; then
	ktap_test_skip "without a profile, there is no copy: this machine has /dev/profil"
else
	check "without a profile, there is no copy" no_profile
fi
if compgen -c llvm-bolt >/dev/null; then
	check "BOLT makes a copy" bolt
	check "the copy of BOLT has the program's permissions" permissions
else
	ktap_test_skip "BOLT makes a copy: needs llvm-bolt (Debian: bolt-19)"
	ktap_test_skip "the copy of BOLT has the program's permissions: needs llvm-bolt"
fi
ktap_finished
