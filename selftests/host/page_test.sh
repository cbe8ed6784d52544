#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The page that `profil export --html` writes, in a browser without a window (page_check.py): its
# figures, what clicks and keys do, names that look like markup, its size and the time of its first
# screen. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s programs/spin &&
	make -s -C unit export_sample || exit 1
PROFIL=$(readlink -f "${PROFIL:-../tools/profil}")
sample=$PWD/unit/export_sample
pie=$(readlink -f programs/spin)
unset DEBUGINFOD_URLS

command -v chromium chromedriver >/dev/null && /usr/bin/python3 -c 'import selenium' 2>/dev/null ||
	skip_all "needs a browser (Debian: chromium-driver and python3-selenium)"

# symbols FILE: prints address and name of each function, by address
symbols() {
	nm --defined-only "$1" | awk '$2 == "T" { print $1, $0 }' | sort
}

# take NAME FILE...: writes the result $work/NAME.out, of the samples on standard input
take() {
	"$sample" result "$work/$1.out" "${@:2}" || exit 1
}

# page NAME RESULT...: writes the page $work/NAME.html of the results $work/RESULT.out
page() {
	local name=$1

	shift
	"$PROFIL" export --html -o "$work/$name.html" "${@/%/.out}" 2>"$work/err" ||
		{ cat "$work/err"; exit 1; }
}

# spin LESS MUCH OTHER KERNEL: prints samples of two threads: spin_much has some of both, those of
# the other one at two addresses, half of KERNEL of each in the kernel
spin() {
	local less much next

	less=$(nm "$pie" | awk '$3 == "spin_less" { print $1 }')
	much=$(nm "$pie" | awk '$3 == "spin_much" { print $1 }')
	next=$(printf '%016x' $((0x$much + 8)))
	printf '0 %s %d %d %d\n' "$less" "$1" 0 1 "$much" "$2" 0 1 \
		"$much" $(($3 / 2)) $(($4 / 2)) 2 "$next" $(($3 / 2)) $(($4 / 2)) 2 |
		sort -k 2,2 -k 5,5
}
cd "$work" || exit 1
spin 2000 5000 1000 600 | take old "$pie"
spin 2010 3000 1000 300 | take new "$pie"
spin 2000 5000 1000 600 | STACKS=1 take stacks "$pie"
page one old
page stacks stacks
spin 2010 3000 1000 300 | STACKS=1 take newstacks "$pie"
page twostacks stacks newstacks
page two old new
"$PROFIL" diff --json old.out new.out >two.json && "$PROFIL" report --json old.out >one.json ||
	exit 1

# Two builds with other file names and suffixes: a part of spin_much is apart in one
objcopy --redefine-sym spin_much=spin_much.llvm.1 --redefine-sym spin_less=spin_much.part.0 \
	"$pie" spin-main &&
	objcopy --redefine-sym spin_much=spin_much.llvm.2 "$pie" spin-pr || exit 1
spin 2000 5000 1000 600 | take main "$work/spin-main"
spin 2000 3000 1000 300 | take pr "$work/spin-pr"
page moved main pr

# A line that calls inlined code
cat >inlined.c <<'END'
static inline __attribute__((always_inline)) unsigned mix(unsigned n)
{
	n ^= n >> 15; n *= 0x2c1b3c6d; n ^= n >> 12; n *= 0x297a2d39; n ^= n >> 15;
	return n;
}
unsigned all(unsigned n)
{
	return mix(n) + 3;	/* CALL */
}
END
gcc -O2 -g -fPIC -shared -o inlined.so inlined.c || exit 1
objdump -d --no-show-raw-insn --disassemble=all inlined.so |
	awk '/^ +[0-9a-f]+:/ { sub(":", "", $1); print 0, $1, 100 }' |
	take inlined "$work/inlined.so"
page inlined inlined

# Names of functions and of the object, and a line of source, that would run as markup
hostile="$work/<img src=x onerror=run(1)>&amp;.so"
cat >hostile.c <<'END'
int f(int n) { return n + 1; } // </script><script>run(4)</script><!-- <img src=x onerror=run(5)>
int g(int n) { return n + 2; }
END
gcc -g -fPIC -c hostile.c &&
	objcopy --redefine-sym f='</script><script>run(2)</script>' \
		--redefine-sym g=$'<!--<script>\'`${run(3)}\x1b\xe2\x80\xae\xff' hostile.o &&
	gcc -shared -o "$hostile" hostile.o || exit 1
symbols "$hostile" | awk '/script/ { print 0, $1, 100 + NR }' | take hostile "$hostile"
page hostile hostile

# As many functions and samples as clang has when it compiles 50 lines of C++
awk 'BEGIN {
	for (i = 0; i < 5009; i++) {
		name = "\"clang::Sema::Actions" i \
			"::check(clang::Expression const&, llvm::SmallVectorImpl<clang::Type*>&)\""
		printf ".globl %s\n.type %s, @function\n%s: .fill 64, 1, 0x90\n", name, name, name
	}
}' | gcc -shared -nostdlib -x assembler -o clang.so - || exit 1
symbols clang.so | awk '{
	for (i = 0; i < 4; i++)
		print 0, substr($1, 1, length($1) - 1) i, NR == 1 ? 4176 : NR % 2 ? 1 : 2, NR % 7 == 0, NR % 3
}' | take clang "$work/clang.so"
page clang clang
page clangs clang clang

# Nearly as many objects as a result may have
mkdir objects
for i in {1000..4999}; do
	cp --reflink=auto "$hostile" "objects/lib$i.so"
done
start=$(symbols "$hostile" | awk '/script/ { print $1; exit }')
for i in {0..3999}; do
	echo "$i $start 3 $((i % 3))"
done | take objects "$work"/objects/*
page objects objects
cd - >/dev/null || exit 1

/usr/bin/python3 host/page_check.py "$work" >"$work/checks" 2>&1

# passed NAME: whether the last line of the check says so; prints the others, if not
passed() {
	sed -n "/^check $1\$/,\$p" "$work/checks" | sed '1d; /^check /,$d' >"$work/profile"
	[ "$(tail -n 1 "$work/profile")" = passed ]
}

checks=(figures sort search flames callers changed_stacks keys code filters rows changes moved inlined theme narrow names hostile
	alone size first_screen)
ktap_print_header
ktap_set_plan ${#checks[@]}
for name in "${checks[@]}"; do
	check "page: $name" passed "$name"
done
sed -n 's/^measured /# /p' "$work/checks"
ktap_finished
