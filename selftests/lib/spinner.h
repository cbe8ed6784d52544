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

static void *spinner_run(void *argument)
{
	struct spinner *spinner = argument;

	for (;;) {
		sem_wait(&spinner->go);
		((void (*)(void))spinner->code)();
		sem_post(&spinner->back);
	}
	return NULL;
}

/* 0 or errno. */
static inline int spinner_create(struct spinner *spinner)
{
	extern char etext;
	int error;

	if ((uintptr_t)&etext > SPINNER_LOW)
		return ERANGE;
	spinner->page = NULL;
	sem_init(&spinner->go, 0, 0);
	sem_init(&spinner->back, 0, 0);
	error = pthread_create(&spinner->thread, NULL, spinner_run, spinner);
	return error ? error :
	       pthread_getcpuclockid(spinner->thread, &spinner->clock);
}

/* Have code at a pc, in memory that nobody uses. 0 or errno. */
static inline int spinner_place(struct spinner *spinner, uintptr_t pc)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (spinner->page)
		munmap(spinner->page, 2 * page);
	spinner->page = mmap((void *)(pc & ~(page - 1)), 2 * page,
			     PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			     -1, 0);
	if (spinner->page == MAP_FAILED) {
		spinner->page = NULL;
		return errno;
	}
	spinner->code = (unsigned char *)pc;
	spinner->code[0] = 0xeb;	/* jump ... */
	spinner->code[1] = 0xfe;	/* ... to itself; 0: to what follows */
	spinner->code[2] = 0xc3;	/* return */
	return 0;
}

/* Have it go there, and stay. It may arrive a little later. */
static inline void spinner_go(struct spinner *spinner)
{
	sem_post(&spinner->go);
}

/* Have it come back. */
static inline void spinner_end(struct spinner *spinner)
{
	spinner->code[1] = 0;
	sem_wait(&spinner->back);
}

/* CPU time that it has used, not by way of the vdso. */
static inline double spinner_seconds(const struct spinner *spinner)
{
	struct timespec now = { 0, 0 };

	syscall(SYS_clock_gettime, spinner->clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif /* SELFTESTS_SPINNER_H */
