/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_COLLECT_H
#define PROFIL_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/profil.h>

#include "record/child.h"
#include "record/recording.h"
#include "result/result.h"

/**
 * struct collect_log - the log of a run
 * @status:         from PROFIL_IOC_LOG_STATUS
 * @requested_rate: rate that the user requested, in Hz
 * @wanted_bytes:   the size that was wanted; more than @bytes if the limit of locked memory is low
 * @no_follow:      programs that the processes execute are not profiled
 * @cgroup:         the control group whose processes are profiled; NULL: none
 */
struct collect_log {
	struct profil_status status;
	uint32_t requested_rate;
	uint64_t bytes;
	uint64_t wanted_bytes;
	bool no_follow;
	const char *cgroup;
};

/**
 * collect_result - make the result of a run
 * @result:         filled in; must be released with result_release(), even on error
 * @recording:      the recording; it may be continued
 * @end:            how the command ended, or its present state
 * @argv:           the command and its arguments, terminated by NULL; copied
 *
 * The samples of all processes in a file become one object, and so do those in code that the
 * processes of a program have made (jit_objects.h). If no process was sampled, the
 * result has no processes, and result_problem() refuses it.
 *
 * Return: 0 or -errno.
 */
int collect_result(struct result *result, struct recording *recording,
		   const struct collect_log *log, const struct child_end *end,
		   char *const argv[]);

/**
 * collect_files - list the files that processes have mapped so far, without samples
 * @result:    filled in: object i is the file with the number i; must be released with
 *             result_release(), even on error
 *
 * Return: 0 or -ENOMEM.
 */
int collect_files(struct result *result, const struct recording *recording);

/*
 * Count the files that processes have mapped so far. Return: the number of files; theirs are less.
 */
size_t collect_nr_files(const struct recording *recording);

/**
 * collect_open_file - find an open file of an object
 * @object:    an object of a result of collect_result()
 *
 * Return: a descriptor, which belongs to @recording; -1: none is open.
 */
int collect_open_file(const struct recording *recording, const struct result_object *object);

#endif /* PROFIL_COLLECT_H */
