/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * monstartup() and moncontrol() of 4.3BSD, written anew from moncontrol(3): a buffer with half a
 * byte of counters for each byte of text, and profil(2), which moncontrol(0) turns off and
 * moncontrol(1) turns on again, into the same buffer.
 */
#include "corpus.h"

int profil(char *samples, int size, int offset, int scale);

#define SCALE_1_TO_1	0x10000L

static char *buffer;
static int buffer_size;
static char *low;
static int scale;

static void moncontrol(int mode)
{
	int error = mode ? profil(buffer, buffer_size, (int)(long)low, scale) :
			   profil((char *)0, 0, 0, 0);

	check(!error, mode ? "moncontrol(1): profil() returns" : "moncontrol(0): profil() returns",
	      (long)error);
}

static void monstartup(char *lowpc, char *highpc)
{
	long text = highpc - lowpc;

	buffer_size = (int)((text / 2 + 1) & ~1L);
	buffer = (char *)calloc((size_t)buffer_size, 1);
	low = lowpc;
	scale = (int)((float)buffer_size / text * SCALE_1_TO_1);
	moncontrol(1);
}

static long total(void)
{
	long sum = 0;
	int i;

	for (i = 0; i < buffer_size / 2; i++)
		sum += ((unsigned short *)buffer)[i];
	return sum;
}

static void spend(int ms)
{
	STAY(ms);
}

static void after(void)
{
}

#define MS	200

int main(void)
{
	long first, second;

	monstartup((char *)spend, (char *)after);
	spend(MS);
	first = total();
	check(first > rate() * MS / 1000 / 2, "the first samples are", first);
	moncontrol(0);
	first = total();
	spend(MS);
	check(total() == first, "counts after moncontrol(0)", total() - first);
	moncontrol(1);
	spend(MS);
	second = total();
	moncontrol(0);
	check(second - first > rate() * MS / 1000 / 2, "after moncontrol(1), the samples are",
	      second - first);
	printf("# %ld samples, then %ld\n", first, second - first);
	after();
	return errors;
}
