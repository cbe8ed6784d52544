/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_REPORT_HEAD_H
#define PROFIL_REPORT_HEAD_H

#include <stdio.h>

#include "report/report.h"

/*
 * Print where the figures come from, and every known problem with them, in lines that begin with "#
 * " and are not wrapped.
 */
void report_head_print(FILE *out, const struct report *report);

/* Print why a report has no samples. Return: 0 or -ENOMEM. */
int report_head_print_no_samples(FILE *out, const struct report *report);

#endif /* PROFIL_REPORT_HEAD_H */
