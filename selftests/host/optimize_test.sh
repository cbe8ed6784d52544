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

no_other_files() {
	local before

	before=$(ls /tmp/profil.?????? -d 2>/dev/null | wc -l)
	rm -f "$program".*
	linked 0 "$work/fast" && [ "$(cd "$work" && ls counts.*)" = "counts.order
counts.order.log" ] && [ "$(ls /tmp/profil.?????? -d 2>/dev/null | wc -l)" -le "$before" ]
}

# The linker's command gets the functions in three forms.
order() {
	local relink="cat \$ORDER \$ORDER_SECTIONS \$ORDER_SCRIPT >$work/order; cp $work/fast \"\$OUT\""

	optimize 0 --with=order --relink="$relink" "$program" 1000 &&
	grep -qx add_up "$work/order" && grep -qx '.text.add_up' "$work/order" &&
	grep -q '^ *\*(".text.add_up")$' "$work/order"
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
	refuses 'is the program itself (EINVAL): name another file with --output' \
		--with=order --relink=true --output="$program" "$program" &&
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
	optimize 2 --with=other "$program" && optimize 2 --runs=5 "$program" && optimize 2
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
ktap_set_plan 12
check "a faster copy" faster
check "a slower copy" slower
check "a copy that is the same" same
check "another name for the copy" other_name
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
else
	ktap_test_skip "BOLT makes a copy: needs llvm-bolt (Debian: bolt-19)"
fi
ktap_finished
