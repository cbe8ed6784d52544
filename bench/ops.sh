#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What operations of an unprofiled process cost: without the module, with the idle module, and while
# another process is sampled. Runs in a guest with one CPU that has not loaded the module, for
# bench/run.

cd "$(dirname "$0")/.." || exit 1

# A file of the host would be waited for.
cp /bin/busybox /run/true || exit
bench/ops none "not loaded" || exit
insmod "$PROFIL_MODULE" || exit
# unused hooks would stay attached for minutes
echo 1 >/sys/module/profil/parameters/max_hook_seconds || exit
for state in none tick random own-tick own-timer perf; do
	label=$state
	[ $state != none ] || label=idle
	bench/ops $state $label || exit
	sleep 3
done
