#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares profiles of real programs compiled with -pg, with and without libprofil, and runs the C
# library's tests of -pg with libprofil. Not part of make check, because it downloads sources.
#
# usage: gprof_programs.sh build     download and compile Debian source packages
#        gprof_programs.sh run [NAME...]     compare; needs /dev/profil
#
# The programs are in build/gprof-programs. Each does the same work twice, sampled by the C library
# and by the kernel. The calls of each function must be equal, and its shares of the samples may
# differ by at most 4 standard errors. A busy host makes parts of a program appear longer, so the
# clock should count instructions:
#
#	selftests/bench/gprof_programs.sh build
#	scripts/vm/run --kernel 6.12 --icount --timeout 7200 -- \
#		selftests/bench/gprof_programs.sh run

cd "$(dirname "$0")/.." || exit 1
top=$(dirname "$PWD")
dir=$top/build/gprof-programs
library=$top/lib/libprofil.so
RATE=1000

names=(bzip2 minigzip lua lz4 mawk lzip tcc picosat sqlite3 gawk)
glibc_names=(tst-gmon tst-gmon-pie tst-mcleanup tst-gmon-static tst-gmon-static-pie)

# package_of NAME: prints the name of its source package
package_of() {
	case $1 in
	minigzip) echo zlib ;;
	lua) echo lua5.4 ;;
	*) echo "$1" ;;
	esac
}

# build_NAME: compiles the program in its source directory

