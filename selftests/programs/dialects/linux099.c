/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil() of Linux 0.99.11 with DLL 4.4.1. All integer arguments are ints.
 */
#include <unistd.h>
#include <stdio.h>
#include <time.h>

#define LOOPS	2000
#define BYTES	4096

static long sum;
static unsigned short buf[BYTES / 2];

void much(void)
{
	int i;

	for (i = 0; i < 3 * LOOPS; i++)
		sum += i;
}

void less(void)
{
	int i;

	for (i = 0; i < LOOPS; i++)
		sum += i;
}

void finish(void)
{
}

/* One short for each 4 bytes of text. */
static long total(int from, int to)
{
	long n = 0;

	for (from -= (int)much, to -= (int)much; from < to; from += 4)
		n += buf[from / 4];
	return n;
}

int main(void)
{
	clock_t end;

	profil((char *)buf, BYTES, (int)much, 0x8000);
	end = clock() + CLOCKS_PER_SEC / 10 * 7;
	while (clock() < end) {
		much();
		less();
	}
	profil(NULL, 0, 0, 0);
	printf("much %ld\n", total((int)much, (int)less));
	printf("less %ld\n", total((int)less, (int)finish));
	return 0;
}
