#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench/optimize.sh - what profiles of profil gain: BOLT, order of functions, AutoFDO, and as the upper
# bound the compilers' own instrumented profiles
#
# Usage: bench/optimize.sh [PROGRAM...]     (xz, sqlite3, cppcheck, python3, redis, cc1; default: all but cc1)
#
# Builds each program from Debian's source with -ffunction-sections and --emit-relocs, profiles it in a
# guest whose clock counts instructions, makes the variants, and compares their CPU times on this
# machine, in turn. So the machine should be idle; the intervals show whether it is.
#
# RUNS  of each variant (default: 40)
# WAYS  some of: order bolt autofdo pgo (default: all)
#
# cc1 takes half an hour with "WAYS='order bolt'". The other ways are untried with it.
#
# Needs the packages of scripts/deps/install build vm optimize. Writes build/optimize/figures.csv
# (columns: compare.py), whose lines are for bench/figures/optimize.csv; and what the tools print, in
# build/optimize/PROGRAM/*.log. Nothing is built twice: remove build/optimize for a new start.
#
# Exit status: 0 done; 1 something failed.

# Variables are used by name; "done" and "link" are files.
# shellcheck disable=SC2034,SC2238,SC1010
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
top=$PWD
out=$top/build/optimize
flags="-O2 -w -ffunction-sections"
# BOLT moves cold blocks better than it reads those that gcc has moved
whole=-fno-reorder-blocks-and-partition
export LC_ALL=C

die() { echo "bench/optimize.sh: $1" >&2; exit 1; }

