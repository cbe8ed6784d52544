#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Exports for tools that make programs faster: BOLT, AutoFDO and linkers read them, find the
# functions with their samples, and make a program that does the same. What these tools would
# misunderstand is refused. Runs natively, needs no module.
#
# PERF2BOLT  perf2bolt of LLVM 21 or later (default: the newest that is installed)

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

make -s -C ../lib && make -s -C ../tools && make -s -C unit export_sample || exit 1
PROFIL=${PROFIL:-../tools/profil}
sample=$(readlink -f unit/export_sample)
source=$(readlink -f programs/hot.c)

# build OUT FLAG...: compiles the program. Of the source's files, each has its own name: the symbols
# of type FILE distinguish local functions.
build() {
	local out=$1

	shift
	cp "$source" "$work/hot_other.c" &&
	gcc -O1 -ffunction-sections -fno-inline "$@" -DHOT_OTHER -c -o "$out.other.o" \
		"$work/hot_other.c" &&
	gcc -O1 -ffunction-sections -fno-inline "$@" -o "$out" "$source" "$out.other.o"
}

# instructions FILE FUNCTION: prints the address of each of its instructions, in each function with
# this name, without the padding after it
instructions() {
	objdump -d --no-show-raw-insn "$1" |
		awk -v name="<$2>:" '/^[0-9a-f]/ { inside = $2 == name }
			inside && /^ / && !/\tnop|xchg +%ax,%ax|cs nop/ { sub(":", "", $1); print $1 }'
}

# samples FILE: 20 samples at each instruction of hot(), 10 at those of each work(), 1 at those of
# main(); of 3 more, none is in a function with a name, in user mode
samples() {
	local function

	while read -r function number; do
		instructions "$1" "$function" | sed "s/.*/0 & $number/"
	done <<-END
		hot 20
		work 10
		main 1
	END
	instructions "$1" hot_other | sed -n '1s/.*/0 & 3 3/p'
}

# result OUT FILE: writes a result of these samples
result() {
	samples "$2" | sort -k2,2 >"$work/counts" && "$sample" result "$1" "$2" <"$work/counts"
}

program=$work/hot
build "$program" -g -gdwarf-4 -Wl,--emit-relocs && result "$work/result" "$program" || exit 1
wanted=$("$program" x)

# sum FILE COMMAND...: the sum of the last field of the lines
sum() {
	awk -F '[ :]' '{ n += $NF } END { print n + 0 }' "$1"
}

equals() {
	[ "$2" = "$3" ] || { echo "# $1: $3 instead of $2"; false; }
}

all=$(awk 'NF == 3 { n += $3 } END { print n }' "$work/counts")

# export_result ARG...
export_result() {
	"$PROFIL" export "$@" "$work/result" 2>"$work/err"
}

# does_the_same FILE
does_the_same() {
	equals output "$wanted" "$("$1" x)"
}

# The tool's own statistic: hot(), both work() and main() have samples. The new code is in another
# order.
fdata() {
	local bolt=llvm-bolt-$1

	export_result --bolt=fdata -o "$work/fdata" &&
	"$bolt" -nl -data="$work/fdata" -reorder-blocks=ext-tsp -reorder-functions=hfsort \
		-o "$work/bolted" "$program" >"$work/out" 2>&1 &&
	grep -q ' 4 out of [0-9]* functions in the binary .* have non-empty execution profile' \
		"$work/out" &&
	! grep -iE 'stale|invalid|mismatch|WARNING.*profile' "$work/out" &&
	does_the_same "$work/bolted"
}

# All samples are in the file, at the function and the distance that BOLT knows.
fdata_lines() {
	export_result --bolt=fdata -o "$work/fdata" &&
	equals header "no_lbr cpu-clock" "$(head -n 1 "$work/fdata")" &&
	equals samples "$all" "$(sed 1d "$work/fdata" | sum -)" &&
	equals functions "1 hot,1 main,1 work/hot.c/1,1 work/hot_other.c/1" \
		"$(sed 1d "$work/fdata" | awk '{ print $1, $2 }' | sort -u | paste -sd,)"
}

