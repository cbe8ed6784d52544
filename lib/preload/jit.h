/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_JIT_H
#define PROFIL_JIT_H

#include <stdbool.h>
#include <stddef.h>

#include "objects.h"

/*
 * Areas in which the program makes code itself. One list for all threads; of these
 * functions one runs at a time.
 */

#define PROFIL_JIT_AREAS	64

/*
 * The program has made code in these bytes. Return: whether an area has come or grown, so
 * that the profile has to be started again.
 */
bool profil_jit_add(const void *start, size_t bytes);

/*
 * Put the parts of the areas that no object has into list, named "[jit]". objects: nr,
 * sorted. list has room for nr + PROFIL_JIT_AREAS. Return: their number.
 */
size_t profil_jit_list(const struct profil_object *objects, size_t nr,
		       struct profil_object *list);

#endif /* PROFIL_JIT_H */
