#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A release is tagged, signed and complete, or refused; and apt installs from a repository of packages
# only what its key has signed. The commit is one in a clone, the packages are made up, apt has folders
# of its own, and the key is made for this test. Runs natively, needs no module; needs git and gpg.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

type -P gpg dpkg-scanpackages apt-get >/dev/null || skip_all "needs gpg, dpkg-dev and apt"
version=$(sed -n 's/^PROFIL_VERSION := //p' ../version.mk)
top=$(git -C .. rev-parse --show-toplevel)
export GNUPGHOME=$work/gpg
mkdir -m 700 "$GNUPGHOME"
trap 'gpgconf --kill all; rm -rf "$work"' EXIT
gpg --batch --quiet --passphrase '' --quick-generate-key test@example.org 2>"$work/err" || exit 1
git clone -q "$top" "$work/clone" && cd "$work/clone" || exit 1
git config user.name test && git config user.email test@example.org

release() {
	rm -f "$work/out" && scripts/release test@example.org "$work/release" >"$work/out" 2>"$work/err"
}

releases() (
	release && git verify-tag "v$version" 2>"$work/err" &&
	cd "$work/release" && sha256sum --quiet -c SHA256SUMS >"$work/err" &&
	gpg --verify "profil-$version.tar.gz.asc" 2>"$work/err" &&
	grep -q '^The first release' "profil-$version.md" &&
	tar -tzf "profil-$version.tar.gz" "profil-$version/version.mk" >/dev/null
)

refuses() {
	! release && grep -q "$1" "$work/err"
}

refuses_changes() {
	git tag -d "v$version" >/dev/null && echo >>README.md && refuses 'not committed' &&
	git checkout -q README.md && ! git rev-parse -q --verify "v$version" >/dev/null
}

refuses_without_changes() {
	sed -i "s/^PROFIL_VERSION := .*/&.1/" version.mk && git commit -qam x &&
	refuses "CHANGES.md has no section $version.1"
}

# package VERSION: makes profil-test of this version, whose file has it
package() {
	mkdir -p "$work/deb/DEBIAN" "$work/deb/usr/share/profil-test" &&
	echo "$1" >"$work/deb/usr/share/profil-test/version" &&
	printf '%s\n' 'Package: profil-test' "Version: $1" 'Architecture: all' 'Description: x' \
		'Maintainer: test <test@example.org>' >"$work/deb/DEBIAN/control" &&
	dpkg-deb --root-owner-group -b "$work/deb" "$work/profil-test_$1_all.deb" >/dev/null &&
	scripts/package/repository test@example.org "$work/repository" \
		"$work/profil-test_$1_all.deb" >"$work/typed" 2>"$work/err"
}

# apt WORD...: with folders of its own, as this user
apt() {
	apt-get -qq -o "Dir=$work/apt" -o "Dir::State::status=$work/apt/status" \
		-o Dir::Etc::Trusted=/none -o APT::Sandbox::User= -o "Dir::Bin::Methods=/usr/lib/apt/methods" \
		-o Acquire::Languages=none "$@" >"$work/out" 2>"$work/err"
}

# has VERSION: apt fetches this version of the package
has() (
	rm -rf "$work/fetched" && mkdir "$work/fetched" && cd "$work/fetched" &&
	apt download profil-test && dpkg-deb -x ./*.deb . && [ "$(<usr/share/profil-test/version)" = "$1" ]
)

repository() {
	mkdir -p "$work"/apt/{etc/apt/{apt.conf,preferences,sources.list}.d,var/lib/apt/lists/partial} \
		"$work"/apt/var/cache/apt/archives/partial "$work/apt/state" && touch "$work/apt/status" &&
	package 1.0 &&
	sed -n "s,^echo '\(.*\)' .*,\1,p" "$work/typed" |
		sed "s,/etc/apt/keyrings,$work/repository,; s, URL, file:$work/repository," \
		>"$work/apt/etc/apt/sources.list" &&
	apt update && has 1.0
}

upgrade() {
	package 1.1 && apt update && has 1.1
}

tampered() {
	sed -i 's/^Version: 1.1/Version: 1.2/' "$work/repository/Packages" &&
	rm "$work/repository/Packages.gz" && rm -r "$work"/apt/var/lib/apt/lists/* &&
	! apt update && grep -q 'unexpected size\|Hash Sum' "$work/err" && ! has 1.2
}

ktap_print_header
ktap_set_plan 7
check "a release has a signed tag, archive, checksums and changes" releases
check "a second release of the version is refused" refuses "there is a tag v$version"
check "changes that are not committed are refused, without a tag" refuses_changes
check "a version without changes is refused" refuses_without_changes
check "apt fetches from a repository that the key has signed" repository
check "a new version is added, and fetched" upgrade
check "lists that were changed are refused" tampered
ktap_finished
