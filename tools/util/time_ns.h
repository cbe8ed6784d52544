/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times in ns.
 */
#ifndef PROFIL_TIME_NS_H
#define PROFIL_TIME_NS_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#define NS_PER_S	((uint64_t)1000000000)

/* The time of a clock in ns; 0: no such clock. */
static inline uint64_t time_ns(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

/*
 * The CPU time of a process with all its threads in ns; 0: no such process. A zombie still has its
 * clock, with its final CPU time.
 */
static inline uint64_t time_cpu_ns(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : time_ns(clock);
}

/* CPU time of a process and the children for which it has waited, in ns; the kernel rounds it. */
static inline uint64_t time_usage_ns(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
}

/* Convert a time of stat(2). Return: the time in ns since 1970 UTC. */
static inline int64_t time_stat_ns(const struct timespec *time)
{
	return (int64_t)time->tv_sec * (int64_t)NS_PER_S + time->tv_nsec;
}

#endif /* PROFIL_TIME_NS_H */
