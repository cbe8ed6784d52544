/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile as text: some lines about the run, each behind a "# ", then one
 * line per function in columns.
 */
#ifndef PROFIL_REPORT_H
#define PROFIL_REPORT_H

#include <stdio.h>

#include "profile.h"
#include "result.h"
#include "symbols.h"

/**
 * struct report - all that a report tells about
 * @result:  of a run
 * @profile: of @result
 * @symbols: that the profile was made with, or NULL
 */
struct report {
	const struct result *result;
	const struct profile *profile;
	const struct symbols *symbols;
};

/**
 * report_print - print it
 * @out:    where to; check ferror()
 * @report: what
 *
 * Control characters, as names in a file may have them, are printed in octal.
 */
void report_print(FILE *out, const struct report *report);

#endif /* PROFIL_REPORT_H */
