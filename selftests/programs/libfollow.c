// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library for follow.c to load. In libother.so, the function is spin_other().
 */
void spin_follow(unsigned long rounds);

void spin_follow(unsigned long rounds)
{
	while (rounds--)
		asm volatile("");
}
