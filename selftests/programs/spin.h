/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ways in which the programs that tests profile use CPU time.
 */
#ifndef SELFTESTS_SPIN_H
#define SELFTESTS_SPIN_H

#include <time.h>

/* The CPU time of this process */
static inline double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/*
 * SPIN - define a function that spins until the process has used so many seconds
 *
 * Two of them are the same work, which the compiler must not merge.
 */
#define SPIN(name)							\
	void name(double until);					\
	void __attribute__((noinline, noclone)) name(double until)	\
	{								\
		static volatile unsigned long sink;			\
		unsigned long i;					\
									\
		while (cpu_seconds() < until)				\
			for (i = 0; i < 400000; i++)			\
				sink += i;				\
	}

/* Count a variable down to 0. */
#define COUNT_DOWN(times)						\
	do {								\
		while ((times)--)					\
			__asm__ volatile("" : "+r"(times));		\
	} while (0)

#endif /* SELFTESTS_SPIN_H */
