/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile as text: some lines about the run, each behind a "# ", then one
 * line per function, object or process in columns.
 */
#ifndef PROFIL_REPORT_H
#define PROFIL_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "profile.h"
#include "result.h"
#include "symbols.h"
#include "table.h"

/**
 * struct report - all that a report tells about
 * @result:  of a run
 * @profile: of @result, by what @table says; not needed by process
 * @symbols: that the profile was made with, or NULL
 * @table:   what the table shows, and how
 * @of_file: the result was kept: when and where it was made is worth a line
 */
struct report {
	const struct result *result;
	struct profile *profile;
	const struct symbols *symbols;
	struct table_options table;
	bool of_file;
};

/**
 * report_print - print it
 * @out:    where to; check ferror()
 * @report: what
 *
 * Control characters, as names in a file may have them, are printed in octal.
 *
 * Return: 0 or -ENOMEM.
 */
int report_print(FILE *out, const struct report *report);

#endif /* PROFIL_REPORT_H */