# fetch PACKAGE: unpacks the upstream source of Debian 12's package, and prints its directory
fetch() {
	mkdir -p "$out/source/$1"
	(
		cd "$out/source/$1"
		[ -e done ] || {
			"$top/scripts/deps/apt-suite" bookworm:source apt-get -q --download-only source "$1" &&
			mkdir -p tree && tar -xf ./*.orig.tar.?z --strip-components 1 -C tree && touch done
		} >fetch.log 2>&1
	) || die "cannot fetch the source of $1: see $out/source/$1/fetch.log"
	echo "$out/source/$1/tree"
}

# Each program has: build_PROGRAM DIRECTORY CC FLAGS, which makes DIRECTORY/program and DIRECTORY/link, the
# command that links it to $OUT with more $FLAGS; arguments_PROGRAM; and input_PROGRAM in its directory. A
# server has client_PROGRAM, a command.

build_xz() {
	local tree object objects=()

	tree=$(fetch xz-utils)
	mkdir -p "$1"
	cd "$1"
	"$tree/configure" -q --disable-shared --disable-nls --disable-doc CC="$2" CFLAGS="$3" >log 2>&1 &&
	make -s -C src/liblzma >>log 2>&1 && make -s -C src/xz >>log 2>&1 || die "see $1/log"
	for object in src/xz/*.o; do objects+=("$PWD/$object"); done
	echo "$2 $3 \$FLAGS -Wl,--emit-relocs -o \$OUT ${objects[*]} $PWD/src/liblzma/.libs/liblzma.a -lpthread" >link
}
input_xz() {
	local from

	from=$(fetch xz-utils)
	# tar would die of a closed pipe
	tar -c -C "$from" src | { head -c 2000000; cat >/dev/null; } >"$1"
}
arguments_xz=(-6 -T1 -c)

build_sqlite3() {
	local tree file

	tree=$(fetch sqlite3)
	mkdir -p "$1"
	cd "$1"
	[ -e "$out/sqlite3/amalgamation/shell.c" ] || (
		mkdir -p "$out/sqlite3/amalgamation"
		cd "$out/sqlite3/amalgamation"
		"$tree/configure" -q --disable-shared --disable-readline && make -s sqlite3.c shell.c
	) >log 2>&1 || die "see $1/log"
	for file in sqlite3 shell; do
		# the options of Debian's package that do not need other libraries
		# shellcheck disable=SC2086 # several flags
		"$2" $3 -DSQLITE_OS_UNIX=1 -DNDEBUG -DSQLITE_THREADSAFE=1 \
			-DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_RTREE \
			-DSQLITE_ENABLE_UNKNOWN_SQL_FUNCTION -DSQLITE_ENABLE_DBSTAT_VTAB \
			-I"$out/sqlite3/amalgamation" -c -o $file.o \
			"$out/sqlite3/amalgamation/$file.c" >>log 2>&1 || die "see $1/log"
	done
	echo "$2 $3 \$FLAGS -Wl,--emit-relocs -o \$OUT $PWD/sqlite3.o $PWD/shell.o -lm -lpthread -ldl" >link
}
input_sqlite3() {
	cat >"$1" <<-'END'
		CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT, size INTEGER, note TEXT);
		BEGIN;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO word SELECT i, printf('%x-%d', i * 7919 % 65537, i), i * 31 % 1000, hex(i * 104729 % 99991) FROM n;
		COMMIT;
		CREATE INDEX word_text ON word(text);
		CREATE INDEX word_size ON word(size);
		SELECT count(*), sum(length(text)) FROM word WHERE text LIKE '%a1%';
		SELECT size, count(*), max(text) FROM word GROUP BY size ORDER BY 2 DESC, 1 LIMIT 5;
		SELECT count(*) FROM word a JOIN word b ON a.size = b.size AND a.id < b.id;
		UPDATE word SET note = substr(note, 2) || size WHERE size % 3 = 0;
		DELETE FROM word WHERE id % 5 = 0;
		SELECT sum(x) FROM (SELECT (SELECT count(*) FROM word b WHERE b.text > a.text AND b.size = a.size) AS x FROM word a);
		SELECT group_concat(note, '') = '' FROM (SELECT note FROM word ORDER BY note, text);
		SELECT json_group_array(json_object('t', text, 's', size)) IS NOT NULL FROM word;
	END
}
arguments_sqlite3=(:memory:)

# plus CC: the compiler of C++
plus() { sed 's/^gcc/g++/; s/^clang/clang++/' <<<"$1"; }

build_cppcheck() {
	local tree

	tree=$(fetch cppcheck)
	[ -e "$1" ] || cp -r "$tree" "$1"
	cd "$1"
	make -s -j2 CXX="$(plus "$2")" FILESDIR="$tree" CXXFLAGS="$3 -std=c++11" cppcheck >log 2>&1 || die "see $1/log"
	echo "$(plus "$2") $3 \$FLAGS -Wl,--emit-relocs -o \$OUT $PWD/lib/*.o $PWD/cli/*.o $PWD/externals/*/*.o" >link
}
input_cppcheck() {
	local from

	from=$(fetch xz-utils)/src
	cp "$from/xz/args.c" "$from/liblzma/lzma/lzma_encoder_optimum_normal.c" "${1%input}"
	: >"$1"
}
arguments_cppcheck=(--enable=all --quiet args.c lzma_encoder_optimum_normal.c)

build_redis() {
	local tree

	tree=$(fetch redis)
	[ -e "$1" ] || cp -a "$tree" "$1"
	cd "$1"
	# The flags are a part of CC: where CFLAGS change, its Makefile removes all that was made, and the counts
	# of by_pgo with it. Without -o, that of src makes deps anew.
	make -s -j2 -C deps CC="$2 $3" hiredis lua hdr_histogram jemalloc >log 2>&1 &&
		make -s -j2 -C src -o .make-prerequisites CC="$2 $3" OPTIMIZATION= DEBUG= USE_SYSTEMD=no \
			redis-server >>log 2>&1 || die "see $1/log"
	echo "$2 $3 \$FLAGS -rdynamic -Wl,--emit-relocs -o \$OUT" "$PWD"/src/*.o "$PWD"/deps/hiredis/libhiredis.a \
		"$PWD"/deps/lua/src/liblua.a "$PWD"/deps/hdr_histogram/libhdrhistogram.a \
		"$PWD"/deps/jemalloc/lib/libjemalloc.a -lm -ldl -lpthread -lrt >link
}
input_redis() {
	"$top/bench/redis_client.py" make >"$1"
}
arguments_redis=(--port 0 --unixsocket socket --save "")
client_redis="$top/bench/redis_client.py send socket"

build_cc1() {
	local tree command

	tree=$(fetch gcc-12)
	[ -e "$tree/configure" ] || tar -xf "$tree"/gcc-12*.tar.xz --strip-components 1 -C "$tree"
	mkdir -p "$1"
	cd "$1"
	{ [ -e Makefile ] || "$tree/configure" -q --enable-languages=c --disable-bootstrap --disable-multilib \
		--disable-nls --without-isl --without-zstd --with-system-zlib CC="$2" CXX="$(plus "$2")" \
		CFLAGS="$3" CXXFLAGS="$3"; } >log 2>&1 &&
	make -s -j2 all-gcc TARGET-gcc=cc1 CFLAGS="$3" CXXFLAGS="$3" >>log 2>&1 || die "see $1/log"
	# only its Makefile knows which objects are those of the C compiler
	command=$(make -n -C gcc -W main.o CFLAGS="$3" CXXFLAGS="$3" cc1 |
		sed -n '/ -o cc1 /,/[^\\]$/p') || die "see $1/log"
	echo "to=\$PWD/\$OUT; cd $PWD/gcc && ${command/ -o cc1 / \$FLAGS -Wl,--emit-relocs -o \$to }" >link
}
input_cc1() {
	local from

	from=$(fetch redis)
	gcc-12 -E -P -std=gnu11 -I"$from"/deps/{hiredis,lua/src,hdr_histogram} "$from/src/t_zset.c" >"$1"
}
arguments_cc1=(-quiet -fpreprocessed -std=gnu11 -O2 -w -o /dev/null -)

build_python3() {
	local tree objects

	tree=$(fetch python3.11)
	mkdir -p "$1/Modules"
	cd "$1"
	# these are in the program itself
	printf '%s\n' '*static*' '_json _json.c' 'math mathmodule.c' >Modules/Setup.local
	"$tree/configure" -q CC="$2" OPT="-DNDEBUG -fwrapv" CFLAGS="$3" LDFLAGS="$3" >log 2>&1 &&
		make -s -j2 python >>log 2>&1 || die "see $1/log"
	# the program searches lib beside itself and above
	mkdir -p "$out/python3/lib"
	ln -sfn "$tree/Lib" "$out/python3/lib/python3.11"
	# no PIE, like that of Debian: BOLT refuses one with computed gotos
	objects="$PWD/Programs/python.o $PWD/libpython3.11.a"
	echo "$2 $3 \$FLAGS -no-pie -Wl,-E,--emit-relocs -o \$OUT $objects -ldl -lutil -lm" >link
}
input_python3() {
	cp "$top/bench/python3_input.py" "$1"
}
arguments_python3=(-S -)

# variant PROGRAM NAME CC FLAGS [LINKER_FLAGS]: builds PROGRAM/NAME, unless it is there
variant() {
	local home=$out/$1

	[ -e "$home/$2" ] && return
	echo "building $1 $2" >&2
	( "build_$1" "$home/$2.build" "$3" "$flags $4" ) || exit
	relink "$1" "$2" "$2" "${5-}"
}

# relink PROGRAM NAME OF FLAGS: links the objects of the variant OF as NAME
relink() {
	( cd "$out/$1" && OUT=$2 FLAGS=${4-} sh -c "$(<"$3.build/link")" ) >"$out/$1/$2.log" 2>&1 ||
		die "see $out/$1/$2.log"
}

# compare PROGRAM RUNS NAME=BASE=FILE...: compare.py, in the directory of PROGRAM
compare() {
	local -n of=arguments_$1
	local client=client_$1

	( cd "$out/$1" && "$top/bench/compare.py" ${!client+"--client=${!client}"} "$2" "$1" input "${@:3}" \
		-- "${of[@]}" )
}

# run PROGRAM NAME: runs a variant once
run() { compare "$1" 0 "$2=$2=./$2"; }

# profile PROGRAM NAME: in a guest. An instruction takes 1 ns there.
profile() {
	local -n of=arguments_$1
	local client=client_$1

	[ -e "$out/$1/$2.out" ] && return
	echo "profiling $1 $2" >&2
	( cd "$out/$1" && "$top/scripts/vm/run" --kernel 6.12 --icount --mem 3G --timeout 3000 -- \
		sh -c "${!client+${!client} <input &}
			$top/tools/profil --rate max --no-table --output $2.out ./$2 ${of[*]@Q} <input >/tmp/out" ) \
		>"$out/$1/$2.profile.log" 2>&1 || die "see $out/$1/$2.profile.log"
}

# export_to PROGRAM NAME FORMAT FILE
export_to() {
	( cd "$out/$1" && "$top/tools/profil" export "--$3" -o "$4" "$2.out" ) >>"$out/$1/export.log" 2>&1 ||
		die "see $out/$1/export.log"
}

# Each way adds its variants to `compared`, as arguments of compare.py.

add() { compared+=("$1=$2=$home/$1"); }

by_order() {
	export_to "$program" gcc order functions
	relink "$program" order gcc "-fuse-ld=lld -Wl,--symbol-ordering-file=$home/functions"
	relink "$program" lld gcc -fuse-ld=lld
	add lld lld
	add order lld
}

by_bolt() {
	local version

	export_to "$program" gcc bolt=fdata fdata
	for version in 16 19; do
		( cd "$home" && llvm-bolt-$version gcc -data=fdata -o bolt-$version \
			-reorder-blocks=ext-tsp -reorder-functions=hfsort ) >"$home/bolt-$version.log" 2>&1 ||
			die "see $home/bolt-$version.log"
		add bolt-$version gcc
	done
}

# drop_garbled: drops inlined functions whose names autofdo 0.19 has overwritten; clang would refuse the
# whole profile
drop_garbled() {
	awk '{ match($0, /^ */) }
		deep && RLENGTH >= deep { next }
		{ deep = 0 }
		!/^ *([0-9.]+: )?([A-Za-z_0-9.]+:)?[0-9]+(:[0-9]+)?$/ { deep = RLENGTH + 1; next }
		{ print }'
}

