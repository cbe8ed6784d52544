// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds tracepoints of the kernel, which are not exported individually, for fork.c and
 * timer.c.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoints.h"

struct tracepoint_search {
	const char *name;
	struct tracepoint *found;
};

static void tracepoint_compare(struct tracepoint *tp, void *data)
{
	struct tracepoint_search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

/**
 * profil_tracepoint_find - find a tracepoint of the kernel
 * @name: its name
 *
 * May sleep.
 *
 * Return: the tracepoint, or NULL.
 */
struct tracepoint *profil_tracepoint_find(const char *name)
{
	struct tracepoint_search search = { .name = name };

	for_each_kernel_tracepoint(tracepoint_compare, &search);
	return search.found;
}
