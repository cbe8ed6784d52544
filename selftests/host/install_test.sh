#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make modules_install: without a kernel build tree, it names the missing package, and without the
# right to write, the folder. With the kernel's key, the module is signed; without it, a message states
# that it is not, and the installation succeeds. make uninstall removes it, and no other module.
# INSTALL_KERNEL is the kernel. Nothing is installed on this machine. Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

kernel=$(../scripts/kernel/fetch "${INSTALL_KERNEL:-6.12}") || exit 1
release=$(<"$kernel/release")
# A tree of links to the kernel's build tree, to which a key can be added
tree=$work/tree
mkdir -p "$tree/certs" &&
	find "$kernel/build/" -mindepth 1 -maxdepth 1 -exec ln -s -t "$tree" {} +
# A copy of this tree: guests may use the modules in build/
checkout=$work/checkout
mkdir "$checkout" && (cd .. && cp -r --parents Makefile version.mk lib/Makefile lib/kernel_headers.mk \
	tools/Makefile module uapi scripts "$checkout")

# install_for TREE: installs the module for that build tree into $work/installed
install_for() {
	rm -rf "$work/installed"
	make -s -C "$checkout" modules_install KDIR="$1" DESTDIR="$work/installed" \
		>"$work/out" 2>"$work/err"
}

# names_package TREE PACKAGE: the installation fails with one line that names PACKAGE, and installs
# nothing
names_package() {
	! install_for "$1" && [ ! -e "$work/installed" ] &&
	[ "$(grep -vc '^make' "$work/err")" = 1 ] &&
	grep -q "no kernel build tree $1: install the package $2," "$work/err"
}

# KVER stands for the build tree of that kernel.
names_package_of_release() {
	! make -s -C "$checkout" modules_install KVER=none DESTDIR="$work/installed" 2>"$work/err" &&
	grep -q "no kernel build tree /lib/modules/none/build: install the package linux-headers-none," \
		"$work/err"
}

# without_privileges COMMAND...: root, too, may then write only where its permissions allow it.
without_privileges() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --bounding-set=-all --inh-caps=-all -- "$@"
	else
		"$@"
	fi
}

names_folder() {
	mkdir -p "$work/closed/lib" && chmod a-w "$work/closed/lib" &&
	! without_privileges make -s -C "$checkout" modules_install KDIR="$tree" \
		DESTDIR="$work/closed" >"$work/out" 2>"$work/err" &&
	[ ! -e "$checkout/build" ] &&
	grep -q "cannot write to $work/closed/lib: run it as root, or set DESTDIR=" "$work/err"
}

installed() {
	local file

	file=$(find "$work/installed/lib/modules/$release" -name 'profil.ko*')
	case $file in
	*.xz) xz -dc "$file" ;;
	*) cat "$file" ;;
	esac >"$work/profil.ko" && [ "$(modinfo -F name "$work/profil.ko")" = profil ]
}

signer() {
	modinfo -F signer "$work/profil.ko"
}

# The build tree of a distribution has no key.
without_key() {
	install_for "$tree" && installed && [ -z "$(signer)" ] &&
	! grep -E 'SSL|sign-file' "$work/err" "$work/out" &&
	grep -q "not signed: .* Secure Boot, see doc/troubleshooting.md" "$work/out"
}

# make_key DIRECTORY NAME KEY CERTIFICATE: creates the files KEY and CERTIFICATE in DIRECTORY
make_key() {
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 36500 -outform DER \
		-subj "/CN=$2/" -keyout "$1/$3" -out "$1/$4" 2>"$work/err"
}

# A module that the user has signed, as in doc/troubleshooting.md, is installed with that signature.
signed_before() {
	local module

	module=$("$checkout/scripts/kernel/build-module" "$tree") &&
	make_key "$work" own mok.key mok.der &&
	"$tree/scripts/sign-file" sha256 "$work/mok.key" "$work/mok.der" "$module" &&
	install_for "$tree" && installed && [ "$(signer)" = own ]
}

# The kernel's key is at the path in CONFIG_MODULE_SIG_KEY.
with_key() {
	local key

	key=$(sed -n 's/^CONFIG_MODULE_SIG_KEY="\?\([^"]*\)"\?$/\1/p' \
		"$tree/include/config/auto.conf") && [ -n "$key" ] &&
	mkdir -p "$tree/$(dirname "$key")" &&
	make_key "$tree" kernel "$key" certs/signing_key.x509 &&
	install_for "$tree" && installed && [ "$(signer)" = kernel ] &&
	! grep 'not signed' "$work/out"
}

# uninstall VARIABLE=VALUE...
uninstall() {
	make -s -C "$checkout" uninstall DESTDIR="$work/installed" "$@" >"$work/out" 2>"$work/err"
}

# The module of a kernel that is named is removed, and not that of another kernel; then all are. The
# lists of depmod do not keep the name. Modules of others, and what DKMS has built, stay.
uninstalled() {
	local modules=$work/installed/lib/modules

	install_for "$tree" && installed &&
	mkdir -p "$modules/other/extra" "$modules/$release/updates/dkms" "$modules/$release/kernel" &&
	touch "$modules/other/extra/profil.ko" "$modules/$release/updates/dkms/profil.ko" \
		"$modules/$release/kernel/none.ko" &&
	echo updates/profil.ko: >"$modules/$release/modules.dep" &&
	uninstall KDIR="$tree" && [ -e "$modules/other/extra/profil.ko" ] &&
	[ "$(cd "$modules/$release" && find . -name '*.ko*' | sort | xargs)" = \
		"./kernel/none.ko ./updates/dkms/profil.ko" ] &&
	! grep '^updates/profil.ko' "$modules/$release/modules.dep" &&
	uninstall KVER=none && [ -e "$modules/other/extra/profil.ko" ] &&
	uninstall && [ ! -e "$modules/other" ]
}

leaves_nothing() {
	install_for "$tree" && installed && uninstall KDIR="$tree" &&
	[ -z "$(find "$work/installed" -mindepth 1)" ]
}

ktap_print_header
ktap_set_plan 9
check "without kernel headers, their package is named" \
	names_package /lib/modules/none/build linux-headers-none
check "without a tree, the package for the running kernel is named" \
	names_package "$work/none" "linux-headers-$(uname -r)"
check "with KVER, the package for that kernel is named" names_package_of_release
check "without the right to write, the folder is named before anything is built" names_folder
check "without the kernel's key, the module is not signed" without_key
check "the signature of a signed module is kept" signed_before
check "with the kernel's key, the module is signed" with_key
check "the module is uninstalled, for one kernel or all" uninstalled
check "installed and uninstalled, the module leaves nothing" leaves_nothing
ktap_finished
