/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil() of AIX, second form: an array of struct prof with a range for each routine. The scale of
 * a range follows from the size of its part of the buffer.
 */
#include <mon.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NRANGES	2
#define LOOPS	2000

long sum;
struct prof ranges[NRANGES + 1];

void much()
{
	int i;

	for (i = 0; i < 3 * LOOPS; i++)
		sum += i;
}

void less()
{
	int i;

	for (i = 0; i < LOOPS; i++)
		sum += i;
}

void finish()
{
}

static void fill(p, low, high, buffer)
	struct prof *p;
	void (*low)(), (*high)();
	HISTCOUNTER *buffer;
{
	p->p_low = (caddr_t)low;
	p->p_high = (caddr_t)high;
	p->p_buff = buffer;
	/* as many bytes as the text has, in whole counters */
	p->p_bufsize = ((p->p_high - p->p_low) & ~1);
	p->p_scale = -1;
}

static long total(p)
	struct prof *p;
{
	long n = 0;
	int i;

	for (i = 0; i < p->p_bufsize / sizeof(HISTCOUNTER); i++)
		n += p->p_buff[i];
	return n;
}

int main()
{
	HISTCOUNTER *buffer;
	struct prof none;
	clock_t end;

	buffer = (HISTCOUNTER *)calloc(1, (caddr_t)finish - (caddr_t)much);
	fill(&ranges[0], much, less, buffer);
	fill(&ranges[1], less, finish,
	     buffer + ranges[0].p_bufsize / sizeof(HISTCOUNTER));
	ranges[NRANGES].p_high = 0;
	errno = 0;
	profil(ranges, -1, 0, 0);
	if (errno) {
		perror("profil");
		exit(1);
	}
	end = clock() + CLOCKS_PER_SEC / 10 * 7;
	while (clock() < end) {
		much();
		less();
	}
	none.p_high = 0;
	profil(&none, -1, 0, 0);
	printf("much %ld\n", total(&ranges[0]));
	printf("less %ld\n", total(&ranges[1]));
	exit(0);
}
