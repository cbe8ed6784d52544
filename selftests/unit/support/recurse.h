/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A deep stack, to be unwound.
 */
#ifndef RECURSE_H
#define RECURSE_H

#include <alloca.h>
#include <string.h>

static volatile int sink;	/* what is added to it is not optimized away */

/* Call @last below @depth frames of different sizes, some of them not known to the compiler. */
static void __attribute__((noinline)) recurse(int depth, void (*last)(void))
{
	char *room = alloca((size_t)(16 + depth % 5 * 16));

	memset(room, depth, 16);
	if (depth)
		recurse(depth - 1, last);
	else
		last();
	sink += room[3];
}

#endif /* RECURSE_H */