# gcc 12 does not read what autofdo 0.19 writes.
by_autofdo() {
	export_to "$program" gcc autofdo text
	( cd "$home" && create_gcov --binary=gcc --profile=text --profiler=text --use_lbr=false \
		--gcov=gcov -gcov_version=1 && create_llvm_prof --binary=gcc --profile=text \
		--profiler=text --use_lbr=false --format=text --out=all ) >"$home/autofdo.log" 2>&1 ||
		die "see $home/autofdo.log"
	drop_garbled <"$home/all" >"$home/prof"
	variant "$program" gcc-11 gcc-11 $whole
	variant "$program" gcc-11-autofdo gcc-11 "$whole -fauto-profile=$home/gcov"
	variant "$program" clang clang-14 ""
	variant "$program" clang-autofdo clang-14 "-fprofile-sample-use=$home/prof"
	add gcc-11 gcc-11
	add gcc-11-autofdo gcc-11
	add clang clang
	add clang-autofdo clang
}

# Built twice in one directory: the counts are beside the objects, under their names.
by_pgo() {
	if [ ! -e "$home/gcc-pgo" ]; then
		( "build_$program" "$home/gcc-pgo.build" gcc-12 "$flags $whole -fprofile-generate" )
		relink "$program" gcc-counting gcc-pgo
		# counts of what has run in the build, as python3 does
		find "$home/gcc-pgo.build" -name '*.gcda' -delete
		run "$program" gcc-counting || die "$home/gcc-counting failed"
		find "$home/gcc-pgo.build" -name '*.l[ao]' -delete -o -name '*.[ao]' -delete
		variant "$program" gcc-pgo gcc-12 "$whole -fprofile-use"
	fi
	add gcc-pgo gcc
}

measure() {
	local program=$1 home=$out/$1 compared=() way

	mkdir -p "$home"
	[ -e "$home/input" ] || "input_$1" "$home/input"
	variant "$1" gcc gcc-12 "-g -gdwarf-4 $whole"
	# before the guest, which takes minutes; and python3 compiles what it imports
	run "$1" gcc || die "$home/gcc failed"
	profile "$1" gcc
	add gcc gcc
	# a control: its interval contains 0, but for one in 20
	cp "$home/gcc" "$home/same"
	add same gcc
	for way in ${WAYS:-order bolt autofdo pgo}; do
		"by_$way"
	done
	compare "$1" "${RUNS:-40}" "${compared[@]}"
}

make -s lib tools
[ $# -gt 0 ] || set -- xz sqlite3 cppcheck python3 redis
for program; do
	declare -F "build_$program" >/dev/null ||
		die "unknown program '$program': xz, sqlite3, cppcheck, python3, redis or cc1"
	( measure "$program" )
done | tee "$out/figures.csv"
