/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that stays at exactly one chosen pc, and is the only one of the process that can be
 * counted.
 *
 * The pc is above SPINNER_LOWEST, or SPINNER_LOW if addresses must fit in 32 bits. The program is
 * static, at a fixed address below both, so that all its other code is below the profiled offset.
 * The kernel's vdso is not, so nothing calls it while a profile runs.
 */
#ifndef SELFTESTS_SPINNER_H
#define SELFTESTS_SPINNER_H

#include <semaphore.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "common.h"

#define SPINNER_LOW	0x10000000UL
#if __SIZEOF_LONG__ > 4
#define SPINNER_LOWEST	0x200000000UL
#else
#define SPINNER_LOWEST	SPINNER_LOW
#endif

struct spinner {
	pthread_t thread;
	clockid_t clock;
	sem_t go;
	sem_t back;
	volatile unsigned char *code;	/* where the thread stays */
	void *page;
};

/* Returns 0 or an errno. */
int spinner_create(struct spinner *spinner);

/* Maps the loop at @pc, if the memory there is free. Returns 0 or an errno. */
int spinner_place(struct spinner *spinner, uintptr_t pc);

/* Sends the thread there. It may arrive a little later. */
void spinner_go(struct spinner *spinner);

/* Makes the thread come back. */
void spinner_end(struct spinner *spinner);

/* Returns the thread's CPU time, without a call of the vdso. */
double spinner_seconds(const struct spinner *spinner);

#endif /* SELFTESTS_SPINNER_H */
