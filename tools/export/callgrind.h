/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who calls whom, for callgrind's format.
 */
#ifndef PROFIL_CALLGRIND_H
#define PROFIL_CALLGRIND_H

#include "profile/calls.h"

/**
 * struct callgrind_call - a function calls another one, at an address
 * @caller: number of the function (struct calls), or of CALLS_NOBODY
 * @callee: number of the function
 * @node:   of the caller; RESULT_NO_NODE: nobody
 * @cost:   samples of the callee and all that it calls; its address is that of the call
 */
struct callgrind_call {
	uint32_t caller;
	uint32_t callee;
	uint32_t node;
	struct result_count cost;
};

/*
 * List all calls, by caller. Each stack counts once for a function in it: for the call of the
 * outermost one. So the sum over all calls of a function is its total.
 *
 * Return: the list, to free(); NULL: no memory.
 */
struct callgrind_call *callgrind_list_calls(const struct calls *calls, size_t *nr);

#endif /* PROFIL_CALLGRIND_H */
