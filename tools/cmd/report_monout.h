/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil report with a mon.out file.
 */
#ifndef PROFIL_REPORT_MONOUT_H
#define PROFIL_REPORT_MONOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "report/table.h"

/**
 * struct report_monout - what to print
 * @path:         path of the mon.out file; RESULTFILE_STDIN: standard input
 * @program:      the program that wrote it; NULL: MONOUT_PROGRAM_DEFAULT, as --program was not
 *                given
 * @rate:         samples per second; not 0
 * @keep_mangled: do not demangle names
 * @table:        how to print the table
 */
struct report_monout {
	const char *path;
	const char *program;
	uint32_t rate;
	bool keep_mangled;
	struct table_options table;
};

/**
 * report_monout - print the table of prof(1) on standard output, or an error message and exit
 * @report: what to print
 */
void report_monout(const struct report_monout *report);

#endif /* PROFIL_REPORT_MONOUT_H */
