/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2) of 4.4BSD, as monitor() of a contemporary C library calls it: half as many bytes of
 * counters as of text, and the corresponding scale. Addresses are ints, as on the manual page.
 */
#include <sys/types.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HISTFRACTION	2
#define LOOPS		2000

static long sum;
static u_short *hist;
static int lowpc;

void
much()
{
	int i;

	for (i = 0; i < 3 * LOOPS; i++)
		sum += i;
}

void
less()
{
	int i;

	for (i = 0; i < LOOPS; i++)
		sum += i;
}

void
finish()
{
}

static long
total(from, to)
	int from, to;
{
	long n = 0;
	int i;

	for (i = (from - lowpc) / (2 * HISTFRACTION);
	     i < (to - lowpc) / (2 * HISTFRACTION); i++)
		n += hist[i];
	return (n);
}

int
main(argc, argv)
	int argc;
	char **argv;
{
	clock_t end;
	int size;

	lowpc = (int)much;
	size = ((int)finish - lowpc) / HISTFRACTION & ~1;
	hist = (u_short *)malloc(size);
	if (hist == NULL)
		exit(1);
	bzero(hist, size);
	/* an illegal address must be reported */
	if (profil((char *)64, size, lowpc, 65536 / HISTFRACTION) != -1 ||
	    errno != EFAULT) {
		fprintf(stderr, "%s: no EFAULT\n", argv[0]);
		exit(1);
	}
	if (profil((char *)hist, size, lowpc, 65536 / HISTFRACTION) < 0) {
		perror(argv[0]);
		exit(1);
	}
	end = clock() + CLOCKS_PER_SEC / 10 * 7;
	while (clock() < end) {
		much();
		less();
	}
	profil((char *)0, 0, 0, 0);
	printf("much %ld\n", total((int)much, (int)less));
	printf("less %ld\n", total((int)less, (int)finish));
	exit(0);
}
