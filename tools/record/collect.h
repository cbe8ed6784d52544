/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the memory that a run was counted in to its result.
 */
#ifndef PROFIL_COLLECT_H
#define PROFIL_COLLECT_H

#include "record/child.h"
#include "record/shm.h"
#include "record/unprofiled.h"
#include "result/result.h"

/**
 * collect_result - make the result of a run
 * @result: filled in; to be released by result_release(), whatever is returned
 * @run:    with a process; not needed afterwards
 * @end:    how the command ended, or how far it is
 * @argv:   the command and its arguments, ended by NULL; copied
 *
 * Objects of one file become one, and processes add up.
 *
 * Return: 0 or -ENOMEM.
 */
int collect_result(struct result *result, const struct shm *run,
		   const struct child_end *end, char *const argv[]);

/**
 * collect_unprofiled - add the programs that were not profiled
 * @result:     from collect_result()
 * @unprofiled: from unprofiled_new(); is given unprofiled_end()
 * @program:    path of the command's program
 *
 * Return: 0 or -ENOMEM.
 */
int collect_unprofiled(struct result *result, struct unprofiled *unprofiled,
		       const char *program);

#endif /* PROFIL_COLLECT_H */
