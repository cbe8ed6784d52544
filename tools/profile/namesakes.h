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

/**
 * namesakes_has - whether a list has an object with the same file name and build-id
 * @sorted: from namesakes_sort(), of any result
 * @nr:     number of objects in @sorted
 * @object: the object to look for
 *
 * Return: true if there is one; always false for an object without a build-id.
 */
bool namesakes_has(const struct result_object **sorted, size_t nr,
		   const struct result_object *object);

/**
 * namesakes_label - short names of the objects of a result
 * @result: the result; must outlive the names
 *
 * The name of an object is its file name, or its path if an object with another path has the
 * same file name.
 *
 * Return: an array with a name for each object, in the order of the result; only the array is to
 * be freed with free(). NULL: no memory.
 */
const char **namesakes_label(const struct result *result);

#endif /* PROFIL_NAMESAKES_H */
