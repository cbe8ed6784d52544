/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_MONOUT_SUM_H
#define PROFIL_MONOUT_SUM_H

#include <stddef.h>

#include "monout/monout.h"

#define MONOUT_SUM_DEFAULT	"mon.sum"

/**
 * monout_sum - add up mon.out files
 * @files: at least one file, all of the same layout
 * @sum:   set to the contents of a mon.out file with the samples and calls of all @files, to be
 *         freed with free(); NULL on error
 * @bytes: set to the size of @sum
 * @bad:   on -ERANGE and -EOVERFLOW, set to the index of the file that cannot be added
 *
 * Return: 0; -ERANGE: the file has another range of pcs or number of counters than the first one;
 * -EOVERFLOW: a counter or a number of calls does not fit into the file; or -ENOMEM.
 */
int monout_sum(const struct monout *files, size_t nr, unsigned char **sum, size_t *bytes,
	       size_t *bad);

/* Replace a file by the sum. Return: 0 or -errno; on error, an earlier file is unchanged. */
int monout_sum_write(const char *path, const unsigned char *sum, size_t bytes);

#endif /* PROFIL_MONOUT_SUM_H */
