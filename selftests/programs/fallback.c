// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that calls profil(), for fallback_test.sh. It prints the number of samples in a third
 * of a second of CPU time. It stops while a sample waits: nothing is left that would end it.
 */
#include <signal.h>
#include <stdio.h>
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

int main(void)
{
	unsigned long sum = 0;
	size_t i;
	int turn;

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
