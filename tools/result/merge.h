/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds up results: of several runs, or machines.
 */
#ifndef PROFIL_MERGE_H
#define PROFIL_MERGE_H

#include "result/result.h"

/* Room for the reason why results cannot be added */
#define MERGE_WHY	256

/**
 * merge_add - add a result to another one
 * @sum:  passes result_problem(); the sum, unless an error is returned: then only for
 *        result_release()
 * @more: passes result_problem(), and is emptied; to be released with result_release() in any case
 * @why:  on -EINVAL, filled in with the reason
 *
 * Objects that are the same file, by their build-id, are one object of the sum, wherever they are.
 * Files without a build-id are the same if path, size and time of the last change are. Code that
 * programs have made is the same if it has the same name in the same object.
 *
 * Return: 0; -EINVAL: they cannot be added; or -ENOMEM.
 */
int merge_add(struct result *sum, struct result *more, char why[MERGE_WHY]);

#endif /* PROFIL_MERGE_H */
