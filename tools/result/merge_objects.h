/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_MERGE_OBJECTS_H
#define PROFIL_MERGE_OBJECTS_H

#include "result/result.h"

/**
 * merge_parts - add samples to others by address and thread
 * @parts: array, in the order of result_compare_parts(); is replaced
 *
 * Return: 0 or -ENOMEM.
 */
int merge_parts(struct result_part **parts, size_t *nr, const struct result_part *more,
		size_t nr_more);

/**
 * merge_object - add the samples and names of an object to the same one of another result
 * @more: object whose indexes of threads and strings are those of the result of @sum
 *
 * Return: 0; -EOVERFLOW: there are not enough addresses for both; or -ENOMEM.
 */
int merge_object(struct result_object *sum, struct result_object *more);

#endif /* PROFIL_MERGE_OBJECTS_H */
