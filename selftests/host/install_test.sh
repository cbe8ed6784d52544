#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make modules_install: without a build tree it names the package that is missing; the module
# is signed where the kernel's key is, and where it is not, that is said without an error.
# INSTALL_KERNEL is the kernel. Nothing is installed on this machine. Runs natively, needs no
# module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

kernel=$(../scripts/kernel/fetch "${INSTALL_KERNEL:-6.12}") || exit 1
release=$(<"$kernel/release")
# A tree of links to the kernel's, to which a key can be added
tree=$work/tree
mkdir -p "$tree/certs" &&
	find "$kernel/build/" -mindepth 1 -maxdepth 1 -exec ln -s -t "$tree" {} +
# The modules in build/ may be in use by guests
checkout=$work/checkout
mkdir "$checkout" && cp -r ../Makefile ../version.mk ../module ../uapi ../scripts "$checkout"

# install_for TREE: into $work/installed
install_for() {
	rm -rf "$work/installed"
	make -s -C "$checkout" modules_install KDIR="$1" DESTDIR="$work/installed" \
		>"$work/out" 2>"$work/err"
}

# names_package TREE PACKAGE: one line does, and nothing is installed
names_package() {
	! install_for "$1" && [ ! -e "$work/installed" ] &&
	[ "$(grep -vc '^make' "$work/err")" = 1 ] &&
	grep -q "no kernel build tree $1: install the package $2," "$work/err"
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

# What a distribution's tree is: without the key
without_key() {
	install_for "$tree" && installed && [ -z "$(signer)" ] &&
	! grep -E 'SSL|sign-file' "$work/err" "$work/out" &&
	grep -q "not signed: .* Secure Boot, see doc/troubleshooting.md" "$work/out"
}

# make_key DIRECTORY NAME KEY CERTIFICATE
make_key() {
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 36500 -outform DER \
		-subj "/CN=$2/" -keyout "$1/$3" -out "$1/$4" 2>"$work/err"
}

# As doc/troubleshooting.md says: the signature of one's own is installed with the module.
signed_before() {
	local module

	module=$("$checkout/scripts/kernel/build-module" "$tree") &&
	make_key "$work" own mok.key mok.der &&
	"$tree/scripts/sign-file" sha256 "$work/mok.key" "$work/mok.der" "$module" &&
	install_for "$tree" && installed && [ "$(signer)" = own ]
}

# The key is where CONFIG_MODULE_SIG_KEY has it.
with_key() {
	local key

	key=$(sed -n 's/^CONFIG_MODULE_SIG_KEY="\?\([^"]*\)"\?$/\1/p' \
		"$tree/include/config/auto.conf") && [ -n "$key" ] &&
	mkdir -p "$tree/$(dirname "$key")" &&
	make_key "$tree" kernel "$key" certs/signing_key.x509 &&
	install_for "$tree" && installed && [ "$(signer)" = kernel ] &&
	! grep 'not signed' "$work/out"
}

ktap_print_header
ktap_set_plan 5
check "no headers: their package is named" \
	names_package /lib/modules/none/build linux-headers-none
check "no tree: the running kernel's package is named" \
	names_package "$work/none" "linux-headers-$(uname -r)"
check "a tree without the kernel's key" without_key
check "a module that is signed before" signed_before
check "a tree with the kernel's key" with_key
ktap_finished
