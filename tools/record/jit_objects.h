/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_JIT_OBJECTS_H
#define PROFIL_JIT_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include "record/jit.h"
#include "result/result.h"

/* Count the objects. Return: number of objects that jit_objects_add() adds. */
size_t jit_objects_count(const struct jit *jit);

/**
 * jit_objects_add - add an object for each program
 * @result: has room for jit_objects_count() more objects, which are added in no order
 * @outside: samples outside all objects; those at addresses that would be too high are added
 *
 * The object is "[jit]"; if there are several programs, "[jit] PROGRAM". Each function is at the
 * address where it was seen first, or if other code is there, at the next free one above.
 *
 * Return: 0 or -ENOMEM.
 */
int jit_objects_add(const struct jit *jit, struct result *result, struct counts *outside);

#endif /* PROFIL_JIT_OBJECTS_H */
