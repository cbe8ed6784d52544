// SPDX-License-Identifier: GPL-2.0-only
/*
 * A shared object that is compiled with -pg, for kept.c
 */
#include "plug.h"

plug_function plug;

static void __attribute__((noinline, noclone)) three_quarters(void)
{
	PLUG_WORK(75);
	__asm__ volatile("");
}

static void __attribute__((noinline, noclone)) one_quarter(void)
{
	PLUG_WORK(25);
	__asm__ volatile("");
}

double plug(void (*back)(void), double a, float b)
{
	three_quarters();
	one_quarter();
	back();
	return a + (double)b;
}
