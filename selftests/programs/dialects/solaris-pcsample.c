/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pcsample(2) of Solaris: the samples, and their number, which the call that stops sampling
 * returns.
 */
#include <pcsample.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NSAMPLES	4096
#define LOOPS		2000

static long sum;
static uintptr_t samples[NSAMPLES];

void
much(void)
{
	int i;

	for (i = 0; i < 3 * LOOPS; i++)
		sum += i;
}

void
less(void)
{
	int i;

	for (i = 0; i < LOOPS; i++)
		sum += i;
}

void
finish(void)
{
}

static long
total(long n, void (*from)(void), void (*to)(void))
{
	long i, found = 0;

	for (i = 0; i < n; i++)
		if (samples[i] >= (uintptr_t)from && samples[i] < (uintptr_t)to)
			found++;
	return (found);
}

int
main(void)
{
	clock_t end;
	long n;

	if (pcsample(samples, NSAMPLES) != 0) {
		perror("pcsample");
		return (1);
	}
	end = clock() + CLOCKS_PER_SEC / 10 * 7;
	while (clock() < end) {
		much();
		less();
	}
	n = pcsample(NULL, 0);
	(void) printf("much %ld\n", total(n, much, less));
	(void) printf("less %ld\n", total(n, less, finish));
	return (0);
}
