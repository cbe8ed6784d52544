/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_OWNERS_H
#define PROFIL_OWNERS_H

#include <stdio.h>

#include "report/table.h"
#include "result/result.h"
#include "util/json.h"

/**
 * owners_print - print a row for each process, thread or program
 * @options: what to print, and how; @options->by is TABLE_BY_PROCESS, TABLE_BY_THREAD or
 *           TABLE_BY_PROGRAM. PROFILE_BY_ADDRESS sorts by process ID
 *
 * A figure that is not known is a "-". Percentages are of all selected samples of the run
 * (select.h).
 *
 * Return: 0 or -ENOMEM.
 */
int owners_print(FILE *out, const struct result *result, const struct table_options *options);

/* Print the members omitted and rows of profil-report.schema.json. Return: 0 or -ENOMEM. */
int owners_print_json(struct json *json, const struct result *result,
		      const struct table_options *options);

#endif /* PROFIL_OWNERS_H */
