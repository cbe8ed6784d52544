/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine whose processors are taken, so that no worker gets one: for most of a
 * second, after which the kernel gives them a part of each.
 */
#ifndef SELFTESTS_CROWD_H
#define SELFTESTS_CROWD_H

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "child.h"
#include "common.h"

#define MOST_CROWDED	200

/*
 * Take all CPUs but one, before all that is not of a higher priority than us. Return: how
 * many; -1 without the right to.
 */
static inline int crowd(pid_t spinners[MOST_CROWDED])
{
	struct sched_param high = { .sched_priority = 2 };
	struct sched_param low = { .sched_priority = 1 };
	int i, nr = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;

	if (nr > MOST_CROWDED || sched_setscheduler(0, SCHED_FIFO, &high))
		return -1;
	for (i = 0; i < nr; i++) {
		spinners[i] = fork();
		if (!spinners[i]) {
			sched_setscheduler(0, SCHED_FIFO, &low);
			for (;;)
				burn(1);
		}
	}
	return nr;
}

static inline void uncrowd(const pid_t *spinners, int nr)
{
	struct sched_param normal = { 0 };

	while (nr--) {
		kill(spinners[nr], SIGKILL);
		wait_for(spinners[nr]);
	}
	sched_setscheduler(0, SCHED_OTHER, &normal);
}

#endif /* SELFTESTS_CROWD_H */