newest_perf2bolt() {
	compgen -c perf2bolt- | sed -n 's/^perf2bolt-\(2[1-9]\|[3-9][0-9]\)$/&/p' | sort -V | tail -n 1
}
PERF2BOLT=${PERF2BOLT:-$(newest_perf2bolt)}

# perf2bolt has the same functions and samples as the other variant, under names of its own choice.
bolt() {
	export_result --bolt=fdata -o "$work/fdata" && export_result --bolt -o "$work/pa" &&
	equals event "E cpu-clock" "$(head -n 1 "$work/pa")" &&
	equals samples "$all" "$(sed 1d "$work/pa" | sum -)" &&
	{ [ -z "$PERF2BOLT" ] || perf2bolt_reads; }
}

perf2bolt_reads() {
	"$PERF2BOLT" "$program" -p "$work/pa" --pa --ba -o "$work/converted" >"$work/out" 2>&1 &&
	grep -q ' 4 out of [0-9]* functions in the binary .* have non-empty execution profile' \
		"$work/out" &&
	grep -q 'unknown regions: 0 (0.0%)' "$work/out" &&
	equals converted "$(sed 1d "$work/fdata" | cut -d' ' -f3- | sort | paste -sd,)" \
		"$(sed 1d "$work/converted" | cut -d' ' -f3- | sort | paste -sd,)"
}

# A position-independent file has the same addresses as offsets here; this one does not.
autofdo() {
	local file=$work/fixed

	build "$file" -g -gdwarf-4 -no-pie && result "$work/fixed.result" "$file" &&
	"$PROFIL" export --autofdo -o "$work/autofdo" "$work/fixed.result" 2>"$work/err" &&
	equals lists "0,$(($(wc -l <"$work/autofdo") - 3)),0" \
		"$(sed -n '1p;2p;$p' "$work/autofdo" | paste -sd,)" &&
	equals samples "$all" "$(grep : "$work/autofdo" | sum -)"
}

# The functions in the profiles of both tools. A function's count is the sum over its lines, each of
# which has the count of one instruction.
create_gcov_reads() {
	autofdo &&
	create_gcov --binary="$work/fixed" --profile="$work/autofdo" --profiler=text \
		--use_lbr=false --gcov="$work/gcov" -gcov_version=2 >"$work/out" 2>&1 &&
	dump_gcov -gcov_version=2 "$work/gcov" >"$work/out" 2>&1 &&
	equals functions "hot main work" \
		"$(awk '/ total:/ { print $1 }' "$work/out" | sort | paste -sd' ')"
}

# Version 1 of the profile is that of gcc up to 11. That of gcc 12 is not written right by autofdo 0.19.
gcc_uses() {
	autofdo &&
	create_gcov --binary="$work/fixed" --profile="$work/autofdo" --profiler=text \
		--use_lbr=false --gcov="$work/gcov" -gcov_version=1 >"$work/out" 2>&1 &&
	gcc-11 -O2 -g -fauto-profile="$work/gcov" -fdump-tree-optimized-details-blocks="$work/dump" \
		-c -o "$work/part.o" "$source" 2>"$work/err" && [ ! -s "$work/err" ] &&
	grep -q 'count [1-9][0-9]* (auto FDO' "$work/dump"
}

create_llvm_prof_reads() {
	autofdo &&
	create_llvm_prof --binary="$work/fixed" --profile="$work/autofdo" --profiler=text \
		--use_lbr=false --format=text --out="$work/prof" >"$work/out" 2>&1 &&
	equals functions "hot main work" \
		"$(grep -oE '^[a-z_]+' "$work/prof" | sort -u | paste -sd' ')"
}

clang_uses() {
	create_llvm_prof_reads &&
	clang -O2 -g -fprofile-sample-use="$work/prof" -S -emit-llvm -o "$work/ir" "$source" \
		2>"$work/err" && [ ! -s "$work/err" ] &&
	grep -qE '^define .*@hot\(.* !prof ' "$work/ir" &&
	grep -q 'branch_weights' "$work/ir"
}

