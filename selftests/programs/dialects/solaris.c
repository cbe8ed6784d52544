/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2) as documented for SunOS 5: bufsiz is the size of the region times RATIO, scale is RATIO
 * times 0200000.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RATIO	0.5
#define LOOPS	2000

long	sum;

void
much()
{
	register int i;

	for (i = 0; i < 3 * LOOPS; i++)
		sum += i;
}

void
less()
{
	register int i;

	for (i = 0; i < LOOPS; i++)
		sum += i;
}

void
finish()
{
}

/* Sum of the counters from one address to another. */
long
total(buff, from, to)
	unsigned short *buff;
	void (*from)(), (*to)();
{
	unsigned i = ((char *)from - (char *)much) * RATIO / sizeof *buff;
	unsigned end = ((char *)to - (char *)much) * RATIO / sizeof *buff;
	long n = 0;

	while (i < end)
		n += buff[i++];
	return n;
}

int
main()
{
	unsigned size = (char *)finish - (char *)much;
	unsigned bufsiz = size * RATIO;
	unsigned short *buff;
	clock_t end;

	buff = (unsigned short *)calloc(bufsiz, 1);
	if (buff == NULL) {
		perror("solaris");
		exit(1);
	}
	profil(buff, bufsiz, (unsigned long)much, (unsigned)(RATIO * 0200000L));
	end = clock() + CLOCKS_PER_SEC / 10 * 7;
	while (clock() < end) {
		much();
		less();
	}
	profil((unsigned short *)0, 0, 0, 0);
	printf("much %ld\n", total(buff, much, less));
	printf("less %ld\n", total(buff, less, finish));
	exit(0);
}
