#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What dkms gets: the folder of sources builds with the kernel's kbuild alone, and without the
# module's tests; kernels that were not tested, or lack an option, are neither built nor left to
# autoinstall, which would fail for them. dkms itself is not needed: dkms.conf is read as dkms does.
# Runs natively, needs no module.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

kernel=$(../scripts/kernel/fetch 6.1) || exit 1
sources=$work/profil
../scripts/package/dkms-tree "$sources" || exit 1
version=$(sed -n 's/^PROFIL_VERSION := //p' ../version.mk)
# the range of another file than the project's, so that the tests hold for each of its values
sed -i -e 's/^KERNEL_MIN=.*/KERNEL_MIN="5.10"/' -e 's/^KERNEL_MAX=.*/KERNEL_MAX="6.12"/' \
	"$sources/supported-kernels" || exit 1

# build DIRECTORY MAKE-ARGUMENT...: in a copy
build() {
	rm -rf "$work/build" && cp -r "$1" "$work/build" &&
	make -s -j2 -C "$kernel/build" M="$work/build" "${@:2}" modules >"$work/out" 2>"$work/err"
}

# What make -C ${kernel_source_dir} M=... of dkms.conf does, also for a kernel that has KUnit
builds_alone() {
	build "$sources" CONFIG_KUNIT=m && [ "$(modinfo -F name "$work/build/module/profil.ko")" = profil ] &&
	[ "$(modinfo -F version "$work/build/module/profil.ko")" = "$version" ] &&
	[ ! -e "$work/build/module/tests" ]
}

# The whole checkout without scripts/kernel/build-module, as another packager may build it
builds_no_tests() {
	mkdir "$work/checkout" && (cd .. && git ls-files -z Kbuild version.mk module uapi |
		xargs -0 cp --parents -t "$work/checkout") &&
	[ -e "$work/checkout/module/tests/Kbuild" ] &&
	build "$work/checkout" CONFIG_KUNIT=m && [ -e "$work/build/module/profil.ko" ] &&
	[ -z "$(find "$work/build/module/tests" -name '*.o' -o -name '*.ko')" ]
}

# --- dkms.conf, read as by dkms: in a function below the one with a local kernelver ---

# source_conf VARIABLE
source_conf() {
	# shellcheck source=../../module/dkms.conf
	(. "$sources/dkms.conf" && echo "${!1}")
}

# read_conf KERNEL VARIABLE
read_conf() {
	# shellcheck disable=SC2034 # for dkms.conf
	local kernelver=$1 kernel_source_dir=/lib/modules/$1/build dkms_tree=/var/lib/dkms

	source_conf "$2"
}

# is_built RELEASE: for dkms build
is_built() {
	local pattern

	kernelver=("$1")
	pattern=$(read_conf "$1" BUILD_EXCLUSIVE_KERNEL) && [[ -z $pattern || $1 =~ $pattern ]]
}

# is_autoinstalled RELEASE [OTHER]: OTHER is the kernel of an earlier build
is_autoinstalled() {
	kernelver=("$1")
	[ "$(read_conf "${2-}" AUTOINSTALL)" = yes ]
}

tested_kernels() {
	local release

	for release in 5.10.0-32-amd64 5.15.0-100-generic 6.1.0-56-amd64 6.12.117+deb12-amd64 6.12; do
		is_built $release && is_autoinstalled $release && is_autoinstalled $release 9.9.0 ||
			return
	done
}

untested_kernels() {
	local release

	for release in 4.19.0-27-amd64 5.9.0 5.4.200 6.13.0 6.120.1 7.0-rc1 10.1.0; do
		! is_built $release && ! is_autoinstalled $release &&
		! is_autoinstalled $release 6.1.0 || return
	done
}

# Not asked for a kernel, as by dkms add: no reason to refuse
no_kernel() {
	kernelver=()
	[ -z "$(read_conf "" BUILD_EXCLUSIVE_KERNEL)" ] && [ "$(read_conf "" AUTOINSTALL)" = yes ]
}

options() {
	local config=$work/modules/6.1.0/build/.config install_tree=$work/modules option

	mkdir -p "${config%/*}" && cp "$kernel/build/.config" "$config" && is_autoinstalled 6.1.0 || return
	[ "$(read_conf 6.1.0 BUILD_EXCLUSIVE_CONFIG | wc -w)" = 4 ] || return
	for option in $(read_conf 6.1.0 BUILD_EXCLUSIVE_CONFIG); do
		grep -v "^$option=" "$kernel/build/.config" >"$config"
		! is_autoinstalled 6.1.0 || return
	done
}

# As in doc/kernels.md: no kernel is built that no test has seen
tested_range() {
	local KERNEL_MIN KERNEL_MAX

	# shellcheck source=../../module/supported-kernels
	. ../module/supported-kernels
	grep -q "^| $KERNEL_MIN |" ../doc/kernels.md && grep -q "^| $KERNEL_MAX |" ../doc/kernels.md
}

build_command() {
	[ "$(read_conf 6.1.0 'MAKE[0]')" = \
		"make -C /lib/modules/6.1.0/build M=/var/lib/dkms/profil/$version/build modules" ]
}

ktap_print_header
ktap_set_plan 8
check "the folder for dkms builds by kbuild alone, without tests" builds_alone
check "kbuild builds no tests of a checkout, also with CONFIG_KUNIT=m" builds_no_tests
check "dkms calls kbuild for the kernel that it is asked for" build_command
check "tested kernels are built, and by autoinstall" tested_kernels
check "untested kernels are skipped, also after another kernel was built" untested_kernels
check "without a kernel, nothing is refused" no_kernel
check "kernels without an option are skipped" options
check "the oldest and the newest kernel are in doc/kernels.md" tested_range
ktap_finished
