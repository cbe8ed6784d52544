/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2) of OSF/1: scale 0x10000 maps text to words of the buffer one to one, scale 1 turns
 * profiling off. Offsets are unsigned ints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ONE_TO_ONE	0x10000
#define OFF		1
#define LOOPS		2000

long sum;

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

int main()
{
	unsigned int text = (unsigned int)much;
	unsigned int size = (unsigned int)finish - text;
	unsigned int middle = ((unsigned int)less - text) / 2;
	unsigned int i;
	long in_much = 0, in_less = 0;
	clock_t end;
	short *buffer = (short *)calloc(size / 2, sizeof(short));

	if (!buffer)
		exit(1);
	profil(buffer, size & ~1, text, ONE_TO_ONE);
	end = clock() + CLOCKS_PER_SEC / 10 * 7;
	while (clock() < end) {
		much();
		less();
	}
	profil(buffer, size, text, OFF);
	for (i = 0; i < size / 2; i++)
		if (i < middle)
			in_much += buffer[i];
		else
			in_less += buffer[i];
	printf("much %ld\n", in_much);
	printf("less %ld\n", in_less);
	exit(0);
}
