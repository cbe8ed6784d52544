/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the result of a run from its recording.
 */
#ifndef PROFIL_COLLECT_H
#define PROFIL_COLLECT_H

#include <stdint.h>

#include <linux/profil.h>

#include "record/child.h"
#include "record/recording.h"
#include "result/result.h"

/**
 * collect_result - make the result of a run
 * @result:         filled in; must be released with result_release(), even on error
 * @recording:      the recording; it may be continued
 * @status:         from PROFIL_IOC_LOG_STATUS
 * @requested_rate: rate that the user requested, in Hz
 * @end:            how the command ended, or its present state
 * @argv:           the command and its arguments, terminated by NULL; copied
 *
 * The samples of all processes in a file become one object. If no process was sampled, the
 * result has no processes, and result_problem() refuses it.
 *
 * Return: 0 or -errno.
 */
int collect_result(struct result *result, const struct recording *recording,
		   const struct profil_status *status, uint32_t requested_rate,
		   const struct child_end *end, char *const argv[]);

#endif /* PROFIL_COLLECT_H */
