/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a file is the one that ran: names and code of another one are wrong.
 */
#ifndef PROFIL_SAMEFILE_H
#define PROFIL_SAMEFILE_H

#include <stdbool.h>

#include <libelf.h>

#include "result/result.h"

/*
 * Compare the build-id of a file with that of the object. Return: NULL: it is the same, or the
 * object has no build-id; else how they differ.
 */
const char *samefile_by_build_id(const struct result_object *object, Elf *elf);

/**
 * samefile_by_times - compare the size of a file with that of the object, and when it was modified
 * @is_there: it is at the path of the object. A copy below another root may have another time
 *
 * Return: NULL: it is the same, or the object has no size; else the reason.
 */
const char *samefile_by_times(const struct result_object *object, int fd, bool is_there);

#endif /* PROFIL_SAMEFILE_H */