# Functions with samples are neighbours, hottest first.
lld() {
	export_result --order -o "$work/order" &&
	equals symbols "hot,work,work,main" "$(paste -sd, "$work/order")" &&
	build "$work/ordered" -fuse-ld=lld -Wl,--symbol-ordering-file="$work/order" \
		2>"$work/err" && does_the_same "$work/ordered" &&
	[[ " $(nm -n "$work/ordered" | awk '{ print $3 }' | paste -sd' ') " == *" hot work work main "* ]]
}

# A list of lines has no place for names with several.
odd_names() {
	objcopy --redefine-sym 'hot=a"[*b' --redefine-sym main=$'two\nlines' "$program" "$work/odd" &&
	samples "$program" | sort -k2,2 | "$sample" result "$work/odd.out" "$work/odd" &&
	equals symbols 'a"[*b,work,work' \
		"$("$PROFIL" export --order "$work/odd.out" 2>"$work/err" | paste -sd,)"
}

# The linker has made the stubs by which the program calls libraries: they are in no source.
stubs() {
	local first

	first=$(objdump -d "$program" | sed -n 's/^\([0-9a-f]*\) <.*@plt>:$/\1/p' | head -n 1)
	{ samples "$program" && echo "0 ${first#"${first%%[!0]*}"} 7"; } | sort -k2,2 |
		"$sample" result "$work/stubs.out" "$program" &&
	"$PROFIL" report "$work/stubs.out" | grep -q ' 7 .*@plt$' &&
	"$PROFIL" export --order -o "$work/order" "$work/stubs.out" 2>"$work/err" &&
	! grep @plt "$work/order" && grep -q ', 7 in code without a name$' "$work/err"
}

# The results of two runs add up.
merged() {
	export_result --bolt -o "$work/once" &&
	"$PROFIL" merge "$work/result" "$work/result" -o "$work/twice.out" &&
	"$PROFIL" export --bolt -o "$work/twice" "$work/twice.out" 2>"$work/err" &&
	awk '/^S/ { $3 *= 2 } { print }' "$work/once" | diff - "$work/twice"
}

# refuses TEXT FORMAT FILE: an export of its result is refused, and nothing is written
refuses() {
	"$PROFIL" export "--$2" ${4:+--object "$4"} -o "$work/refused" "$3" 2>"$work/err" &&
		return 1
	grep -q -e "$1" "$work/err" && [ ! -e "$work/refused" ]
}

# refuses_in_turn: each file lacks what the format needs; its result is of the file
refuses_files() {
	local file=$work/lacking/hot

	mkdir -p "$work/lacking" && build "$file" && result "$work/lacking.out" "$file" &&
	refuses "without relocations (EOPNOTSUPP): link it with -Wl,--emit-relocs" bolt \
		"$work/lacking.out" &&
	refuses "without relocations (EOPNOTSUPP)" bolt=fdata "$work/lacking.out" &&
	refuses "no debug information.*(ENODATA): compile with -g" autofdo "$work/lacking.out" &&
	strip -o "$file.stripped" "$file" && mv "$file.stripped" "$file" &&
	for format in bolt bolt=fdata autofdo order; do
		refuses "no symbol table (ENODATA): .* before strip" $format "$work/lacking.out" ||
			return
	done
}

refuses_others() {
	local file=$work/changed/hot

	mkdir -p "$work/changed" && build "$file" -g -Wl,--emit-relocs &&
	result "$work/changed.out" "$file" && build "$file" -g -O2 -Wl,--emit-relocs &&
	for format in bolt bolt=fdata autofdo; do
		refuses "its build-id differs (ESTALE): name the directory .* --root" $format \
			"$work/changed.out" || return
	done
	rm "$file" &&
	refuses "No such file or directory (ESTALE)" bolt "$work/changed.out"
}

