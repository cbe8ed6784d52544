/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * monitor(3) of the Seventh Edition and of 3BSD, written anew from its page: an interface to
 * profil(2), with a buffer of the program, which has the range, room for call counts, and
 * counters as far as they go. monitor(0) writes mon.out, for prof(1). The scale is a fraction of
 * 15 bits, doubled, as a computer with words of 16 bits computes it.
 *
 * The program spends 60, 30 and 10 % of its time in three functions.
 */
#include "corpus.h"

extern void profil();

struct header {
	char *low;
	char *high;
	unsigned long ncount;
};

#define COUNTERS(buffer)	((unsigned short *)((struct header *)(buffer) + 1))

static short *monitored;
static int size_in_words;

int monitor(lowpc, highpc, buffer, bufsize, nfunc)
	int (*lowpc)(), (*highpc)();
	short buffer[];
	int bufsize, nfunc;
{
	int words = bufsize - (int)(sizeof(struct header) / sizeof(short));
	long pairs = ((char *)highpc - (char *)lowpc + 1) / 2;
	struct header *header = (struct header *)buffer;
	FILE *file;

	(void)nfunc;	/* no functions are compiled with -p here */
	if (!lowpc) {
		profil((char *)0, 0, 0, 0);
		file = fopen("mon.out", "w");
		if (!file || fwrite((char *)monitored, sizeof(short), (size_t)size_in_words,
				    file) != (size_t)size_in_words || fclose(file))
			exit(1);
		return 0;
	}
	monitored = buffer;
	size_in_words = bufsize;
	header->low = (char *)lowpc;
	header->high = (char *)highpc;
	header->ncount = 0;
	profil((char *)COUNTERS(buffer), words * (int)sizeof(short), lowpc,
	       words < pairs ? (int)(((long)words << 15) / pairs) << 1 : 0177776);
	return 0;
}

int six()
{
	STAY(6);
	return 0;
}

int three()
{
	STAY(3);
	return 0;
}

int one()
{
	STAY(1);
	return 0;
}

int after()
{
	return 0;
}

#define BYTES_FOR_COUNTER	4
#define ROUNDS			60

int main()
{
	int words = (int)(sizeof(struct header) / sizeof(short)) +
		((char *)after - (char *)six + BYTES_FOR_COUNTER - 1) / BYTES_FOR_COUNTER;
	short *buffer = (short *)calloc((size_t)words, sizeof(short));
	int (*functions[4])();
	long sums[3] = { 0, 0, 0 }, total;
	int i, function = 0;

	functions[0] = six;
	functions[1] = three;
	functions[2] = one;
	functions[3] = after;
	monitor(six, after, buffer, words, 0);
	for (i = 0; i < ROUNDS; i++) {
		six();
		three();
		one();
	}
	for (i = 0; i < words - (int)(sizeof(struct header) / sizeof(short)); i++) {
		/* a counter of two functions is that of the first one */
		while ((char *)functions[function + 1] <= (char *)six + i * BYTES_FOR_COUNTER)
			function++;
		sums[function] += COUNTERS(buffer)[i];
	}
	monitor((int (*)())0, (int (*)())0, (short *)0, 0, 0);
	total = sums[0] + sums[1] + sums[2];
	printf("# %ld, %ld and %ld samples\n", sums[0], sums[1], sums[2]);
	check(is_share(sums[0], total, 0.6), "not 60 %", sums[0]);
	check(is_share(sums[1], total, 0.3), "not 30 %", sums[1]);
	check(is_share(sums[2], total, 0.1), "not 10 %", sums[2]);
	return errors;
}
