#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profil compare runs two commands in turn, and says which takes more CPU time; profil optimize makes a
# copy, and compares it with the program. The profile is made here, so it runs natively, without the
# module.

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
build "$program" 12 0 -Wl,--emit-relocs,--build-id && build "$work/fast" 3 0 &&
	build "$work/slow" 36 0 && build "$work/broken" 12 1 || exit 1
nm "$program" | awk '$3 == "add_up" { print 0, $1, 1000 }' |
	"$sample" result "$work/result" "$program" || exit 1
cp "$program" "$work/before"

# A BOLT whose copy is the file COPY, or which runs it
mkdir "$work/fake"
cat >"$work/fake/llvm-bolt" <<'END'
#!/bin/bash
echo "the arguments: $*"
while [ "$1" != -o ]; do shift; done
[ -z "$COPY" ] || cp "$COPY" "$2"
END
chmod +x "$work/fake/llvm-bolt"

# status STATUS ARG...: profil with these arguments has this exit status
status() {
	local wanted=$1 status=0

	shift
	"$PROFIL" "$@" <"$work/input" >"$work/out" 2>"$work/err" || status=$?
	[ $status = "$wanted" ] || { echo "# exit status $status instead of $wanted"; cat "$work/err"; false; }
}

prints() {
	grep -q -e "$1" "$work/out" || { echo "# not printed: $1"; cat "$work/out"; false; }
}

# refuses TEXT ARG...
refuses() {
	status 1 "${@:2}" && grep -q -e "$1" "$work/err" || { cat "$work/err"; false; }
}

# percents: prints the figure and its interval
percents() {
	sed -n 's/.*[ :]\([-+0-9.]*\) %.* interval: \([-+0-9.]*\) to \([-+0-9.]*\) %.*/\1 \2 \3/p' "$work/out"
}

# --- compare ---

# Three quarters less, and 300 % more. The figure is within the interval, which does not contain 0.
less_and_more() {
	status 0 compare --runs=6 "$program" 0 -- "$work/fast" 0 &&
	prints "^$work/fast 0 takes [0-9.]* % less CPU time than $program 0 " &&
	percents | awk '{ exit !($1 > 50 && $1 < 95 && $2 > 0 && $2 <= $1 && $3 >= $1) }' &&
	status 0 compare --runs=6 -- "$work/fast" 0 -- "$program" 0 && prints ' takes [0-9.]* % more CPU time' &&
	percents | awk '{ exit !($1 > 100 && $2 > 0 && $2 <= $1 && $3 >= $1) }'
}

# The same program may be found faster or slower once in 20 times, but not by much.
same() {
	status 0 compare --runs=6 "$program" 0 -- "$work/before" 0 &&
	percents | awk '{ found = $1 > -30 && $1 < 30 } END { exit !found }'
}

# Every second run takes as long, and the others take 200 % more. So do the ends of the interval.
undecided() {
	cat >"$work/alternate" <<-END
		read n <"$work/turn"
		echo \$((1 - n)) >"$work/turn"
		[ "\$n" = 1 ] && exec "$work/slow" 0
		exec "$program" 0
	END
	echo 0 >"$work/turn"
	status 4 compare --runs=6 --fail-above=100 --fail-undecided "$program" 0 -- \
		sh "$work/alternate" &&
	grep -q ' may take up to [0-9.]* % more, which --fail-above=100 does not permit: ' "$work/err"
}

fail_above() {
	status 3 compare --runs=6 --fail-above=50 "$work/fast" 0 -- "$program" 0 && prints ' % more ' &&
	status 0 compare --runs=6 --fail-above=50 "$program" 0 -- "$work/fast" 0 &&
	status 2 compare --fail-above=x true -- true && status 2 compare true && status 2 compare true -- &&
	status 2 compare --runs=5 true -- true && status 2 compare
}

# Both would return 1 if they could not read their input from the start in each run.
does_other_things() {
	status 0 compare --runs=6 "$program" 1000 -- "$work/fast" 1000 &&
	refuses 'differ in their exit status (EPROTO)' compare --runs=6 "$program" 1000 -- "$work/broken" 1000 &&
	refuses 'cannot be run: No such file or directory (ENOENT)' compare none -- true
}

# It is written before the exit, and its error is the exit status.
unwritten() {
	"$PROFIL" compare --runs=6 "$program" 0 -- "$work/fast" 0 </dev/null >/dev/full 2>"$work/err"
	[ $? = 1 ] && grep -q 'standard output: .* (ENOSPC)' "$work/err"
}

