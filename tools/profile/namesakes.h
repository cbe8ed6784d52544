/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of a result that have the same file name. Objects are sorted rather than compared
 * pair by pair, because a result may have thousands (RESULT_MAX_OBJECTS).
 */
#ifndef PROFIL_NAMESAKES_H
#define PROFIL_NAMESAKES_H

#include <stdbool.h>

#include "result/result.h"

/*
 * Sort the objects by file name, then by build-id. Return: pointers to all objects, to be freed
 * with free(); NULL: no memory.
 */
const struct result_object **namesakes_sort(const struct result *result);

/*
 * Whether a list from namesakes_sort(), of any result, has an object with the same file name and
 * build-id; never for an object without a build-id.
 */
bool namesakes_has(const struct result_object **sorted, size_t nr,
		   const struct result_object *object);

/*
 * Short names of the objects of a result, in its order: the file name, or the path if an object
 * with another path has the same file name. Only the array is to be freed with free(). NULL: no
 * memory.
 */
const char **namesakes_label(const struct result *result);

#endif /* PROFIL_NAMESAKES_H */
