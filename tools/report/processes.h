/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes of a run as a table.
 */
#ifndef PROFIL_PROCESSES_H
#define PROFIL_PROCESSES_H

#include <stdio.h>

#include "report/table.h"
#include "result/result.h"

/**
 * processes_print - print a row for each process
 * @out:     where to print
 * @result:  the run
 * @options: what to print, and how; PROFILE_BY_ADDRESS sorts by process ID
 *
 * A figure that a process did not report is a "-". Percentages are of all samples of the run.
 *
 * Return: 0 or -ENOMEM.
 */
int processes_print(FILE *out, const struct result *result,
		    const struct table_options *options);

#endif /* PROFIL_PROCESSES_H */