# Each run takes three ticks of the line, which comes after five.
progress() {
	printf '#!/bin/sh\nsleep 0.3\nexec %s 0\n' "$work/fast" >"$work/sleepy" && chmod +x "$work/sleepy" &&
	script -qec "$PROFIL compare --runs=6 $work/sleepy -- $work/sleepy" /dev/null >"$work/out" </dev/null &&
	prints "profil: comparing sleepy (6 of 6)" && prints ' CPU time than '
}

# A command writes its process ID to a file, and then profil gets a signal: the command ends, too. Of a
# terminal, the signal is for both.
interrupts() {
	local signal pid

	printf '#!/bin/sh\necho $$ >%s/started\nexec sleep 1000\n' "$work" >"$work/waits"
	chmod +x "$work/waits"
	for signal in INT TERM HUP; do
		rm -f "$work/started"
		# not ignored, as bash does in the background, or nohup(1)
		env --default-signal=INT,TERM,HUP "$PROFIL" compare "$work/waits" -- true </dev/null &
		pid=$!
		until [ -s "$work/started" ]; do sleep 0.1; done
		kill -"$signal" "$pid"
		wait "$pid" 2>/dev/null
		wait_for_end "$(<"$work/started")"
	done 2>"$work/err"
}

wait_for_end() {
	while kill -0 "$1" 2>/dev/null && [ "$(ps -o stat= -p "$1")" != Z ]; do sleep 0.1; done
}

# --- optimize ---

# bolted STATUS FILE ARG...: with the profile above, and a copy that is FILE
bolted() {
	COPY=$2 PATH=$work/fake:$PATH status "$1" optimize --profile="$work/result" --runs=6 "${@:3}" \
		"$program" 1000
}

faster() {
	rm -f "$program".*
	bolted 0 "$work/fast" && prints "^$program.bolt takes [0-9.]* % less CPU time than $program " &&
	cmp "$work/fast" "$program.bolt" && cmp "$work/before" "$program" &&
	grep -q 'add_up' "$program.bolt.fdata" && [ "$(grep -c 'left out' "$work/err")" = 1 ] &&
	grep -q "the arguments: $program -data $program.bolt.fdata " "$program.bolt.log" &&
	[ "$(cd "$work" && ls counts.*)" = $'counts.bolt\ncounts.bolt.fdata\ncounts.bolt.log' ]
}

slower() {
	bolted 3 "$work/slow" && prints "^$program.bolt takes [0-9.]* % more CPU time than $program " &&
	{ bolted 3 "$work/before" || bolted 0 "$work/before"; }
}

# Not the ls in PATH: it would be run instead of the copy, and there is one.
other_name() (
	cd "$work" && bolted 0 "$work/fast" --output=ls && cmp "$work/fast" ls && prints "^./ls takes "
)

# The command is found as execvp(3) does: an empty part of PATH is the current directory, and a
# directory is no command.
found_in_path() (
	mkdir -p "$work/path/counts" && cd "$work" || return
	COPY=fast PATH=$work/path::$work/fake:$PATH status 0 optimize --profile=result --runs=6 counts 1000
)

# The profile of the same file under another path is used, and that of another file is not.
build_id_decides() {
	cp "$program" "$work/elsewhere" &&
	nm "$program" | awk '$3 == "add_up" { print 0, $1, 1000 }' |
		"$sample" result "$work/of_elsewhere" "$work/elsewhere" &&
	bolted 0 "$work/fast" --profile="$work/of_elsewhere" &&
	build "$work/elsewhere" 13 0 -Wl,--emit-relocs,--build-id &&
	nm "$work/elsewhere" | awk '$3 == "add_up" { print 0, $1, 1000 }' |
		"$sample" result "$work/of_other" "$work/elsewhere" &&
	bolted 1 "$work/fast" --profile="$work/of_other" &&
	grep -q "it has no samples of $program (ESTALE): .* build-id" "$work/err"
}

result_from_input() {
	COPY=$work/fast PATH=$work/fake:$PATH "$PROFIL" optimize --profile=- --runs=6 "$program" 0 \
		<"$work/result" >"$work/out" 2>"$work/err" && prints "% less CPU"
}

