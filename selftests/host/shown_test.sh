#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What is shown is what ran: functions that a linker has folded, copies and parts of functions that
# compilers name anew in each build, builds and libraries under other names, sources that may be
# other ones, and inlined code at the line that calls it. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s -C unit export_sample || exit 1
PROFIL=$(readlink -f "${PROFIL:-../tools/profil}")
sample=$PWD/unit/export_sample
unset DEBUGINFOD_URLS
# shellcheck disable=SC2154 # of ktap.sh
cd "$work" || exit 1

# address FILE FUNCTION [OFFSET]: prints its address plus OFFSET, in hexadecimal
address() {
	printf '%x\n' $((0x$(nm "$1" | awk -v name="$2" '$3 == name { print $1; exit }') + ${3:-0}))
}

# take RESULT FILE FUNCTION SAMPLES...: makes a result of FILE
take() {
	local result=$1 file=$2

	shift 2
	while (($#)); do
		echo "0 $(address "$file" "$1") $2"
		shift 2
	done | sort -k 2,2 | "$sample" result "$result" "$work/$file"
}

# take_each RESULT FILE FUNCTION: the same with a sample at each of its instructions
take_each() {
	local start size

	read -r start size < <(nm -S "$2" |
		awk -v name="$3" '$4 == name { print "0x" $1, "0x" $2 }')
	objdump -d --no-show-raw-insn --start-address=$((start)) \
		--stop-address=$((start + size)) "$2" |
		awk '/^ +[0-9a-f]+:/ { sub(":", "", $1); print 0, $1, 1 }' >samples &&
		"$sample" result "$1" "$work/$2" <samples
}

# prints TEXT COMMAND...: profil's output has the text
prints() {
	"$PROFIL" "${@:2}" >out 2>err && grep -qF -- "$1" out ||
		{ echo "# not printed: $1"; cat out err; false; }
}

# marked OLD NEW: prints how many functions are marked as changed
marked() {
	"$PROFIL" diff --full-names "$1" "$2" | grep -v '^#' | grep -c '\*'
}

# unchanged ROWS OLD NEW: no function is marked, nothing is slower, and there are that many rows
unchanged() {
	[ "$(marked "$2" "$3")" = 0 ] && "$PROFIL" diff --fail-above 3 "$2" "$3" >out &&
	[ "$(grep -vc '^#' out)" = "$1" ] || { cat out; false; }
}

# --- folded functions --------------------------------------------------------------

cat >icf.c <<'END'
static volatile long n;
__attribute__((noinline)) void parse_orders(void) { while (n < 100) n += 7; }
__attribute__((noinline)) void send_mails(void) { while (n < 100) n += 7; }
__attribute__((noinline)) void other(void) { while (n < 300) n += 9; }
int main(void) { parse_orders(); send_mails(); other(); return 0; }
END
if command -v clang >/dev/null && command -v ld.lld >/dev/null; then
	mkdir apart
	for way in all none; do
		clang -O2 -ffunction-sections -fuse-ld=lld -Wl,--icf=$way -o icf-$way icf.c ||
			exit 1
	done
	mv icf-all icf && mv icf-none apart/icf && take icf.out icf send_mails 200 other 50 &&
	take apart.out apart/icf send_mails 120 parse_orders 80 other 50 || exit 1
fi

folded_row() {
	prints '     200     0.0  74.60..84.49  icf     send_mails, parse_orders' \
		report --full-names icf.out
}

folded_annotate() {
	local name

	for name in send_mails parse_orders 'send_mails, parse_orders'; do
		prints "# 200 of 250 samples are in $name" report --annotate "$name" icf.out &&
		prints "# 200 of 250 samples are in $name" \
			report --asm --annotate "$name" icf.out || return
	done
	# what is similar is found by each
	prints '# 200 of 250 samples are in parse_orders' report --annotate parse_o icf.out
}

folded_exports() {
	local format

	for format in json folded callgrind firefox html; do
		prints 'send_mails, parse_orders' export --$format -o - icf.out || return
	done
	"$PROFIL" export --pprof -o - icf.out | gzip -dc | grep -qa 'send_mails, parse_orders' &&
	[ "$("$PROFIL" export --order -o - icf.out 2>err | paste -sd,)" = \
		send_mails,parse_orders,other ] &&
	"$PROFIL" report --json icf.out | grep -q 'send_mails, parse_orders'
}

# The same in a build in which they are apart. The row says that it is a sum.
folded_diff() {
	unchanged 2 apart.out icf.out && unchanged 2 icf.out apart.out &&
	prints '# 1 row adds up ' diff apart.out icf.out &&
	prints '"merged":["' diff --json apart.out icf.out
}

# --- copies and parts ---------------------------------------------------------------

cat >suffix.s <<'END'
	.text
	.globl main
	.type main,@function
main:	ret
	.size main,.-main
	.irp n,a,b,c,d
	.globl work_\n
	.type work_\n,@function
	.balign 16
work_\n:	mov $50000000,%rax
1:	dec %rax
	jnz 1b
	ret
	.size work_\n,.-work_\n
	.endr
	.section .note.GNU-stack,"",@progbits
END

# build FILE A B C D: makes a program of suffix.s whose functions have these names
build() {
	mkdir -p "$(dirname "$1")" && gcc -c -o suffix.o suffix.s &&
	objcopy --redefine-sym work_a="$2" --redefine-sym work_b="$3" \
		--redefine-sym work_c="$4" --redefine-sym work_d="$5" suffix.o &&
	gcc -o "$1" suffix.o
}

# pair RESULTS FILE OLD-NAMES... NEW-NAMES...: two builds with these names, and their results
pair() {
	build "old/$2" "${@:3:4}" && build "new/$2" "${@:7:4}" &&
	take "$1.1" "old/$2" "$3" 100 "$4" 100 "$5" 100 "$6" 100 &&
	take "$1.2" "new/$2" "$7" 100 "$8" 100 "$9" 100 "${10}" 100
}

suffixes() {
	pair s suffix _ZL6hash_1v.llvm.4477738147604602593 tidy.constprop.0 \
		_ZN4core3fmt5write17h0123456789abcdefE _ZL4walkv.__uniq.111222333444555 \
		_ZL6hash_1v.llvm.9911738147604602001 tidy.isra.0 \
		_ZN4core3fmt5write17hfedcba9876543210E _ZL4walkv.__uniq.999888777666 &&
	unchanged 4 s.1 s.2 &&
	# a part of a function moves into it
	pair t suffix f f.cold g.part.0 h.lto_priv.0 f f.part.0.cold g h &&
	unchanged 4 t.1 t.2 && prints 'f.part.0.cold' diff --json t.1 t.2
}

# Really different functions stay apart.
other_functions() {
	pair u suffix main.run.func1.1 f.avx2.0 g.cold_start h._omp_fn.0 \
		main.run.func1.2 f.avx2.1 g.cold_end h._omp_fn.1 &&
	[ "$(marked u.1 u.2)" = 8 ] && ! grep -q 'add' <("$PROFIL" diff u.1 u.2 | grep '^#')
}

# The names of --annotate are those of the table.
names_of_diff() {
	pair s suffix _ZL6hash_1v.llvm.44 tidy.constprop.0 c _ZL4walkv.__uniq.1 a b c d &&
	prints ' 100 of 400 samples are in tidy' report --asm --annotate tidy s.1 &&
	prints ' 100 of 400 samples are in walk' report --asm --annotate walk s.1 &&
	prints ' 100 of 400 samples are in hash_1()' report --asm --annotate 'hash_1()' s.1
}

# Compilers' own: the hash is that of the path.
unique_names() {
	mkdir -p one two && printf '%s\n' '__attribute__((noinline)) static int twice(int n)' \
		'{ __asm__ volatile("" : "+r"(n)); return 2 * n; }' \
		'int main(int c, char **v) { (void)v; return twice(c); }' >one/u.c &&
	cp one/u.c two/u.c || return
	for folder in one two; do
		clang -O2 -funique-internal-linkage-names -o $folder/u $folder/u.c &&
		take $folder.out $folder/u "$(nm $folder/u | awk '/twice/ { print $3 }')" 100 \
			main 50 || return
	done
	! cmp -s <(nm one/u | grep twice) <(nm two/u | grep twice) && unchanged 2 one.out two.out
}

# --- builds under other names -------------------------------------------------------

other_names() {
	local old new

	while read -r old new; do
		build "$old" a b c d && build "$new" a b c d2 &&
		take n.1 "$old" a 100 b 100 c 100 d 100 &&
		take n.2 "$new" a 100 b 100 c 100 d2 100 &&
		[ "$(marked n.1 n.2)" = 2 ] &&
		prints "# ${old##*/} is now ${new##*/}" diff n.1 n.2 &&
		prints "{\"old\":\"${old##*/}\"" diff --json n.1 n.2 &&
		prints "\"new\":\"${new##*/}\"}" diff --json n.1 n.2 ||
			{ echo "# $old $new"; return 1; }
	done <<-END
		prog-main prog-pr
		x/libx.so.1.2 y/libx.so.1.3
		x/libx-main.so y/libx-pr.so
		x/tool.old y/tool
		x/app_v1 y/app_v2
		x/libx-1a2b3c4d.so y/libx-5e6f7a8b.so
	END
	# in another directory: not another name
	build x/tool a b c d && build y/tool a b c d && take n.1 x/tool a 9 b 9 c 9 d 9 &&
	take n.2 y/tool a 9 b 9 c 9 d 9 && unchanged 4 n.1 n.2 && ! grep ' is now ' out
}

# --- sources ------------------------------------------------------------------------

# work() loops in line 4
printf '%s\n' '#include <stdio.h>' '' '__attribute__((noinline)) void work(void)' \
	'{ long n = 9; __asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc"); } // LOOP' \
	'int main(void) { work(); return 0; }' >work.c
mkdir elsewhere && seq 1 40 | sed 's/^/UNRELATED /' >elsewhere/work.c

# compiled NAME COMPILER [FLAG...]: builds work.c, and makes a result
compiled() {
	"${@:2}" -O2 -o "$1" work.c && echo "0 $(address "$1" work) 100" |
		"$sample" result "$1.out" "$work/$1"
}

# says NOTE RESULT [ARG...]: it is in the line above the source; empty: nothing is said
says() {
	"$PROFIL" report --annotate work "${@:3}" "$2" >out 2>err || { cat err; return 1; }
	if [ "$1" ]; then
		grep -qE "^# /.*/work\.c: $1" out
	else
		grep -q 'LOOP' out && grep -qE '^# [./].*/work\.c$' out
	fi || { echo "# not '$1':"; cat out; false; }
}

# without_text RESULT: the page has no source text
without_text() {
	"$PROFIL" export --html -o page.html "$1" && ! grep -qE 'LOOP|UNRELATED' page.html
}

newer_source() {
	compiled newer gcc -g && says '' newer.out && touch -d '1 hour' work.c &&
	says 'newer than the program' newer.out && without_text newer.out &&
	says '' newer.out --root / && touch -d '1 hour ago' work.c && says '' newer.out
}

relative_source() {
	compiled relative gcc -g "-ffile-prefix-map=$PWD=." &&
	says 'relative to the current directory' relative.out && without_text relative.out &&
	(cd elsewhere && says 'relative to the current directory' ../relative.out &&
		without_text ../relative.out)
}

# The checksum of DWARF 5 tells what was compiled, wherever and whenever it was written.
checksums() {
	local way

	for way in "" -gz -gsplit-dwarf "-fdebug-prefix-map=$PWD=."; do
		# shellcheck disable=SC2086 # no flag
		compiled sum clang -gdwarf-5 $way && touch -d '1 hour' work.c && says '' sum.out &&
		! without_text sum.out && cp work.c kept.c && sed -i '1i // new' work.c &&
		touch -d '1 hour ago' work.c && says 'not the text that was compiled' sum.out &&
		without_text sum.out && mv kept.c work.c || { echo "# $way"; return 1; }
	done
	# the last one is relative
	(cd elsewhere && says 'not the text that was compiled' ../sum.out &&
		cp ../work.c right.c && mv right.c work.c && says '' ../sum.out)
}

# Another program's file, which is as old, is below the root.
other_root() {
	compiled sum clang -gdwarf-5 && mkdir -p "root$work" && seq 9 >"root$work/work.c" &&
	cp sum "root$work" && "$PROFIL" report --annotate work --root root sum.out >out &&
	grep -q '/work\.c: not the text that was compiled: its MD5 differs$' out
}

# --- inlined code -------------------------------------------------------------------

cat >inlined.h <<'END'
#include <map>
#include <string>
static inline __attribute__((always_inline)) unsigned mix(unsigned n)
{
	n ^= n >> 15;
	n *= 0x2c1b3c6d; n ^= n >> 12;
	n *= 0x297a2d39; n ^= n >> 15;
	return n;
}
END
cat >inlined.cc <<'END'
#include "inlined.h"
namespace shop {
template <typename T> struct Index {
	T all;
	__attribute__((noinline)) unsigned words(unsigned n);
};
template <> unsigned Index<unsigned>::words(unsigned n)
{
	all += n;
	all ^= mix(n);			// CALL
	return all + std::to_string(n).size();
}
}
int main(int c, char **) { return shop::Index<unsigned>{ 1 }.words(c); }
END
g++ -O2 -g -c -o inlined.o inlined.cc && g++ -o inlined inlined.o &&
	take_each inlined.out inlined _ZN4shop5IndexIjE5wordsEj || exit 1

# The samples of the call's line are its own and those of mix(), as pprof counts them (flat, cum).
with_inlined() {
	local self all inner

	"$PROFIL" report --annotate words inlined.out >out 2>err &&
	read -r self all < <(awk '/ CALL$/ { print $2, $3 }' out) &&
	inner=$("$PROFIL" report --annotate mix inlined.out |
		awk '/ samples are in / { print $2 }') &&
	grep -qE '^# percent +self +with inlined +line  source$' out &&
	echo "# line: $self, with inlined: $all, mix: $inner" &&
	[ $((self + inner)) = "$all" ] && ((inner > 5)) &&
	# all lines of the function itself have all samples
	[ "$(awk -v file="# $work/inlined.cc" '/^# / { own = $0 == file }
		own && !/^#/ && $1 ~ /\./ { n += $3 } END { print n }' out)" = \
		"$(awk '/ samples are in / { print $2 }' out)" ] &&
	# each sample is in one line of its own
	[ "$(awk '!/^#/ && $1 ~ /^[0-9]+\.[0-9]+$/ { n += $2 } END { print n }' out)" = \
		"$(awk '/ samples are in / { print $2 }' out)" ]
}

# Though most of the samples are in a header
own_file_first() {
	"$PROFIL" report --annotate words inlined.out >out &&
	[ "$(grep -m 1 '^# /' out)" = "# $work/inlined.cc" ]
}

page_with_inlined() {
	local all

	"$PROFIL" report --annotate words inlined.out >out &&
	all=$(awk '/ CALL$/ { print $3 }' out) && [ "$all" ] &&
	"$PROFIL" export --html -o page.html inlined.out &&
	grep -q "CALL\",$all\]" page.html
}

ends_of_names() {
	local name

	for name in words Index::words shop::Index::words 'shop::Index<unsigned int>::words' \
		'Index<unsigned int>::words' _ZN4shop5IndexIjE5wordsEj \
		'Index<unsigned int>::words(unsigned int)'; do
		prints "# $(wc -l <samples) of $(wc -l <samples) samples are in " \
			report --annotate "$name" inlined.out || return
	done
	for name in to_string std::to_string std::__cxx11::to_string; do
		prints ' of them are in code that is inlined into other functions' \
			report --annotate "$name" inlined.out || return
	done
	! "$PROFIL" report --annotate ords inlined.out >out 2>err ||
		grep -q ' words' out
}

need_clang=$(command -v clang || echo /clang)
need_lld=$(command -v ld.lld || echo /ld.lld)
ktap_print_header
ktap_set_plan 17
check_if "$need_lld" "folded functions: a row with all names" folded_row
check_if "$need_lld" "folded functions: each name is found" folded_annotate
check_if "$need_lld" "folded functions: exports have all names" folded_exports
check_if "$need_lld" "folded functions: compared with those apart" folded_diff
check "copies and parts are compared as their function" suffixes
check "other functions stay apart" other_functions
check "the names that diff prints are found" names_of_diff
check_if "$need_clang" "names with a hash of the path" unique_names
check "builds under other names" other_names
check "a source that is newer" newer_source
check "a source with a relative path" relative_source
check_if "$need_clang" "checksums of sources" checksums
check_if "$need_clang" "another file below a root" other_root
check "inlined code counts at its call" with_inlined
check "the function's own file is the first" own_file_first
check "the page has both" page_with_inlined
check "ends of qualified names" ends_of_names
ktap_finished
