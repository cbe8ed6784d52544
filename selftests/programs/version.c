// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two versions of a program, of the same size: the functions of the second, which uses CPU time in
 * second_hot(), are where those of the first are.
 */
#include "spin.h"

#define TIMES	25000000ul	/* 0.4 s in a guest of 4 ns per instruction */

#if VERSION == 1
#define HOT	first_hot
#define COLD	first_cold
#else
#define HOT	second_cold
#define COLD	second_hot
#endif

void HOT(unsigned long times);
void COLD(unsigned long times);

void __attribute__((noinline, noclone)) HOT(unsigned long times)
{
	COUNT_DOWN(times);
}

void __attribute__((noinline, noclone)) COLD(unsigned long times)
{
	COUNT_DOWN(times);
}

int main(void)
{
#if VERSION == 1
	HOT(TIMES);
#else
	COLD(TIMES);
#endif
	return 0;
}
