#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The headers of the dialects and profil.h compile in C and C++ without a warning, in any order with
# those of the C library, and bind profil() to the dialect. The libraries export the right names.
# Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

headers=../lib/include/profil
warnings=(-Wall -Wextra -Werror -Wpedantic)

# includes HEADER...: prints source that includes them, and is not empty if they are
includes() {
	printf '#include <%s>\n' "$@"
	echo 'struct not_empty;'
}

# compile DIALECT FLAG...: compiles the source on standard input with the dialect's headers
compile() {
	local dialect=$1

	shift
	"$CC" "${warnings[@]}" -I"$headers/$dialect" "$@" -c -o "$work/object" - \
		2>"$work/err"
}

# in_each_language COMMAND ARG...: runs it for an old and a new standard of C and of C++
in_each_language() {
	CC=${CC:-cc} "$@" -x c -std=gnu89 -Wno-pedantic &&
	CC=${CC:-cc} "$@" -x c -std=c11 &&
	CC=${CXX:-c++} "$@" -x c++ -std=c++11 &&
	CC=${CXX:-c++} "$@" -x c++ -std=gnu++17
}

# in_any_order DIALECT HEADER FLAG...
in_any_order() {
	local dialect=$1 header=$2

	shift 2
	includes "$header" "$header" | compile "$dialect" "$@" &&
	includes unistd.h sys/types.h "$header" stdlib.h |
		compile "$dialect" "$@" &&
	includes "$header" unistd.h stdio.h | compile "$dialect" "$@"
}

# binds DIALECT HEADER CALL FLAG...: the CALL uses the dialect's function, and no other
binds() {
	local dialect=$1 header=$2 call=$3

	shift 3
	{ includes "$header"; echo "void f(void); void f(void) { $call; }"; } |
		compile "$dialect" "$@" &&
	[ "$(nm -u "$work/object" | awk '/prof|pcsample/ { print $2 }')" = \
		"${BOUND:-profil_$dialect}" ]
}

dialects=(solaris bsd linux099 osf1 aix svid)

calls=(
"solaris unistd.h static unsigned short b[8]; profil(b, sizeof(b), 0u, 0x4000u)"
"bsd unistd.h static char b[8]; (void)!profil(b, 8, 0, 65536)"
"linux099 unistd.h static char b[8]; (void)!profil(b, 8, 0, 0x8000)"
"osf1 unistd.h static short b[8]; profil(b, 16u, 0u, 0x10000u)"
"svid unistd.h static char b[8]; profil(b, 8, 0, 077777)"
"aix mon.h static unsigned short b[8]; profil(b, 16, 0, 0177777)"
"aix monmon.h static struct prof b[1]; profil(b, -1u, 0, 0)"
)

# marked FLAG...: marks compile, in a function that is copied and as its last statement
marked() {
	{
		includes prof.h
		echo 'void f(void); void g(void); static void h(int i) { if (i) { MARK(here); } MARK(h); }'
		echo 'void f(void) { h(1); } void g(void) { h(2); h(3); MARK(f) ; }'
	} | compile solaris "$@"
}

# With the definition they are symbols, without it nothing.
marks() {
	local language=("$@")

	marked -O2 -DMARK "${language[@]}" && nm "$work/object" | grep -q ' t MARK.here$' &&
	[ "$(nm -u "$work/object" | grep -c mcount)" = 1 ] &&
	marked "${language[@]}" && ! nm "$work/object" | grep -E 'MARK|mcount'
}

# profil.h together with the headers of the C library
profil_header() {
	{
		includes profil.h sys/profil.h unistd.h
		echo 'void f(void);'
		echo 'void f(void) { static struct profil_attr a; (void)!profil_start(&a); }'
	} | compile . -I../lib/include -I../uapi "$@"
}

# profil_header_with DIALECT FLAG...: profil.h together with a header of the dialect, which binds
# profil()
profil_header_with() {
	local dialect=$1

	shift
	includes unistd.h profil.h | compile "$dialect" -I../lib/include -I../uapi "$@" &&
	includes profil.h unistd.h | compile "$dialect" -I../lib/include -I../uapi "$@"
}

