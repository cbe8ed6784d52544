// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that calls profil(), for fallback_test.sh. It prints the number of samples in a third
 * of a second of CPU time.
 */
#include <stdio.h>
#include <time.h>

#include "profil.h"

static unsigned short counters[32768];

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

int main(void)
{
	unsigned long sum = 0;
	double end;
	volatile size_t work = 0;
	size_t i;
	int turn;

	/* twice: the library must print its message only once */
	for (turn = 0; turn < 2; turn++) {
		/* the low 2 GiB: 64 KiB of text per counter */
		if (profil(counters, sizeof(counters), 0, 2)) {
			perror("profil");
			return 1;
		}
		for (end = cpu_seconds() + 0.17; cpu_seconds() < end;)
			for (i = 0; i < 100000; i++)
				work += i;
		if (profil(counters, 0, 0, 0))
			return 1;
	}
	for (i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		sum += counters[i];
	printf("%lu\n", sum);
	return 0;
}
