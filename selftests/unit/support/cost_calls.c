// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes 100,000 calls of a function that is compiled with -pg, for ../host/cost_test.sh.
 */
#define CALLS	100000

static volatile int sum;

static __attribute__((noinline)) void callee(int i)
{
	sum += i;
}

int main(void)
{
	int i;

	for (i = 0; i < CALLS; i++)
		callee(i);
	return 0;
}
