// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another compilation unit of a fixture. The linker discards unused(), but the debug information
 * still has its range of 64 KiB, at address 0, which overlaps the code that is kept.
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