# bzip2 with its library's code, which Debian builds as a shared library
build_bzip2() {
	gcc -O2 -pg -o bzip2 bzip2.c bzlib.c blocksort.c compress.c crctable.c \
		decompress.c huffman.c randtable.c
}
build_minigzip() {
	CFLAGS="-O2 -pg" ./configure --static && make minigzip
}
# with tables in the same order in each run, and an empty replacement for a generated header
build_lua() {
	cd src && rm luac.c && : >lua5.4-deb-multiarch.h &&
	gcc -O2 -pg -DLUA_USE_POSIX '-DDEB_HOST_MULTIARCH=""' \
		'-Dluai_makeseed(L)=0' -o lua l*.c -lm
}
build_lz4() { gcc -O2 -pg -Ilib -o lz4 programs/*.c lib/*.c; }
build_mawk() { ./configure CFLAGS="-O2 -pg" LDFLAGS=-pg && make mawk; }
build_lzip() { ./configure CXXFLAGS="-O2 -pg" LDFLAGS=-pg && make; }
build_tcc() {
	./configure --debug --extra-cflags="-O2 -pg" \
		--extra-ldflags=-pg && make tcc
}
build_picosat() {
	./configure.sh && make picosat CFLAGS="-O2 -pg -DNDEBUG"
}
build_sqlite3() {
	./configure && make sqlite3.c shell.c &&
	gcc -O2 -pg -DSQLITE_THREADSAFE=0 -o sqlite3 shell.c sqlite3.c -lm
}
build_gawk() {
	./configure --disable-shared --disable-nls CFLAGS="-O2 -pg" LDFLAGS=-pg &&
	make -C support && make gawk
}

# run_NAME PROGRAM: runs the program's workload in an empty directory. $dir/text is a source file
# of 8 MB.
run_bzip2() { head -c 3000000 "$dir/text" | "$1" -c >/dev/null; }
run_minigzip() { "$1" -9 <"$dir/text" >/dev/null; }
run_lua() {
	"$1" -e '
		local function fib(n) return n < 2 and n or fib(n-1) + fib(n-2) end
		print(fib(31))
		local words = {}
		for i = 1, 1500000 do
			local w = string.format("%x", i * i % 9973)
			words[w] = (words[w] or 0) + 1
		end
		local sorted = {}
		for w, n in pairs(words) do sorted[#sorted + 1] = w .. n end
		table.sort(sorted)
		print(#table.concat(sorted, ","))' >/dev/null
}
run_lz4() { "$1" -12 -f --no-frame-crc "$dir/text" out >/dev/null 2>&1; }
run_mawk() {
	"$1" -F '[^a-z]+' '
		{ for (i = 1; i <= NF; i++) n[$i]++ }
		END { for (w in n) if (n[w] > 100) print w, length(w) * n[w] }' \
		"$dir/text" >/dev/null
}
run_lzip() { head -c 1500000 "$dir/text" | "$1" -c >/dev/null; }
run_tcc() {
	"$1" -B"$(dirname "$1")" -c -o out.o "$dir/functions.c"
}
# the pigeonhole problem with 9 pigeons and 8 holes
run_picosat() {
	awk -v holes=8 'BEGIN {
		pigeons = holes + 1
		print "p cnf", pigeons * holes, pigeons + holes * pigeons * holes / 2
		for (p = 0; p < pigeons; p++) {
			for (h = 1; h <= holes; h++)
				printf "%d ", holes * p + h
			print 0
		}
		for (h = 1; h <= holes; h++)
			for (p = 0; p < pigeons; p++)
				for (q = 0; q < p; q++)
					print -(holes * p + h), -(holes * q + h), 0
	}' >holes.cnf
	"$1" holes.cnf >/dev/null
	[ $? = 20 ]
}
run_sqlite3() {
	"$1" :memory: '
		CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INT);
		WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n
			WHERE i < 60000)
			INSERT INTO t SELECT i, hex(i * 7919 % 10007), i % 97 FROM n;
		CREATE INDEX b ON t(b);
		SELECT c, count(*), max(b) FROM t GROUP BY c ORDER BY 3;
		SELECT count(*) FROM t x JOIN t y ON x.b = y.b;' >/dev/null
}
run_gawk() {
	"$1" '
		{ n[length($0)]++; gsub(/[aeiou]+/, "<&>"); s += length($0) }
		END { print s, length(n) }' "$dir/text" >/dev/null
}

program_of() {
	case $1 in
	lua) echo src/lua ;;
	*) echo "$1" ;;
	esac
}

source_package() {
	(cd "$dir" && "$top/scripts/deps/apt-suite" "$suite:source" \
		apt-get -q source --download-only "$1") &&
	rm -rf "${dir:?}/$2" &&
	dpkg-source --no-check -x "$dir/$1"_*.dsc "$dir/$2"
}

# The C library's tests, compiled with the flags of its Makefile
build_glibc_tests() {
	local flags="-std=gnu11 -O2 -fno-omit-frame-pointer -pg" name

	source_package glibc glibc || return
	for name in "${glibc_names[@]}"; do
		case $name in
		*-static-pie) set -- -static-pie -fPIE ;;
		*-static) set -- -static ;;
		*-pie) set -- -pie -fPIE ;;
		*) set -- -no-pie -fno-pie ;;
		esac
		[[ $name != *-static* ]] ||
			set -- "$@" "$top/lib/libprofil.a" \
				-Wl,--wrap=__monstartup,--wrap=monstartup \
				-Wl,--wrap=moncontrol,--wrap=_mcleanup
		# shellcheck disable=SC2086 # flags are words
		gcc $flags -o "$dir/glibc/$name" "$dir/glibc/gmon/$name.c" "$@" ||
			return
	done
}

build() {
	local name failed=0

	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mkdir -p "$dir"
	for name in "${names[@]}"; do
		[ ! -x "$dir/$name/$(program_of "$name")" ] || continue
		if ! { source_package "$(package_of "$name")" "$name" &&
		       (cd "$dir/$name" && "build_$name"); } \
				>"$dir/$name.log" 2>&1; then
			echo "gprof_programs: $name was not built: $dir/$name.log" >&2
			failed=1
		fi
	done
	if ! build_glibc_tests >"$dir/glibc.log" 2>&1; then
		echo "gprof_programs: glibc's tests were not built: $dir/glibc.log" >&2
		failed=1
	fi
	cp "$dir/sqlite3/sqlite3.c" "$dir/text" || failed=1
	awk 'BEGIN {
		for (i = 0; i < 150000; i++)
			print "int f" i "(int a, int b) { int s = " i ", i; for " \
				"(i = 0; i < a; i++) s += i * b ^ s >> 3; return s; }"
	}' >"$dir/functions.c"
	return $failed
}

# run_twice NAME DIRECTORY: runs the program in DIRECTORY/without and DIRECTORY/with libprofil. Some
# programs read the environment (gawk has an array of it), so both runs have the same variables:
# without libprofil, LD_PRELOAD names the C library, which is loaded anyway.
run_twice() {
	local program

	program=$dir/$1/$(program_of "$1")
	mkdir "$2/without" "$2/with"
	(cd "$2/without" && LD_PRELOAD=libc.so.6 PROFIL_RATE=$RATE "run_$1" "$program") &&
	(cd "$2/with" && LD_PRELOAD=$library PROFIL_RATE=$RATE "run_$1" "$program") ||
		return
	gprof -bp "$program" "$2/without/gmon.out" >"$2/without.txt" &&
	gprof -bp "$program" "$2/with/gmon.out" >"$2/with.txt"
}

# compare DIRECTORY: compares both flat profiles, and prints a summary line
compare() {
	awk -v rate=$RATE '
		FNR == 1 { file++ }
		$1 ~ /^[0-9.]+$/ && NF >= 4 {
			name = NF > 6 ? $7 : $4
			share[file, name] += $1 / 100
			seconds[file] += $3
			calls[file, name] += NF > 6 ? $4 : 0
			names[name] = 1
		}
		END {
			n1 = 100 * seconds[1]
			n2 = rate * seconds[2]
			if (n1 < 50 || n2 < 500) {
				print "too short:", n1, "and", n2, "samples"
				exit 1
			}
			for (name in names) {
				nr++
				total += calls[1, name]
				if (calls[1, name] != calls[2, name]) {
					other++
					text = text sprintf(" %s %d %d", name,
						calls[1, name], calls[2, name])
				}
				p = (share[1, name] * n1 + share[2, name] * n2) / (n1 + n2)
				if (p < 0.02 || p == 1)
					continue
				compared++
				error = sqrt(p * (1 - p) * (1 / n1 + 1 / n2))
				z = (share[1, name] - share[2, name]) / error
				z = z < 0 ? -z : z
				if (z >= worst) {
					worst = z
					where = sprintf("%s %.1f and %.1f %%", name,
						100 * share[1, name], 100 * share[2, name])
				}
			}
			printf "%d functions, %d calls, different for %d functions%s; ", nr,
				total, other, text
			printf "%d and %d samples, shares of %d functions differ by ", n1, n2,
				compared
			printf "at most %.1f standard errors (%s)\n", worst, where
			exit other || worst > 4
		}' "$1/without.txt" "$1/with.txt"
}

# glibc_test NAME DIRECTORY: runs a test of the C library, checked by the C library's script
glibc_test() {
	local program=$dir/glibc/$1 judge=tst-gmon-gprof.sh

	[[ $1 != *-static* ]] || judge=tst-gmon-static-gprof.sh
	LD_PRELOAD=$([[ $1 == *-static* ]] || echo "$library") \
		GMON_OUT_PREFIX=$2/data "$program" || return
	[ "$1" != tst-mcleanup ] || return 0
	sh "$dir/glibc/gmon/$judge" gprof "$program" "$2"/data.*
}

run() {
	local name work status=0

	for name in "$@"; do
		work=$(mktemp -d)
		if [[ $name == tst-* ]]; then
			glibc_test "$name" "$work" >"$work/line" 2>&1
		else
			{ run_twice "$name" "$work" 2>&1 && compare "$work"; } >"$work/line"
		fi && echo "ok $name: $(tail -n 3 "$work/line")" ||
			{ status=1; echo "not ok $name: $(tail -n 3 "$work/line")"; }
		rm -rf "$work"
	done
	return $status
}

action=${1-}
shift
case $action in
build)
	build
	;;
run)
	[ $# -gt 0 ] || set -- "${glibc_names[@]}" "${names[@]}"
	run "$@"
	;;
*)
	sed -n '6,8s/^# *//p' "$0" >&2
	exit 2
	;;
esac
