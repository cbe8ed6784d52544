// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another unit of a fixture. The linker throws unused() away, and leaves its 64 KiB in the
 * debug information, at address 0: they reach over the code that is kept.
 */
int other(int n);
int unused(int n);

int other(int n)
{
	return n + 1;
}

int unused(int n)
{
	__asm__(".skip 0x10000, 0xcc");
	return n + 2;
}
