/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes of a run as a table.
 */
#ifndef PROFIL_PROCESSES_H
#define PROFIL_PROCESSES_H

#include <stdio.h>

#include "result.h"
#include "table.h"

/**
 * processes_print - print a row for each process
 * @out:     where to
 * @result:  in question
 * @options: how; addresses, which a process has not, are process IDs. Not NULL
 *
 * What a process did not tell is a "-". Percentages are of all samples of the run.
 *
 * Return: 0 or -ENOMEM.
 */
int processes_print(FILE *out, const struct result *result,
		    const struct table_options *options);

#endif /* PROFIL_PROCESSES_H */
