/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of a result that have the same file name. A result may have thousands of them
 * (RESULT_MAX_OBJECTS), so nothing compares each object with each other one.
 */
#ifndef PROFIL_NAMESAKES_H
#define PROFIL_NAMESAKES_H

#include <stdbool.h>

#include "result.h"

/**
 * namesakes_sort - the objects in the order of their file names
 * @result: in question
 *
 * Objects of one file name are sorted by build-id.
 *
 * Return: pointers to all objects, to be given to free(); NULL: no memory.
 */
const struct result_object **namesakes_sort(const struct result *result);

/**
 * namesakes_has - whether there is an object of the same file name and build-id
 * @sorted: from namesakes_sort(), of any result
 * @nr:     number of objects in it
 * @object: in question
 *
 * Return: as it says; false for an object without a build-id.
 */
bool namesakes_has(const struct result_object **sorted, size_t nr,
		   const struct result_object *object);

/**
 * namesakes_label - what to call the objects of a result
 * @result: in question
 *
 * An object is called by its file name; or by its path, if an object with another path
 * has the same file name.
 *
 * Return: a name for each object, in the order of the result, which has the text; to be
 * given to free(). NULL: no memory.
 */
const char **namesakes_label(const struct result *result);

#endif /* PROFIL_NAMESAKES_H */
