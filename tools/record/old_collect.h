/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the result of a run from its shared memory.
 */
#ifndef PROFIL_OLD_COLLECT_H
#define PROFIL_OLD_COLLECT_H

#include "record/child.h"
#include "record/shm.h"
#include "record/unprofiled.h"
#include "result/result.h"

/**
 * old_collect_result - make the result of a run
 * @result: filled in; must be released with result_release(), even on error
 * @run:    from shm_read(), with at least one process; not used afterwards
 * @end:    how the command ended, or its present state
 * @argv:   the command and its arguments, terminated by NULL; copied
 *
 * The segments of one file become one object, with the samples of all processes.
 *
 * Return: 0 or -ENOMEM.
 */
int old_collect_result(struct result *result, const struct shm *run,
		   const struct child_end *end, char *const argv[]);

/**
 * collect_unprofiled - add the programs that were not profiled
 * @result:     from old_collect_result()
 * @unprofiled: from unprofiled_new(); this calls unprofiled_finish()
 * @program:    path of the command's program
 *
 * Return: 0 or -ENOMEM.
 */
int collect_unprofiled(struct result *result, struct unprofiled *unprofiled,
		       const char *program);

#endif /* PROFIL_OLD_COLLECT_H */
