/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile as text: lines about the run, each beginning with "# ", then a table with one
 * row per function, line, object, process, thread or program.
 */
#ifndef PROFIL_REPORT_H
#define PROFIL_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"
#include "report/table.h"
#include "result/result.h"
#include "result/select.h"
#include "symbol/symbols.h"

/**
 * struct report - what to report
 * @profile: the profile of @result by @table.by; not needed if table_is_of_owners()
 * @symbols: the symbols that @profile was made with, or NULL
 * @table:   how to print the table
 * @selection: the samples that result_select() has selected; NULL: all
 * @of_file: the result was read from a file: print when and where it was made
 * @records: name packages with debug symbols by these lists (DISTRIBUTION_RECORDS); NULL: do not
 */
struct report {
	const struct result *result;
	struct profile *profile;
	struct symbols *symbols;
	struct table_options table;
	const struct selection *selection;
	bool of_file;
	const char *records;
};

/* Print a report. Control characters in names are printed in octal. Return: 0 or -ENOMEM. */
int report_print(FILE *out, const struct report *report);

#endif /* PROFIL_REPORT_H */
