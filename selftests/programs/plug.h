/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A shared object that kept.c loads
 */
#ifndef PLUG_H
#define PLUG_H

/* Takes a function, and arguments in vector registers. Return: their sum. */
typedef double plug_function(void (*back)(void), double a, float b);

/* A number of equal steps, long enough that a call takes little of the time */
#define PLUG_WORK(share) do {						\
	volatile unsigned int step;					\
									\
	for (step = 0; step < (share) * 10000; step++)			\
		;							\
} while (0)

#endif /* PLUG_H */
