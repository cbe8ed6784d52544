// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread that stays at a chosen pc on request.
 */
#include "load/spinner.h"

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

int spinner_create(struct spinner *spinner)
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

int spinner_place(struct spinner *spinner, uintptr_t pc)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (spinner->page)
		munmap(spinner->page, 2 * page);
	spinner->page = mmap((void *)(pc & ~(page - 1)), 2 * page,
			     PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
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

void spinner_go(struct spinner *spinner)
{
	sem_post(&spinner->go);
}

void spinner_end(struct spinner *spinner)
{
	spinner->code[1] = 0;
	sem_wait(&spinner->back);
}

double spinner_seconds(const struct spinner *spinner)
{
	struct timespec now = { 0, 0 };

	syscall(SYS_clock_gettime, spinner->clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
