/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of Icon's program monitors, written anew from the description of its E_Tick event:
 * profil(2) with a scale of 2 counts the ticks in a few counters, wherever the program is. At each
 * instruction of the language, the interpreter compares their sum with the last one, and reports an
 * event if it differs. There is no system call.
 */
#include "corpus.h"

extern void profil();

static union {
	unsigned short counters[16];
	volatile unsigned long words[32 / sizeof(unsigned long)];
} ticker;

static unsigned long old_sum;

static unsigned long sum_of_words()
{
	unsigned long sum = 0;
	unsigned i;

	for (i = 0; i < sizeof(ticker.words) / sizeof(ticker.words[0]); i++)
		sum += ticker.words[i];
	return sum;
}

static long ticks()
{
	long sum = 0;
	int i;

	for (i = 0; i < 16; i++)
		sum += ticker.counters[i];
	return sum;
}

static int instruction()
{
	unsigned long sum;

	STAY(1);
	sum = sum_of_words();
	if (sum == old_sum)
		return 0;
	old_sum = sum;
	return 1;
}

#define INSTRUCTIONS	400

int main()
{
	clock_t begin = clock();
	long due, events = 0;
	int i;

	profil((char *)&ticker, (int)sizeof(ticker), (int)(long)main & ~0x3ffff, 2);
	for (i = 0; i < INSTRUCTIONS; i++)
		events += instruction();
	due = (long)((double)(clock() - begin) / CLOCKS_PER_SEC * rate());
	printf("# %ld events, %ld ticks of %ld\n", events, ticks(), due);
	/*
	 * 10 % are for the time outside the text of the program, which most dialects do not count
	 */
	check(ticks() <= due + 2 && ticks() > due - due / 10 - 2, "ticks", ticks());
	check(events <= ticks() && events > ticks() / 2, "events", events);
	profil((char *)0, 0, 0, 0);
	return errors;
}
