#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a sample costs, and how much memory processes take, if there are thousands of them:
# unprofiled, attached, and with a profile of their own. Runs in a guest with one CPU, for
# bench/run; with as many processes as its argument says, on machines to which CPUs can be added.

cd "$(dirname "$0")/.." || exit 1

NUMBER=${1-10000}

# The first measures interrupts without hooks of the module.
echo 1 >/sys/module/profil/parameters/max_hook_seconds || exit
for run in "none $NUMBER" "attached 1" "attached $NUMBER" "sessions $NUMBER"; do
	# shellcheck disable=SC2086 # two arguments
	bench/scale $run || exit
	# the hooks are detached a second after their last use
	sleep 3
done
