#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make install and make uninstall: programs compile with what is installed, and then nothing of it is
# left. make dist: the archive of a commit is the same each time, has a checksum, and has all that the
# library and the command are built from. Nothing is installed on this machine. Runs natively, needs
# no module; make dist needs git, and a checkout.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

version=$(sed -n 's/^PROFIL_VERSION := //p' ../version.mk)
root=$work/root
# Where Debian has them; the default is /usr/local
debian=(PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu)

# in_root TARGET [VARIABLE=VALUE...]
in_root() {
	make -s -C .. "$@" DESTDIR="$root" >"$work/out" 2>"$work/err"
}

# compiles LIBDIR: a program finds the installed headers and library by pkg-config alone, and starts.
compiles() {
	local flags

	read -ra flags < <(PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root$1/pkgconfig \
		pkg-config --cflags --libs libprofil) && [ ${#flags[@]} != 0 ] &&
	"${CC:-cc}" -x c -o "$work/program" - "${flags[@]}" 2>"$work/err" <<-'END' &&
		#include <profil.h>
		int main(void) { return profil(0, 0, 0, 0) && !profil_dialect(0); }
	END
	LD_LIBRARY_PATH=$root$1 ldd "$work/program" | grep -q "libprofil.so.0 => $root$1/" &&
	LD_LIBRARY_PATH=$root$1 PROFIL_FALLBACK=quiet "$work/program"
}

# with_profil_cc LIBDIR BINDIR ARG...
with_profil_cc() {
	PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root$1/pkgconfig "$root$2/profil-cc" "${@:3}" \
		2>"$work/err"
}

# has_qp LIBDIR BINDIR: the compiler has no -qp; with profil-cc, it has, and <prof.h> and the monitor
# of the dialect are found, compiled and linked at once or one after the other.
has_qp() {
	cat >"$work/marked.c" <<-'END'
		#include <prof.h>
		int main(void) { MARK(here); return 0; }
	END
	! "${CC:-cc}" -qp -o "$work/program" "$work/marked.c" 2>"$work/err" && grep -q -- -qp "$work/err" &&
	with_profil_cc "$1" "$2" -qp -DMARK -o "$work/program" "$work/marked.c" && [ ! -s "$work/err" ] &&
	nm "$work/program" | grep -q ' MARK.here$' &&
	nm -D "$work/program" | grep -q ' U __monstartup$' &&
	LD_LIBRARY_PATH=$root$1 ldd "$work/program" |
		grep -q "libprofil-solaris.so.0 => $root$1/" &&
	with_profil_cc "$1" "$2" -c -qp -o "$work/part.o" "$work/marked.c" && [ ! -s "$work/err" ] &&
	PROFIL_DIALECT=osf1 with_profil_cc "$1" "$2" -qp -o "$work/program" "$work/part.o" &&
	readelf -d "$work/program" | grep -q 'NEEDED.*libprofil-osf1.so.0' &&
	with_profil_cc "$1" "$2" --version >"$work/out" &&
	! PROFIL_DIALECT=none with_profil_cc "$1" "$2" -c "$work/marked.c" &&
	grep -q 'profil-cc: no dialect none (ENOENT): set PROFIL_DIALECT' "$work/err"
}

# starts_by_gcrt0 LIBDIR: linked by hand with it, as 4.4BSD's page has it, a program writes gmon.out
starts_by_gcrt0() {
	local part objects=()

	for part in crti.o crtbegin.o crtend.o crtn.o; do
		objects+=("$("${CC:-cc}" -print-file-name=$part)")
	done
	echo 'int main(void) { return 0; }' >"$work/plain.c"
	"${CC:-cc}" -nostartfiles -no-pie -o "$work/program" "$root$1/gcrt0.o" \
		"${objects[@]:0:2}" "$work/plain.c" "${objects[@]:2}" 2>"$work/err" &&
	(cd "$work" && ./program && [ -s gmon.out ])
}

# has_version LIBDIR: each pkg-config file and the command
has_version() {
	local file

	for file in "$root$1"/pkgconfig/*.pc; do
		[ "$(PKG_CONFIG_LIBDIR=$root$1/pkgconfig \
			pkg-config --modversion "$(basename "$file" .pc)")" = "$version" ] || return
	done
	[ -e "$root$1/libprofil.so.$version" ] &&
	[ "$("$(find "$root" -path '*/bin/profil')" --version)" = "profil $version" ]
}

installs() {
	rm -rf "$root" && in_root install "$@"
}

# leaves_nothing VARIABLE=VALUE...: not even the folders; nor a library of an earlier version
leaves_nothing() {
	touch "$(find "$root" -name libprofil.so.0)".0.1 "$(find "$root" -name libprofil-bsd.so.0)".0.1 &&
	in_root uninstall "$@" && [ -z "$(find "$root" -mindepth 1 | tee "$work/err")" ]
}

# What others have put there stays, with its folders, also if the name is similar.
leaves_others() {
	local others=(/usr/local/include/linux/other.h /usr/local/lib/libprofiler.so.0
		/usr/local/lib/empty/.keep /usr/local/share/man/man1/profile.1)

	in_root install && mkdir "$root/usr/local/lib/empty" && touch "${others[@]/#/$root}" &&
	in_root uninstall && [ "$(cd "$root" && find . -type f | sort)" = \
		"$(printf '.%s\n' "${others[@]}" | sort)" ]
}

# Without DESTDIR, the folders that each system has stay. /usr/local is that of a mount namespace.
keeps_folders_of_the_system() {
	unshare --user --map-root-user --mount sh -e -c '
		mount -t tmpfs none /usr/local
		cd /usr/local
		mkdir -p bin include lib share/man
		make -s -C "$1" install
		test -x bin/profil
		make -s -C "$1" uninstall KVER=none
		find . -mindepth 1 | LC_ALL=C sort | xargs' sh "$(readlink -f ..)" >"$work/out" 2>"$work/err" &&
	[ "$(tail -n 1 "$work/out")" = "./bin ./include ./lib ./share ./share/man" ]
}

archive=$work/dist/profil-$version.tar.gz

dist() {
	../scripts/dist "$work/dist" >"$work/out" 2>"$work/err" &&
	[ "$(cat "$work/out")" = "$archive" ] &&
	(cd "$work/dist" && sha256sum --quiet --strict -c "profil-$version.tar.gz.sha256" 2>"$work/err")
}

# The user's umask, settings of git and time zone have no effect, nor has the time.
is_reproducible() {
	local first

	first=$(sha256sum <"$archive") && sleep 1 &&
	(
		umask 077
		export TZ=Asia/Tokyo GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=tar.umask GIT_CONFIG_VALUE_0=user
		../scripts/dist "$work/dist" >"$work/out" 2>"$work/err"
	) && [ "$(sha256sum <"$archive")" = "$first" ]
}

# All files of the commit, below one folder, and no others
has_all_files() {
	tar -tzf "$archive" | grep -v '/$' | LC_ALL=C sort >"$work/listed" &&
	git -C .. ls-tree -r --name-only HEAD | sed "s|^|profil-$version/|" | LC_ALL=C sort |
		diff - "$work/listed" >"$work/err"
}

# Without git, and without what this checkout has built
builds() {
	mkdir "$work/fresh" && tar -xzf "$archive" -C "$work/fresh" &&
	make -s -j2 -C "$work/fresh/profil-$version" lib tools >"$work/out" 2>"$work/err" &&
	[ ! -s "$work/err" ] &&
	[ "$("$work/fresh/profil-$version/tools/profil" --version)" = "profil $version" ] &&
	[ -e "$work/fresh/profil-$version/lib/libprofil-aix.so.0" ]
}

# An archive has no commit to make an archive of, also if it was unpacked in another checkout.
refuses_without_git() {
	local unpacked=$work/fresh/profil-$version

	! "$unpacked/scripts/dist" "$work/none" 2>"$work/err" &&
	grep -qx "dist: .* $unpacked is no git checkout" "$work/err" &&
	git init -q "$work/fresh" && ! "$unpacked/scripts/dist" "$work/none" 2>"$work/err" &&
	grep -qx "dist: .* $unpacked is no git checkout" "$work/err" && [ ! -e "$work/none" ]
}

ktap_print_header
ktap_set_plan 16
check "installed as on Debian" installs "${debian[@]}"
check "a program compiles with that by pkg-config" compiles /usr/lib/x86_64-linux-gnu
check "cc -qp: profil-cc compiles with marks and the monitor" \
	has_qp /usr/lib/x86_64-linux-gnu /usr/bin
check "gcrt0.o starts a program that writes gmon.out" starts_by_gcrt0 /usr/lib/x86_64-linux-gnu
check "all parts have the version" has_version /usr/lib/x86_64-linux-gnu
check "uninstalled, nothing is left" leaves_nothing "${debian[@]}"
check "installed in the default folders" installs
check "a program compiles with that by pkg-config" compiles /usr/local/lib
check "uninstalled, nothing is left" leaves_nothing
check "files of others are left" leaves_others
if unshare --user --map-root-user --mount true 2>/dev/null; then
	check "folders of the system are left" keeps_folders_of_the_system
else
	ktap_test_skip "folders of the system are left: needs user namespaces"
fi
if git -C .. rev-parse -q --verify HEAD >/dev/null 2>&1; then
	check "make dist: an archive and its checksum" dist
	check "make dist: the same bytes each time" is_reproducible
	check "make dist: the files of the commit" has_all_files
	check "make dist: the library and the command are built from it" builds
	check "make dist: refused without git" refuses_without_git
else
	for name in "an archive" "the same bytes" "the files" "a build" "a refusal"; do
		ktap_test_skip "make dist: $name: no git checkout"
	done
fi
ktap_finished
