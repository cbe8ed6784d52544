/* SPDX-License-Identifier: GPL-2.0-only */
/* A function in another object, compiled with -p, for plain-p.c. */
long counted(n)
	long n;
{
	return n + 1;
}
