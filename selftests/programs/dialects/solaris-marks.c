/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function that marks of <prof.h> divide, as in the example of prof(5); linked with -p. The marks
 * have the names of functions that are not called. Each round needs three quarters of its time
 * after the mark much. The compiler copies the function with its marks into two others; in them, a
 * mark is the last statement.
 */
#include <prof.h>

#include "work.h"

volatile long total;

static __inline__ __attribute__((always_inline)) void
parts()
{
	int i;

	MARK(much);
	for (i = 0; i < 3 * LOOPS; i++)
		total += i;
	MARK(less);
	for (i = 0; i < LOOPS; i++)
		total += i;
	MARK(finish);
}

void
one()
{
	parts();
}

void
another()
{
	/* not the same code: the compiler would merge them */
	total++;
	parts();
}

int
main()
{
	clock_t begin = clock();
	int i;

	for (i = 0; i < ROUNDS; i++)
		if (i % 2)
			one();
		else
			another();
	print_use(begin);
	return 0;
}
