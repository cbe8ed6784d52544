/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real-time processes that keep all CPUs but one busy, so that no worker runs there: for most of a
 * second, after which the kernel's real-time throttling lets others run.
 */
#ifndef SELFTESTS_CPU_HOG_H
#define SELFTESTS_CPU_HOG_H

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "child.h"
#include "common.h"

#define MAX_CPU_HOGS	200

/*
 * Starts a busy process for all CPUs but one, and gives the caller a higher real-time priority than
 * theirs. Returns the number of processes; -1 without the right to do so.
 */
int start_cpu_hogs(pid_t spinners[MAX_CPU_HOGS]);

void stop_cpu_hogs(const pid_t *spinners, int nr);

#endif /* SELFTESTS_CPU_HOG_H */
