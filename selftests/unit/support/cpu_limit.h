/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A limit for what would go on for hours, or forever.
 */
#ifndef CPU_LIMIT_H
#define CPU_LIMIT_H

#include <sys/time.h>

/*
 * End this process when it has used so much more CPU time; 0: no more. On a busy machine, that may
 * take any time.
 */
static inline void cpu_limit(time_t seconds)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
}

#endif /* CPU_LIMIT_H */
