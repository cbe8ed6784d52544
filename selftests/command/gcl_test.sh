#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# GNU Common Lisp, a Debian package that calls profil(2), unmodified: by the C library, and with
# libprofil preloaded, at another rate, too.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

export GCL_ANSI='' GCL_PROF=''

# counts RATE [VARIABLE=VALUE...]: as many samples as the CPU time has at RATE, within a tenth; and no
# more when the profile is off
counts() {
	local samples later used unit rate=$1

	shift
	env "$@" gcl -batch -load programs/gcl.lsp >"$work/out" 2>"$work/err" &&
	read -r samples later used unit < <(awk '$1 == "samples" { print $2, $3, $5, $6 }' "$work/out") &&
	echo "# $samples samples of $used/$unit s, then $later: $*" &&
	[ "$samples" = "$later" ] && [ "$used" -gt $((unit / 4)) ] &&
	between $((rate * used / unit * 9 / 10)) "$samples" $((rate * used / unit * 11 / 10))
}

ktap_print_header
need_device
ktap_set_plan 3
if command -v gcl >/dev/null; then
	check "by the C library" counts 100
	check "libprofil preloaded" counts 100 LD_PRELOAD=../lib/libprofil.so
	# the C library has no other rate than 100 Hz
	check "libprofil preloaded, at 1000 Hz" counts 1000 LD_PRELOAD=../lib/libprofil.so PROFIL_RATE=1000
else
	for name in "by the C library" "libprofil preloaded" "at 1000 Hz"; do
		ktap_test_skip "$name: no gcl"
	done
fi
ktap_finished
