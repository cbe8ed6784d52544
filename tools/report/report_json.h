/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_REPORT_JSON_H
#define PROFIL_REPORT_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "report/report.h"
#include "util/json.h"

/*
 * Print a report as JSON; limits of the rows apply, those of a terminal do not. Return: 0 or
 * -ENOMEM.
 */
int report_print_json(FILE *out, const struct report *report);

/*
 * Print the members of a row that say how much CPU time it stands for; @system samples are in the
 * kernel.
 */
void report_json_share(struct json *json, const struct result *result, uint64_t samples,
		       uint64_t system, uint64_t all);

#endif /* PROFIL_REPORT_JSON_H */
