// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program for the tools that put code in a better order. It is compiled of this file twice, the
 * second time with HOT_OTHER, so that two local functions have the same name. In the order of the
 * source, functions that seldom run are between those that run often.
 */
#include <stdio.h>

#define FUNCTION	__attribute__((noinline))

unsigned int hot_other(unsigned int n);

#ifdef HOT_OTHER
static FUNCTION unsigned int work(unsigned int n)
{
	unsigned int sum = 7;

	for (; n; n--)
		sum = sum * 3 + (sum & 1 ? n : 1);
	return sum;
}

unsigned int hot_other(unsigned int n)
{
	return work(n) + 1;
}
#else
static FUNCTION unsigned int idle_first(unsigned int n)
{
	return n * 5 + 1;
}

static FUNCTION unsigned int work(unsigned int n)
{
	unsigned int sum = 0;

	for (; n; n--)
		sum += sum % 7 ? n : n * 2;
	return sum;
}

FUNCTION unsigned int idle_second(unsigned int n);
FUNCTION unsigned int idle_second(unsigned int n)
{
	return n ^ idle_first(n);
}

FUNCTION unsigned int hot(unsigned int n);
FUNCTION unsigned int hot(unsigned int n)
{
	unsigned int sum = 1;

	for (; n; n--)
		sum += sum & 4 ? work(n & 15) : 3;
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		printf("%u\n", idle_second((unsigned int)argc));
	printf("%u %u\n", hot(10000), hot_other(1000));
	return 0;
}
#endif
