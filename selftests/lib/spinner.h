/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that is at one chosen pc, exactly, and the only one of the process
 * that can be counted.
 *
 * The pc lies above SPINNER_LOWEST, or SPINNER_LOW where addresses must have 32 bits. The
 * program is linked statically at its fixed address below both, so that whatever else runs
 * meanwhile lies below each offset from there on. The kernel's vdso does not: while a
 * profile runs, nothing calls what lies there.
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
	volatile unsigned char *code;	/* where it is to be */
	void *page;
};

/* 0 or errno. */
int spinner_create(struct spinner *spinner);

/* Have code at a pc, in memory that nobody uses. 0 or errno. */
int spinner_place(struct spinner *spinner, uintptr_t pc);

/* Have it go there, and stay. It may arrive a little later. */
void spinner_go(struct spinner *spinner);

/* Have it come back. */
void spinner_end(struct spinner *spinner);

/* CPU time that it has used, not by way of the vdso. */
double spinner_seconds(const struct spinner *spinner);

#endif /* SELFTESTS_SPINNER_H */
