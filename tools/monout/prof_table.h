/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_PROF_TABLE_H
#define PROFIL_PROF_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "monout/prof.h"
#include "report/table.h"

/**
 * struct prof_table_options - what to print, and how
 * @table:    see table.h; @by and bars are ignored
 * @by_calls: sort by calls, instead of by table.order
 * @bare:     no titles and no comments: only rows
 * @address:  conversion of printf(3) for the function's address in front of each row: 'o' or 'x';
 *            0: no addresses
 */
struct prof_table_options {
	struct table_options table;
	bool by_calls;
	bool bare;
	char address;
};

/**
 * prof_table_print - print the rows, and a summary of the omitted rows
 * @prof:    the rows; their order changes
 * @rate:    samples per second; not 0
 * @options: what to print, and how
 *
 * Seconds have two decimals, or more at rates above 100 Hz (table_decimals()). Milliseconds per
 * call have one decimal less than the number of calls has digits, up to four.
 *
 * Return: 0 or -ENOMEM.
 */
int prof_table_print(FILE *out, struct prof *prof, uint32_t rate,
		     const struct prof_table_options *options);

#endif /* PROFIL_PROF_TABLE_H */
