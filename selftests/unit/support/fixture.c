// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program whose symbols and lines the tests look up. When it runs, it prints the link-time
 * addresses of these functions:
 *
 *	exported	global, also in .dynsym, which stripped files keep
 *	hidden		static, without a name in stripped files
 *	sizeless	an assembler label without type, size or unwind information
 *	written(int)	with a mangled C++ name
 *	last		its line has the largest possible number
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int exported(int n);
void sizeless(void);
int _Z7writteni(int n);
int last(int n);

/* Inlined into a function that is many lines away */
static inline int __attribute__((always_inline)) inlined(int n)
{
	return (n ^ n >> 3) * 7;
}

static int __attribute__((noinline)) hidden(int n)
{
	int sum = 0;

	/* long enough for many counters and several unwind rules */
	while (n--)
		sum += rand() ^ (n * 3) ^ (sum << 2);
	return sum + puts("");
}

int __attribute__((noinline)) exported(int n)
{
	return inlined(hidden(n)) * 5 + rand();
}

int __attribute__((noinline)) _Z7writteni(int n)
{
	return exported(n) ^ rand();
}

int _exported_too(int n) __attribute__((alias("exported")));

__asm__(".text\n"
	".skip 32, 0xcc\n"
	"sizeless:\n"
	".skip 32, 0xcc\n"
	"sizeless_end:\n");

static int print_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1;	/* the first is the program itself */
}

int main(int argc, char **argv)
{
	uintptr_t bias;

	(void)argv;
	if (argc > 100)
		return _Z7writteni(argc) + last(argc);
	dl_iterate_phdr(print_bias, &bias);
	printf("%lx %lx %lx %lx %lx\n", (unsigned long)((uintptr_t)exported - bias),
	       (unsigned long)((uintptr_t)hidden - bias),
	       (unsigned long)((uintptr_t)sizeless - bias),
	       (unsigned long)((uintptr_t)_Z7writteni - bias),
	       (unsigned long)((uintptr_t)last - bias));
	return 0;
}

#line 2147483647
int __attribute__((noinline)) last(int n) { return n * rand(); }
