// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library for follow.c to load.
 */
void spin_loaded(unsigned long rounds);

void spin_loaded(unsigned long rounds)
{
	while (rounds--)
		asm volatile("");
}
