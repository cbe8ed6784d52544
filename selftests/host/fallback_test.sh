#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# libprofil and the profil command without /dev/profil. Runs natively; if the module is loaded, in a
# mount namespace with an empty /dev.

cd "$(dirname "$0")/.." || exit 1
if [ -c /dev/profil ]; then
	exec unshare -m sh -c 'mount -t tmpfs none /dev && exec "$@"' sh host/fallback_test.sh
fi
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# The remedy depends on whether the module is loaded.
remedy='modprobe profil'
[ ! -e /sys/module/profil ] || remedy='module is loaded'

# falls_back PROGRAM: succeeds, and the timer counts
falls_back() {
	"$1" >"$work/out" 2>"$work/err" && [ "$(cat "$work/out")" -gt 10 ]
}

warns() {
	falls_back "$1" && [ "$(wc -l <"$work/err")" = 1 ] &&
	grep -q "ENOENT.*$remedy" "$work/err"
}

quiet() {
	PROFIL_FALLBACK=quiet falls_back "$1" && [ ! -s "$work/err" ]
}

fatal() {
	PROFIL_FALLBACK=fatal "$1" >"$work/out" 2>"$work/err" && return 1
	grep -q 'not profiling' "$work/err" &&
	grep -q 'profil: No such file or directory' "$work/err"
}

# threads PROGRAM: several of them replace and stop the profile
threads() {
	PROFIL_FALLBACK=quiet "$1" threads
}

# linux099 falls back, too: in Linux 0.99, profil() was in the C library only. It always returns 0.
linux099() {
	PROFIL_DIALECT=linux099 warns programs/fallback &&
	PROFIL_DIALECT=linux099 quiet programs/fallback &&
	warns programs/fallback-linux099 &&
	PROFIL_DIALECT=linux099 PROFIL_FALLBACK=fatal programs/fallback \
		>"$work/out" 2>"$work/err" &&
	[ "$(cat "$work/out")" = 0 ] && grep -q 'not profiling' "$work/err"
}

# pg PROGRAM: compiled with -pg; the timer takes samples, our mcount() counts the calls. In
# half a second there are 50; on a busy machine, some are late, and taken as one.
pg() {
	local program=$PWD/programs/$1

	rm -f "$work/gmon.out"
	(cd "$work" && "$program" 0.5 plain >out 2>err) && [ "$(wc -l <"$work/err")" = 1 ] &&
	gprof -bp "$program" "$work/gmon.out" | awk '
		/ (sixty|thirty|ten)$/ && NF == 7 && $4 > 0 { functions++; seconds += $3 }
		END { exit functions != 3 || seconds < 0.1 }'
}

# try_command STATUS OUTPUT OPTION...: profil has this status and output for a command that it
# cannot profile
try_command() {
	local status=$1 output=$2

	shift 2
	../tools/profil -o "$work/result" "$@" sh -c 'echo out; exit 5' \
		>"$work/out" 2>"$work/err"
	[ $? = "$status" ] && [ "$(cat "$work/out")" = "$output" ] &&
	grep -q ENOENT "$work/err" && grep -q "$remedy" "$work/err"
}

command_is_not_run() {
	try_command 125 "" && try_command 5 out --force
}

libraries=$(readlink -f ../lib)

# A program that is linked with the library, and so begins its profile before the library's
# constructors, forks: the child takes the locks again, and ends.
keeps_forks() (
	cat >"$work/fork.c" <<-'END'
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			int status, i;
			for (i = 0; i < 3; i++) {
				if (!fork())
					_exit(3);
				if (wait(&status) < 0 || WEXITSTATUS(status) != 3)
					return 1;
			}
			return 0;
		}
	END
	cd "$work" && gcc -pg -o fork fork.c -L"$libraries" -lprofil -Wl,-rpath,"$libraries" &&
	PROFIL_GMON_KEEP=1 PROFIL_FALLBACK=quiet ./fork
)

# ulimit -f: the program ends as without a profile, and no part of a file is left.
file_limit() (
	mkdir -p "$work/limit" && cd "$work/limit" || return
	printf 'int main(void) { return 3; }\n' >three.c
	gcc -pg -o ../three three.c -L"$libraries" -lprofil -Wl,-rpath,"$libraries" && rm three.c || return
	(ulimit -f 0 && PROFIL_FALLBACK=quiet exec ../three) 2>&1 | cat >../err
	[ "${PIPESTATUS[0]}" = 3 ] && [ -z "$(ls -A)" ] && grep -q '(EFBIG): raise' ../err
)

ktap_print_header
ktap_set_plan 15
for program in programs/fallback programs/fallback-static; do
	check "$program: falls back to a timer, and prints one line" warns $program
	check "$program: PROFIL_FALLBACK=quiet prints nothing" quiet $program
	check "$program: PROFIL_FALLBACK=fatal makes profil() fail" fatal $program
	check "$program: threads replace and stop the profile" threads $program
done
for program in pg-linked pg-static pg-static-pie; do
	check "programs/$program: falls back, and writes gmon.out" pg $program
done
check "linux099: falls back to a timer, and prints one line" linux099
check "a program that keeps its gmon.out forks" keeps_forks
check "a limit of the size of files leaves no part of gmon.out" file_limit
check "profil runs a command without a profile only with --force" command_is_not_run
ktap_finished
