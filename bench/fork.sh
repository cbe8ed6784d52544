#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a profile costs besides its samples: a fork of the profiled process, and start, status and
# stop. Runs in a guest with one CPU, for bench/run.

cd "$(dirname "$0")/.." || exit 1

bench/fork 60 && bench/session
