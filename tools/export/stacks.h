/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call stacks of a result, for formats that have the place of each call.
 */
#ifndef PROFIL_EXPORT_STACKS_H
#define PROFIL_EXPORT_STACKS_H

#include "profile/calls.h"

/*
 * Find the functions of all stacks, with their lines and what is inlined, as those of @symbolized.
 * @calls must be released, even on error. Return: 0 or -errno.
 */
int stacks_find(struct calls *calls, const struct symbolized *symbolized);

/* The index of an address of a function, in @calls->addresses. @count: in the function's counts */
size_t stacks_address(const struct calls *calls, size_t function, size_t count);

/*
 * The index of the address of a node. One without an object has a number behind all of them: the
 * number of nodes plus the enum result_stack.
 */
size_t stacks_address_of(const struct calls *calls, uint64_t node);

/*
 * Add up the samples of all threads in a stack, from the part @i on. Return: the part of the next
 * stack.
 */
size_t stacks_sum(const struct result *result, size_t i, struct result_count *sum);

/*
 * The samples of each node and of all nodes below it; their addresses are 0. Return: for free(); NULL:
 * no memory.
 */
struct result_count *stacks_totals(const struct result *result);

#endif /* PROFIL_EXPORT_STACKS_H */
