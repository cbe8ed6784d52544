/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps of AT&T's System V Verification Suite for profil(2), in this project's own words. The
 * source is as old as the suite: functions without prototypes, and a function as the offset.
 *
 * With SCALE_1_COUNTS, a scale of 1 does not turn profiling off: the page of 4.4BSD does not say
 * so.
 */
#include "corpus.h"

extern void profil();

#define N	100
#define MS	60

static volatile short buffer[N];
static short before[N];

void spend();

static void clear()
{
	int i;

	for (i = 0; i < N; i++)
		buffer[i] = 0;
}

static void keep()
{
	int i;

	for (i = 0; i < N; i++)
		before[i] = buffer[i];
}

/* Return: the first counter that has changed since keep(), or -1. */
static int changed()
{
	int i;

	for (i = 0; i < N; i++)
		if (before[i] != buffer[i])
			return i;
	return -1;
}

/*
 * The core clock: with 02, the beginning of the buffer counts, more and more, and nothing else.
 * main() and what follows it is less than 65,536 bytes of text.
 */
static void core_clock(text)
	int (*text)();
{
	short first, second;
	int i;

	clear();
	profil((char *)buffer, (int)sizeof(buffer), text, 02);
	spend(MS);
	first = buffer[0];
	spend(MS);
	second = buffer[0];
	profil((char *)buffer, 0, text, 0);
	check(first > 0, "02: the core clock stands still", (long)first);
	check(second > first, "02: the core clock does not increase", (long)second);
	for (i = 1; i < N; i++)
		check(!buffer[i], "02: another counter than the first one counts", (long)i);
}

/* Text is mapped onto the buffer: at least one counter counts, and none decreases. */
static void mapping(scale)
	int scale;
{
	int i, any = 0;

	clear();
	profil((char *)buffer, (int)sizeof(buffer), spend, scale);
	spend(MS);
	keep();
	spend(MS);
	profil((char *)buffer, 0, spend, 0);
	for (i = 0; i < N; i++) {
		any |= buffer[i];
		check(buffer[i] >= before[i], "a counter decreases", (long)i);
	}
	check(any, "no counter counts at scale", (long)scale);
}

static void off(scale)
	int scale;
{
	clear();
	keep();
	profil((char *)buffer, (int)sizeof(buffer), spend, 077777);
	spend(MS);
	check(changed() >= 0, "does not count before it is turned off by scale", (long)scale);
	profil((char *)buffer, (int)sizeof(buffer), spend, scale);
	keep();
	spend(MS);
	check(changed() < 0, "counts after it was turned off by scale", (long)scale);
}

/* Without room for a counter, the call has no effect that can be seen. */
static void no_size()
{
	clear();
	keep();
	profil((char *)buffer, 0, spend, 077777);
	spend(MS);
	check(changed() < 0, "counts with a bufsiz of 0", (long)changed());
	profil((char *)buffer, 0, spend, 0);
}

/* The child's counters are its copy of the buffer. */
static void child_is_profiled(text)
	int (*text)();
{
	int status;
	pid_t pid;

	clear();
	profil((char *)buffer, (int)sizeof(buffer), text, 02);
	pid = fork();
	if (!pid) {
		buffer[0] = 0;
		spend(MS);
		_exit(buffer[0] > 0 ? 0 : 1);
	}
	spend(MS);
	check(waitpid(pid, &status, 0) == pid && !status, "the child is not profiled", (long)status);
	check(buffer[0] > 0, "the parent is not profiled after fork", (long)buffer[0]);
	profil((char *)buffer, 0, text, 0);
}

int main()
{
	core_clock(main);
	mapping(0177777);
	mapping(077777);
	off(0);
#ifndef SCALE_1_COUNTS
	off(1);
#endif
	no_size();
	child_is_profiled(main);
	return errors;
}

/* Behind main(), as in the suite: the text that is profiled begins with main() */
void spend(ms)
	int ms;
{
	STAY(ms);
}
