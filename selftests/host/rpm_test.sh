#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The RPM packages: rpmbuild makes them of the archive of make dist, and they have all that is
# installed, each file once. Packages of a system with rpm are not there, so dependencies are not
# checked, and nothing is installed. Runs natively, needs no module; needs git, and a checkout.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

type -P rpmbuild >/dev/null || skip_all "no rpmbuild"
version=$(sed -n 's/^PROFIL_VERSION := //p' ../version.mk)

# Prints the names of the packages that are made of the source.
packages() {
	find "$work/rpm/RPMS" -name '*.rpm'
}

# rpmbuild fails if an installed file is in no package.
builds() {
	local archive

	archive=../$(../scripts/dist 2>"$work/err") &&
	rpmbuild --nodeps --quiet -ta --define "_topdir $work/rpm" \
		--define "_buildhost localhost" "$archive" >"$work/out" \
		2>"$work/err" && [ "$(packages | wc -l)" = 4 ] &&
	! grep -E 'listed twice|warning: ' "$work/err"
}

# package NAME: prints its file
package() {
	packages | grep "/$1-$version-"
}

each_file_once() {
	local twice

	twice=$(packages | xargs -n 1 rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' |
		sed -n 's/^[^d][^ ]* //p' | grep -v '/licenses/' | sort | uniq -d)
	packages | grep -q . || return
	[ -z "$twice" ] || { echo "# $twice"; false; }
}

# has PACKAGE FILE...
has() {
	local file files

	files=$(rpm -qlp "$(package "$1")") || return
	for file in "${@:2}"; do
		grep -qx -- "$file" <<<"$files" || { echo "# $1 has no $file"; return 1; }
	done
}

right_package() {
	has profil /usr/bin/profil '/usr/share/man/man1/profil-info.1.*' \
		/usr/lib/systemd/system/profil@.service /usr/lib/tmpfiles.d/profil.conf &&
	has libprofil "/usr/lib.*/libprofil.so.$version" '/usr/lib.*/libprofil-solaris.so.0' &&
	has libprofil-devel /usr/include/profil.h '/usr/lib.*/libprofil.so' \
		'/usr/lib.*/pkgconfig/libprofil.pc' &&
	has profil-dkms "/usr/src/profil-$version/dkms.conf" '/usr/share/man/man4/profil.4.*' \
		/etc/modprobe.d/profil.conf
}

scripts_are_shell() {
	rpm -qp --scripts "$(package profil-dkms)" | grep -v '^p.*install scriptlet' >"$work/scripts" &&
	grep -q "^dkms add -m profil -v $version " "$work/scripts" &&
	sh -n "$work/scripts" 2>"$work/err"
}

ktap_print_header
ktap_set_plan 4
check "the archive of make dist builds" builds
check "no file is in two packages" each_file_once
check "the files are in their packages" right_package
check "dkms is called with the version" scripts_are_shell
ktap_finished