bolt_fails() {
	bolted 1 "" && grep -q "llvm-bolt failed, or wrote no program (EPROTO): its output is in $program.bolt.log" \
		"$work/err" && grep -q 'the arguments' "$program.bolt.log"
}

# An owner's program is not for others to read.
permissions() (
	umask 022
	chmod 700 "$program" && bolted 0 "$work/fast" && [ "$(stat -c %a "$program.bolt")" = 700 ]
	status=$?
	chmod 755 "$program"
	return $status
)

refused() {
	local with=(optimize --profile="$work/result")

	printf '#!/bin/sh\n' >"$work/script" && chmod +x "$work/script" &&
	refuses 'it is no executable program, but perhaps a script (ENOEXEC)' "${with[@]}" "$work/script" &&
	refuses 'without relocations (EOPNOTSUPP): link it with' "${with[@]}" "$work/fast" &&
	refuses 'no-such-command: command not found (ENOENT)' "${with[@]}" no-such-command &&
	refuses "$work: not a regular file (EINVAL)" "${with[@]}" "$work" &&
	refuses 'is the program itself.* (EINVAL): name another file with --output' "${with[@]}" \
		--output="$program" "$program" &&
	cp "$program" "$work/as.log" && refuses 'as.log is the program itself.* (EINVAL)' \
		"${with[@]}" --output="$work/as" "$work/as.log" && cmp "$work/as.log" "$program" &&
	refuses 'or the result of --profile (EINVAL)' "${with[@]}" --output="$work/result" "$program" &&
	refuses 'is not a regular file (EINVAL)' "${with[@]}" --output="$work" "$program" &&
	refuses 'no-such/copy: .*(ENOENT)' "${with[@]}" --output=no-such/copy "$program" &&
	cp "$program" "$work/other" && chmod -x "$work/other" &&
	refuses 'other: Permission denied (EACCES): make it executable' "${with[@]}" "$work/other" &&
	mkdir -p "$work/empty" && PATH=$work/empty refuses_bolt &&
	status 2 optimize --output= "$program" && status 2 optimize --runs=5 "$program" && status 2 optimize
}

# with an empty PATH
refuses_bolt() {
	local status=0

	"$PROFIL" optimize --profile="$work/result" "$program" 2>"$work/err" || status=$?
	[ $status = 1 ] || return
	[[ $(<"$work/err") == *"llvm-bolt is not installed (ENOENT): install it"* ]]
}

# Without a module, the profile fails, and nothing is made.
no_profile() {
	rm -f "$program.bolt"
	PATH=$work/fake:$PATH "$PROFIL" optimize "$program" >"$work/out" 2>"$work/err"
	[ $? = 1 ] && [ ! -e "$program.bolt" ] && grep -q 'profil' "$work/err"
}

# The copy may be faster or not.
bolt() {
	status 0 optimize --profile="$work/result" --runs=6 "$program" 1000 ||
		status 3 optimize --profile="$work/result" --runs=6 "$program" 1000 || return
	grep -q ' 1 out of .* have non-empty execution profile' "$program.bolt.log" &&
	"$program.bolt" 1000 <"$work/input" && ! cmp -s "$program" "$program.bolt" &&
	cmp "$work/before" "$program"
}

ktap_print_header
ktap_set_plan 19
check "compare: less and more" less_and_more
check "compare: the same" same
check "compare: a limit for CI, and wrong usage" fail_above
check "compare: a limit within the interval" undecided
check "commands that do different things are not compared" does_other_things
check "an error of standard output" unwritten
check "a terminal shows what takes long" progress
check "signals end the commands" interrupts
check "optimize: a faster copy" faster
check "a slower copy, and one that is the same" slower
check "another name for the copy, which is not searched in PATH" other_name
check "the command is searched as execvp(3) does" found_in_path
check "build-ids decide, not paths" build_id_decides
check "a result from standard input" result_from_input
check "the output of a BOLT that fails is kept" bolt_fails
check "the copy has the program's permissions" permissions
check "what cannot be optimized is refused" refused
if [ -e /dev/profil ]; then
	ktap_test_skip "without a profile, there is no copy: this machine has /dev/profil"
else
	check "without a profile, there is no copy" no_profile
fi
if compgen -c llvm-bolt- >/dev/null; then
	check "BOLT makes a copy" bolt
else
	ktap_test_skip "BOLT makes a copy: needs llvm-bolt (Debian: bolt-19)"
fi
ktap_finished
