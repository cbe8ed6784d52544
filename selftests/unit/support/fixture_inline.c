// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inlined functions in C: nested, several times in one function, next to a copy that is called, and
 * a function inside another one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fixture_inline.h"

static inline __attribute__((always_inline)) unsigned int mix(unsigned int n)
{
	n ^= n >> 15;
	n *= 0x2c1b3c6d;
	return n ^ n >> 12;
}

static inline __attribute__((always_inline)) unsigned int mix_both(unsigned int a,
								   unsigned int b)
{
	if (a > b)
		return mix(a) + b;
	return mix(b) ^ mix(a + 1);
}

unsigned int mix_other(unsigned int n);

/* Inlined, and called by address */
__attribute__((noipa)) unsigned int apply(unsigned int (*function)(unsigned int), unsigned int n)
{
	return function(n) + 1;
}

unsigned int weigh(unsigned int n)
{
	return mix(n) / 3 + _Z6sharedj(n);
}

unsigned int weigh_all(unsigned int n)
{
	unsigned int all = 0, i;

	for (i = 0; i < n; i++)
		all += weigh(i) + mix_both(i, n);
	return all;
}

int main(int argc, char **argv)
{
	unsigned int all = 0, i;

#ifndef __clang__
	/* An extension of gcc: the function's entry is inside that of main() */
	__attribute__((noinline)) unsigned int inside(unsigned int n)
	{
		all += mix(n + argc);
		return all;
	}

	all += inside(argc);
#endif
	for (i = 0; i < (unsigned int)argc * 10; i++)
		all += apply(weigh, i) + weigh_all(i) + mix_other(i);
	if (argc > 100) {
		fprintf(stderr, "%s %u\n", argv[1], mix(argc));
		abort();
	}
	printf("%u\n", all);
	return 0;
}