refuses_no_samples() {
	local first

	first=$(instructions "$program" hot | head -n 1)
	echo "0 $first 5 5" | "$sample" result "$work/kernel.out" "$program" &&
	for format in bolt bolt=fdata autofdo order; do
		refuses 'no sample is in user mode in a function with a name (ENODATA)' $format \
			"$work/kernel.out" || return
	done
	echo "0 $first 5" | "$sample" result "$work/other.out" "$program" "$work/changed.o" \
		2>"$work/err"
	cp "$program" "$work/hot2" &&
	printf '0 %s 5\n1 %s 5\n' "$first" "$first" |
		"$sample" result "$work/two.out" "$program" "$work/hot2" &&
	refuses "selects .* and .* (EINVAL): .* select it by its path" order "$work/two.out" '*hot*' &&
	"$PROFIL" export --order --object "$program" "$work/two.out" 2>"$work/err" | grep -qx hot &&
	# the last object is the program
	echo "0 $first 5" | "$sample" result "$work/library.out" "$program" "$work/hot2" &&
	refuses 'hot2 has no samples, .*hot has most (ENODATA): select a file with --object' order \
		"$work/library.out"
}

left_out() {
	export_result --order -o "$work/order" &&
	grep -q ": $all of $((all + 3)) samples exported, of $program; left out: 3 in the kernel, 0 in other code, 0 in code without a name$" \
		"$work/err" && equals lines 1 "$(wc -l <"$work/err")"
}

# The tick is the only clock that a program can be in step with.
warns_of_tick() {
	CLOCK=1 result "$work/tick.out" "$program" &&
	"$PROFIL" export --bolt -o "$work/pa" "$work/tick.out" 2>"$work/err" &&
	grep -q 'the profile is of --clock=tick' "$work/err" &&
	CLOCK=3 result "$work/random.out" "$program" &&
	"$PROFIL" export --bolt -o "$work/pa" "$work/random.out" 2>"$work/err" &&
	! grep -q 'clock=tick' "$work/err"
}

warns_of_dwarf() {
	build "$work/dwarf5" -g -gdwarf-5 && result "$work/dwarf5.out" "$work/dwarf5" &&
	"$PROFIL" export --autofdo -o "$work/autofdo" "$work/dwarf5.out" 2>"$work/err" &&
	grep -q 'is DWARF 5, .* compile with -gdwarf-4' "$work/err" &&
	export_result --autofdo -o "$work/autofdo" && ! grep -q DWARF "$work/err"
}

# with TOOL PACKAGE NAME COMMAND...: a test that needs a tool
with() {
	local tool=$1 package=$2 name=$3

	shift 3
	if command -v "$tool" >/dev/null; then
		check "$name" "$@"
	else
		ktap_test_skip "$name: needs $tool (Debian: $package)"
	fi
}

ktap_print_header
ktap_set_plan 18
check "fdata has BOLT's names" fdata_lines
for version in 16 19; do
	with llvm-bolt-$version bolt-$version "BOLT $version optimizes by fdata" fdata $version
done
if [ -n "$PERF2BOLT" ]; then
	check "perf2bolt reads addresses" bolt
else
	ktap_test_skip "perf2bolt reads addresses: needs LLVM 21 or later, which Debian 12 lacks: set PERF2BOLT"
fi
check "AutoFDO's text has offsets" autofdo
with create_gcov autofdo "create_gcov finds the functions" create_gcov_reads
if command -v gcc-11 >/dev/null; then
	with create_gcov autofdo "gcc uses its profile" gcc_uses
else
	ktap_test_skip "gcc uses its profile: needs gcc-11 (Debian: gcc-11)"
fi
with create_llvm_prof autofdo "create_llvm_prof finds the functions" create_llvm_prof_reads
with create_llvm_prof autofdo "clang uses its profile" clang_uses
with ld.lld lld "lld puts hot functions first" lld
check "a list of symbols has a line for each" odd_names
check "stubs of the linker have names, and are left out" stubs
check "results of several runs add up" merged
check "a file that lacks what the tool needs is refused" refuses_files
check "a file that did not run is refused" refuses_others
check "a result without such samples is refused" refuses_no_samples
check "what is left out is counted in one line" left_out
check "traps of other tools are named" eval 'warns_of_tick && warns_of_dwarf'
ktap_finished
