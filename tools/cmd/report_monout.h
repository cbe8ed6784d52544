/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil report of a mon.out file.
 */
#ifndef PROFIL_REPORT_MONOUT_H
#define PROFIL_REPORT_MONOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "report/table.h"

/**
 * struct report_monout - what is asked for
 * @path:         of the file; RESULTFILE_STDIN: standard input
 * @program:      that wrote it; NULL: MONOUT_PROGRAM_DEFAULT, and the user has not said that
 *                the file is a mon.out
 * @rate:         samples per second; not 0
 * @keep_mangled: names are as the compiler made them
 * @table:        how the table is shown
 */
struct report_monout {
	const char *path;
	const char *program;
	uint32_t rate;
	bool keep_mangled;
	struct table_options table;
};

/**
 * report_monout - print the table of prof(1) on standard output; or say why not and exit
 * @report: what
 */
void report_monout(const struct report_monout *report);

#endif /* PROFIL_REPORT_MONOUT_H */
