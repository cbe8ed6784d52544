#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs written from one manual page alone (../host/pages_test.sh, which runs all their builds):
# with the module, the counter that the page specifies is incremented, and each call that turns
# profiling off on the page does so.

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

# A program stays at one instruction until 20 samples are due, which is 20 ms of CPU time.
passes() {
	PROFIL_RATE=1000 "$1" && return
	echo "# $1: status $?"
	false
}

# The first count at the rate of the page's system: ten times the CPU time. Below the tick rate, the
# kernel samples at the tick; libprofil/dialects_test does everything else there.
passes_at_default_rate() {
	env -u PROFIL_RATE "$1" once && return
	echo "# $1: status $?"
	false
}

# A program that is not linked again: the environment selects the dialect of libprofil's profil().
passes_by_environment() {
	PROFIL_DIALECT=$1 LD_PRELOAD=../lib/libprofil.so passes "programs/pages/$1-gnu17-O2"
}

pages=(solaris bsd linux099 osf1 aix svid)

ktap_print_header
need_device
ktap_set_plan $((3 * ${#pages[@]}))
for page in "${pages[@]}"; do
	program=programs/pages/$page-gnu17-O2
	check "$page" passes "$program"
	check "$page, default rate" passes_at_default_rate "$program"
	check "$page, PROFIL_DIALECT" passes_by_environment "$page"
done
ktap_finished
