// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's tracepoints, which are not exported one by one.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoints.h"

struct search {
	const char *name;
	struct tracepoint *found;
};

static void compare(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

/**
 * profil_tracepoint_find - a tracepoint of the kernel itself
 * @name: its name
 *
 * May sleep. Return: it, or NULL.
 */
struct tracepoint *profil_tracepoint_find(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(compare, &search);
	return search.found;
}
