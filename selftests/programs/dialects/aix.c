/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil() of AIX, first form, with the header that its manual page names. On AIX a function
 * pointer refers to a descriptor, and a routine's address is *(long *)routine; here it is routine.
 */
#include <monmon.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAIRS	0177777		/* one short for each pair of bytes */
#define LOOPS	2000

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
	unsigned long low = (unsigned long)much;
	unsigned int size = (unsigned long)finish - low;
	unsigned int middle = ((unsigned long)less - low) / sizeof(short);
	unsigned int i;
	long in_much = 0, in_less = 0;
	clock_t end;
	unsigned short *buffer = (unsigned short *)calloc(1, size);

	errno = 0;
	profil(buffer, size, low, PAIRS);
	if (errno) {
		perror("profil");
		exit(1);
	}
	end = clock() + CLOCKS_PER_SEC / 10 * 7;
	while (clock() < end) {
		much();
		less();
	}
	profil(buffer, size, low, 0);
	for (i = 0; i < size / sizeof(short); i++)
		if (i < middle)
			in_much += buffer[i];
		else
			in_less += buffer[i];
	printf("much %ld\n", in_much);
	printf("less %ld\n", in_less);
	exit(0);
}
