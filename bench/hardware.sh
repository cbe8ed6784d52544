#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a sample costs on this machine, in ns, for HARDWARE=1 bench/run. Needs root, and for perf and
# bpftrace a machine that allows them. Loads the module of the running kernel if none is loaded, and
# unloads it afterwards.
#
# Interruptions without and with a sampler are measured in turn, PAIRS times (7). The median of the
# differences counts, as frequencies and other programs change meanwhile. The machine should be
# idle. A sample at a tick is the difference of two ticks. A sampler with a timer of its own has the
# whole interrupt.

cd "$(dirname "$(readlink -f "$0")")/.." || exit 1

die() { echo "bench/hardware: $1" >&2; exit 1; }

pairs=${PAIRS:-7}
[ "$(id -u)" = 0 ] || die "needs root: run it with sudo"
if [ ! -c /dev/profil ]; then
	tree=/lib/modules/$(uname -r)/build
	[ -e "$tree/Makefile" ] ||
		die "no kernel build tree $tree: install linux-headers-$(uname -r)"
	module=${PROFIL_MODULE:-$(scripts/kernel/build-module "$tree")} && insmod "$module" ||
		die "cannot load the module: see above and the kernel log (dmesg)"
	trap 'rmmod profil' EXIT
fi
hz=$(sed -n 's/^CONFIG_HZ=//p' "/boot/config-$(uname -r)" 2>/dev/null)
: "${hz:=250}"

# The time of the first sampler is that of a processor that still becomes faster.
bench/peers tick "$hz" 1 >/dev/null || exit
for sampler in "tick $hz" "gperftools $hz" "timer 1000" "random 1000" "perf 1000" \
		"perf-count 1000" "bpf 1000"; do
	# shellcheck disable=SC2086 # two arguments
	bench/peers $sampler "$pairs" || echo "bench/hardware: no figure of $sampler" >&2
done
