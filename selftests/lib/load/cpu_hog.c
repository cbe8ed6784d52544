// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps all CPUs but one busy with real-time processes.
 */
#include "load/cpu_hog.h"

int start_cpu_hogs(pid_t spinners[MAX_CPU_HOGS])
{
	struct sched_param high = { .sched_priority = 2 };
	struct sched_param low = { .sched_priority = 1 };
	int i, nr = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;

	if (nr > MAX_CPU_HOGS || sched_setscheduler(0, SCHED_FIFO, &high))
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

void stop_cpu_hogs(const pid_t *spinners, int nr)
{
	struct sched_param normal = { 0 };

	while (nr--) {
		kill(spinners[nr], SIGKILL);
		wait_for(spinners[nr]);
	}
	sched_setscheduler(0, SCHED_OTHER, &normal);
}
