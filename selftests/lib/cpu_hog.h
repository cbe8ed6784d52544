/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine whose processors are taken, so that no worker gets one: for most of a
 * second, after which the kernel gives them a part of each.
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
 * Take all CPUs but one, before all that is not of a higher priority than us. Return: how
 * many; -1 without the right to.
 */
int start_cpu_hogs(pid_t spinners[MAX_CPU_HOGS]);

void stop_cpu_hogs(const pid_t *spinners, int nr);

#endif /* SELFTESTS_CPU_HOG_H */
