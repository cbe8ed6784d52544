/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs here do while they are profiled, in the C of the old systems. finish() is where
 * less() ends. There is no function more than these: each has a count of its calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define LOOPS	20000
#define ROUNDS	100

extern int etext();
extern char __executable_start;

long sum;

void much()
{
	register int i;

	for (i = 0; i < 3 * LOOPS; i++)
		sum += i;
}

void less()
{
	register int i;

	for (i = 0; i < LOOPS; i++)
		sum += i;
}

void finish()
{
}

/* Prints the CPU time, and how often another thread took the CPU. */
void print_use(begin)
	clock_t begin;
{
	struct rusage usage;

	printf("seconds %f\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
	getrusage(RUSAGE_SELF, &usage);
	printf("breaks %ld\n", usage.ru_nivcsw);
	fflush(stdout);
}

void work(rounds)
	int rounds;
{
	clock_t begin = clock();
	int i;

	for (i = 0; i < rounds; i++) {
		much();
		less();
	}
	print_use(begin);
}

void check(what, is, wanted)
	char *what;
	int is, wanted;
{
	if (is != wanted) {
		printf("%s is %d, not %d\n", what, is, wanted);
		exit(1);
	}
}
