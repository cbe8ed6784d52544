// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function with the same name as another one that is inlined everywhere.
 */
#include "../support/fixture_inline.h"

unsigned int mix_other(unsigned int n);

static __attribute__((noipa)) unsigned int mix(unsigned int n)
{
	return n / 7 + 5;
}

unsigned int mix_other(unsigned int n)
{
	return mix(n) ^ _Z6sharedj(n);
}
