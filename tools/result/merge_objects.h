/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_MERGE_OBJECTS_H
#define PROFIL_MERGE_OBJECTS_H

#include "result/result.h"

/*
 * Add samples by address and thread; the array @parts is replaced, in the order of
 * result_compare_parts(). Return: 0 or -ENOMEM.
 */
int merge_parts(struct result_part **parts, size_t *nr, const struct result_part *more,
		size_t nr_more);

/*
 * Add the samples and names of an object whose indexes of threads and strings are those of the
 * result of @sum. Return: 0; -EOVERFLOW: there are not enough addresses for both; or -ENOMEM.
 */
int merge_object(struct result_object *sum, struct result_object *more);

#endif /* PROFIL_MERGE_OBJECTS_H */
