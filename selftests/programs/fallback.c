// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that calls profil(), for fallback_test.sh. It prints the number of samples in a third
 * of a second of CPU time. It stops while a sample waits: nothing is left that would end it. With
 * "threads", several threads replace and stop the profile of the process meanwhile.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "profil.h"

static unsigned short counters[32768];

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void spin(double seconds)
{
	const double end = cpu_seconds() + seconds;
	volatile size_t work = 0;
	size_t i;

	while (cpu_seconds() < end)
		for (i = 0; i < 100000; i++)
			work += i;
}

static int stop_while_blocked(void)
{
	sigset_t timer, before;
	int failed;

	sigemptyset(&timer);
	sigaddset(&timer, SIGPROF);
	sigprocmask(SIG_BLOCK, &timer, &before);
	/* as long as ten samples take: one waits */
	spin(0.1);
	failed = profil(counters, 0, 0, 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return failed;
}

#define PAGE	4096
#define REPLACERS	4
#define SIGNALS	200000

extern const char __executable_start[], etext[];

static volatile bool ended;

/*
 * Buffers of different sizes, with a counter for each two bytes of text. Nothing can be written behind
 * them: a sample that takes the size of another one ends the program.
 */
static void *replace_and_stop(void *pages)
{
	const size_t bytes = (size_t)pages * PAGE;
	char *memory = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned short *own = (unsigned short *)(void *)memory;

	if (memory == MAP_FAILED || mprotect(memory + bytes, PAGE, PROT_NONE))
		exit(1);
	while (!ended) {
		profil(own, bytes, (size_t)__executable_start, 0x10000);
		profil(own, 0, 0, 0);
	}
	return NULL;
}

static void *spin_on(void *unused)
{
	while (!ended)
		spin(0.01);
	return unused;
}

/* The signals of the timer come seldom: this sends more, which nobody else takes. */
static int run_threads(void)
{
	const size_t pages = (size_t)(etext - __executable_start) / PAGE + 1;
	pthread_t sampled, replacers[REPLACERS];
	size_t i;

	signal(SIGPROF, SIG_IGN);
	if (pthread_create(&sampled, NULL, spin_on, NULL))
		return 1;
	for (i = 0; i < REPLACERS; i++)
		if (pthread_create(&replacers[i], NULL, replace_and_stop,
				   (void *)(i % 2 ? pages : 1)))
			return 1;
	for (i = 0; i < SIGNALS; i++)
		pthread_kill(sampled, SIGPROF);
	ended = true;
	for (i = 0; i < REPLACERS; i++)
		pthread_join(replacers[i], NULL);
	pthread_join(sampled, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long sum = 0;
	size_t i;
	int turn;

	if (argc > 1 && !strcmp(argv[1], "threads"))
		return run_threads();
	/* twice: the library must print its message only once */
	for (turn = 0; turn < 2; turn++) {
		/* the low 2 GiB: 64 KiB of text per counter */
		if (profil(counters, sizeof(counters), 0, 2)) {
			perror("profil");
			return 1;
		}
		spin(0.17);
		if (stop_while_blocked())
			return 1;
	}
	for (i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		sum += counters[i];
	printf("%lu\n", sum);
	return 0;
}
