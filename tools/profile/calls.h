/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions in the call stacks of a result: in which of them each is, and who calls whom.
 */
#ifndef PROFIL_CALLS_H
#define PROFIL_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/result.h"
#include "symbol/symbolize.h"

/* Numbers behind those of the functions: what has no object, and two who are no function */
enum {
	CALLS_ITSELF = RESULT_NR_STACK,	/* the function that was asked for */
	CALLS_NOBODY,			/* who calls the first function */
	CALLS_OTHERS
};

/**
 * struct calls - the functions in stacks
 * @result:     the result
 * @symbolized: its functions; the number of one is its index there. Their samples mean nothing
 * @of_node:    for each node, the number of its function; what has no object has a number behind
 *              those of the functions: their count plus the enum result_stack
 * @totals:     for each of these numbers: samples of the stacks that it is in, each once
 * @addresses:  @symbolized is of a result with the addresses of nodes, which are here
 */
struct calls {
	const struct result *result;
	struct symbolized symbolized;
	uint32_t *of_node;
	uint64_t *totals;
	struct result addressed;
	struct result_count *addresses;
};

/* Samples of a function */
struct calls_sum {
	uint64_t samples;
	uint64_t system;
};

/**
 * calls_find - find the functions of all stacks
 * @calls:  filled in; must be released with calls_release(), even on error
 * @result: has stacks, and outlives @calls
 *
 * The others are those of symbolize_result(). Return: 0 or -errno.
 */
int calls_find(struct calls *calls, const struct result *result, symbols_find_fn *find,
	       void *symbols, symbolize_demangle_fn *demangle);

/* Name a number behind those of the functions, minus their count. */
const char *calls_other_name(size_t other);

/* The name of a number of struct calls, as in the table */
const char *calls_name(const struct calls *calls, uint32_t number);

/**
 * calls_sum_neighbours - count the samples of stacks with a function by who calls it, or is called
 * @name:    of the function; all that have it count as one
 * @callees: by whom it calls; else by who calls it
 *
 * If it is in a stack several times, it is who calls the outermost one, and whom the innermost one
 * calls: so each stack counts once, and neither is the function.
 *
 * Return: a sum for each number, to free(); NULL: no memory, or @is_found is false: no stack has
 * the function.
 */
struct calls_sum *calls_sum_neighbours(const struct calls *calls, const char *name, bool callees,
				       bool *is_found);

void calls_release(struct calls *calls);

#endif /* PROFIL_CALLS_H */
