// SPDX-License-Identifier: GPL-2.0-only
/*
 * stacks DEPTH SECONDS [all] - uses CPU time in spin(), below DEPTH calls of odd() and even(),
 * whose frames differ. With "all" also below a callback of qsort(3) and a signal handler, and in a
 * thread.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE	__attribute__((noinline, noclone))

static volatile unsigned long sink;
static double limit;

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

NOINLINE void spin(unsigned long rounds)
{
	while (rounds--)
		sink += rounds * 7919;
}

NOINLINE int odd(int depth, unsigned long rounds);

NOINLINE int even(int depth, unsigned long rounds)
{
	char room[40];

	memset(room, depth, sizeof(room));
	if (depth <= 1)
		spin(rounds);
	else
		sink += (unsigned long)odd(depth - 1, rounds);
	return room[depth & 31];
}

/* The size of its frame is not known to the compiler. */
NOINLINE int odd(int depth, unsigned long rounds)
{
	char *room = alloca((size_t)(32 + (depth & 3) * 16));

	memset(room, depth, 32);
	if (depth <= 1)
		spin(rounds);
	else
		sink += (unsigned long)even(depth - 1, rounds);
	return room[depth & 31];
}

static int compare(const void *a, const void *b)
{
	spin(300);
	return *(const int *)a - *(const int *)b;
}

static void sort(void)
{
	int numbers[64], i;

	for (i = 0; i < 64; i++)
		numbers[i] = i * 37 % 64;
	qsort(numbers, 64, sizeof(numbers[0]), compare);
	sink += (unsigned long)numbers[3];
}

static void handle(int number)
{
	spin(20000);
	(void)number;
}

static void *run(void *depth)
{
	while (cpu_seconds() < limit)
		sink += (unsigned long)even(*(int *)depth, 20000);
	return NULL;
}

int main(int argc, char **argv)
{
	int depth = argc > 2 ? atoi(argv[1]) : 0;
	const int all = argc > 3;
	pthread_t thread;

	if (depth < 1) {
		fputs("usage: stacks DEPTH SECONDS [all]\n", stderr);
		return 2;
	}
	limit = atof(argv[2]);
	signal(SIGUSR2, handle);
	if (all && pthread_create(&thread, NULL, run, &depth))
		return 1;
	while (cpu_seconds() < limit) {
		sink += (unsigned long)even(depth, 20000);
		if (all) {
			sort();
			raise(SIGUSR2);
		}
	}
	return all ? pthread_join(thread, NULL) : 0;
}