# The declarations of the systems' manual pages
declarations=(
"solaris void profil(unsigned short *buff, unsigned int bufsiz, unsigned int offset, unsigned int scale);"
"bsd int profil(char *samples, int size, int offset, int scale);"
"linux099 int profil(char *buf, int bufsiz, int offset, int scale);"
"osf1 void profil(short *short_buffer, unsigned int buffer_size, unsigned int offset, unsigned int scale);"
"svid void profil(char *buff, int bufsiz, int offset, int scale);"
"aix void profil(unsigned short *ShortBuffer, unsigned int BufferSize, unsigned long Offset, unsigned int Scale);"
"aix void profil(struct prof *ProfBuffer, unsigned int BufferSize, unsigned long Offset, unsigned int Scale);"
)

# redeclared DIALECT DECLARATION FLAG...: the header, and then the declaration of the manual page
redeclared() {
	local dialect=$1 declaration=$2 header=unistd.h

	shift 2
	[ "$dialect" != aix ] || header=mon.h
	{ includes $header stdlib.h; echo "$declaration"; } |
		compile "$dialect" -DPROFIL_PAGE_TYPES "$@"
}

# by_pkg_config DIALECT [--static]: the program that is written from the manual page alone compiles
# with the installed files
by_pkg_config() {
	local page=$1 flags

	shift
	read -ra flags < <(PKG_CONFIG_PATH=$work/installed/lib/pkgconfig \
		pkg-config "$@" --cflags --libs "libprofil-$page") &&
	"${CC:-cc}" -no-pie ${1+-static} -o "$work/program" "programs/pages/$page.c" "${flags[@]}" \
		2>"$work/err" &&
	if [ $# = 0 ]; then
		readelf -d "$work/program" | grep -q "NEEDED.*libprofil-$page.so.0"
	fi
}

# wide_by_pkg_config DIALECT: source that only includes the header takes addresses of 64 bits: it is
# bound to the function of libprofil, with the files of libprofil-DIALECT-64
wide_by_pkg_config() {
	local flags header=unistd.h

	[ "$1" != aix ] || header=mon.h
	{ includes $header; echo 'int main(void) { profil(0, 0, 0, 0); return 0; }'; } \
		>"$work/program.c" &&
	read -ra flags < <(PKG_CONFIG_PATH=$work/installed/lib/pkgconfig \
		pkg-config --cflags --libs "libprofil-${1}-64") &&
	"${CC:-cc}" -fpie -pie -o "$work/program" "$work/program.c" "${flags[@]}" 2>"$work/err" &&
	nm -D --undefined-only "$work/program" | grep -qx " *U profil_$1@PROFIL_1.0"
}

# found_beside DIALECT: a program that needs libprofil only through the library of a dialect starts,
# where no search path of the system has them
found_beside() {
	"${CC:-cc}" -no-pie -o "$work/program" "programs/pages/$1.c" -L"$work/installed/lib" \
		-Wl,--as-needed "-lprofil-$1" -lprofil -Wl,--enable-new-dtags \
		-Wl,-rpath,"$work/installed/lib" 2>"$work/err" &&
	env -u LD_LIBRARY_PATH ldd "$work/program" >"$work/out" &&
	grep -q "libprofil.so.0 => $work/installed/lib" "$work/out"
}

# exports_profil DIALECT: its library exports profil() for C and for C++, and no symbol version
exports_profil() {
	nm -D --defined-only "../lib/libprofil-$1.so" | awk '{ print $3 }' >"$work/out"
	grep -qx profil "$work/out" && grep -q '^_Z6profilP' "$work/out" &&
	! grep -q @ "$work/out" && ! grep -q '^profil_' "$work/out"
}

# libprofil.so exports the names of its map, with a version or without, as specified there.
# Functions that replace those of the C library have no version.
exports() {
	{
		sed -n 's/^ \*\t//p' ../lib/libprofil.map | tr ' ' '\n'
		echo PROFIL_1.0
		sed -n '/^global:/,/^local:/s/^\t\(.*\);$/\1@@PROFIL_1.0/p' \
			../lib/libprofil.map
	} | LC_ALL=C sort >"$work/out"
	nm -D --defined-only ../lib/libprofil.so | awk '{ print $3 }' | LC_ALL=C sort |
		diff "$work/out" - >"$work/err"
}

# monitor_exports LIBRARY NAME...: the library also exports NAME..., all without a version
monitor_exports() {
	nm -D --defined-only "../lib/$1.so" | awk '{ print $3 }' | LC_ALL=C sort >"$work/out" &&
	printf '%s\n' __fentry__ __monstartup _mcleanup _mcount mcount monitor profil "${@:2}" |
		LC_ALL=C sort | diff - "$work/out" >"$work/err"
}

# A program refers to functions of libprofil by their version, so that a later version can have a
# different function of the same name, and to functions of the C library without one.
needs_versions() {
	{
		includes profil.h
		echo 'int main(void) { static unsigned short b[8]; return profil(b, 16, 0, 0) +'
		echo '(int)pcsample(0, 0) + profil_set_rate(0) + profil_stop(0); }'
	} >"$work/program.c" &&
	"${CC:-cc}" -I../lib/include -I../uapi -o "$work/program" "$work/program.c" \
		../lib/libprofil.so 2>"$work/err" &&
	[ "$(nm -D --undefined-only "$work/program" |
		awk '/prof|pcsample/ { print $2 }' | LC_ALL=C sort | tr '\n' ' ')" = \
		"pcsample profil profil_set_rate@PROFIL_1.0 profil_stop_sized@PROFIL_1.0 " ]
}

# uses_cppflags DIRECTORY TARGET: each compilation gets CPPFLAGS, and no later flag cancels them
uses_cppflags() {
	make -n -B -C "../$1" CPPFLAGS=-D_FORTIFY_SOURCE=2 "$2" >"$work/out" 2>"$work/err" &&
	grep -E ' -c ' "$work/out" >"$work/compiled" &&
	! grep -E -e '-U_FORTIFY_SOURCE' "$work/compiled" >>"$work/err" &&
	! grep -v -e '-D_FORTIFY_SOURCE=2' "$work/compiled" >>"$work/err"
}

ktap_print_header
paths=("$headers"/*/*.h)
ktap_set_plan $((${#paths[@]} + ${#calls[@]} + 1 + 1 + ${#declarations[@]} + \
	6 * ${#dialects[@]} + 4 + 4))
for path in "${paths[@]}"; do
	dialect=$(basename "$(dirname "$path")")
	check "$dialect: <${path##*/}> compiles" \
		in_each_language in_any_order "$dialect" "${path##*/}"
done
for line in "${calls[@]}"; do
	read -r dialect header call <<<"$line"
	check "$dialect: <$header> binds profil() to the dialect" \
		in_each_language binds "$dialect" "$header" "$call"
done
BOUND=pcsample check "solaris: <pcsample.h> binds pcsample()" \
	in_each_language binds solaris pcsample.h '(void)!pcsample(0, 0)'
check "solaris: MARK() of <prof.h>" in_each_language marks
check "<profil.h> compiles" in_each_language profil_header
for dialect in "${dialects[@]}"; do
	check "$dialect: its header compiles with <profil.h>" \
		in_each_language profil_header_with "$dialect"
done
for line in "${declarations[@]}"; do
	read -r dialect declaration <<<"$line"
	check "$dialect: the header and the page's declaration" \
		in_each_language redeclared "$dialect" "$declaration"
done
make -s -C ../lib install PREFIX="$work/installed" >"$work/out" 2>&1
for dialect in "${dialects[@]}"; do
	check "$dialect: libprofil-$dialect.so exports profil()" exports_profil "$dialect"
	check "$dialect: from the page, by pkg-config" by_pkg_config "$dialect"
	check "$dialect: from the page, by pkg-config --static" by_pkg_config "$dialect" --static
	check "$dialect: from the header, by pkg-config" wide_by_pkg_config "$dialect"
	check "$dialect: its library finds libprofil beside it" found_beside "$dialect"
done
check "libprofil.so exports the names of its map" exports
check "solaris: the library exports monitor()" monitor_exports libprofil-solaris _Z6profilPtjjj
check "osf1: the library exports monitor()" monitor_exports libprofil-osf1 _Z6profilPsjjj monstartup moncontrol
check "aix: the library exports monitor()" monitor_exports libprofil-aix \
	_Z6profilP4profjmj _Z6profilPtjmj monstartup moncontrol _mondata
check "libprofil.so is compiled with CPPFLAGS" uses_cppflags lib libprofil.so
check "the command is compiled with CPPFLAGS" uses_cppflags tools profil
check "programs refer to names of the library by version" needs_versions
ktap_finished
