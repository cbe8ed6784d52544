/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bounds the entries of a run and the size of its result. Threads with few samples are folded into
 * those that are not listed, first of all; then places with few samples into what is outside all
 * objects. No sample is dropped, and the result counts what was folded.
 */
#ifndef PROFIL_FOLD_H
#define PROFIL_FOLD_H

#include <sys/types.h>

#include "result/result.h"

/**
 * struct fold - lists of parts, each in the order of result_compare_parts()
 * @nr: of each list
 */
struct fold {
	struct fold_list {
		struct result_part *parts;
		size_t *nr;
	} *lists;
	size_t nr_lists;
};

/* Return: number of parts in all lists. */
size_t fold_parts(const struct fold *fold);

/**
 * fold_threads - fold the threads with the fewest samples
 * @threads: of the parts. A folded one keeps its index, and has RESULT_NO_PROCESS and no name
 * @excess:  number of parts that should be folded, if they have so many
 * @least:   number of threads that should be
 *
 * Return: number of threads that were folded; or -ENOMEM.
 */
ssize_t fold_threads(const struct fold *fold, struct result_thread *threads, size_t nr_threads,
		     size_t excess, size_t least);

/**
 * fold_places - remove the parts with the fewest samples
 * @excess:  number of parts that should be removed; at least one is, if there is one
 * @outside: their samples are added to it
 */
void fold_places(const struct fold *fold, size_t excess, struct result_part *outside);

/**
 * fold_result - make a result smaller
 * @bytes: size of its message
 * @limit: a smaller size that it should have
 *
 * Once is not always enough. What is folded first: command lines of processes if they are more than half
 * of the limit; then threads, command lines, names of functions, and programs or places, whichever take
 * more.
 *
 * Return: 0; -EMSGSIZE: nothing is left to be folded; or -ENOMEM.
 */
int fold_result(struct result *result, size_t bytes, size_t limit);

/**
 * fold_threads_of - fold the threads of a result with the fewest samples
 *
 * Return: 0; -ENOENT: none is listed; or -ENOMEM.
 */
int fold_threads_of(struct result *result, size_t excess, size_t least);

/* Fold the parts of threads that have RESULT_NO_PROCESS. Return: 0 or -ENOMEM. */
int fold_marked(struct result *result);

/* Remove threads that were folded, so that others have lower indexes. Return: 0 or -ENOMEM. */
int fold_remove_threads(struct result *result);

/*
 * If a result has more than RESULT_MAX_OBJECTS, move the samples of those with the fewest outside.
 * Return: 0 or -ENOMEM.
 */
int fold_objects(struct result *result);

#endif /* PROFIL_FOLD_H */
