/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of a live view: its head, its table, a page of text, its help.
 */
#ifndef PROFIL_TOP_PAINT_H
#define PROFIL_TOP_PAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "top/drill_down.h"
#include "top/rows.h"
#include "top/screen.h"

#define PAINT_COLUMNS	30	/* the smallest terminal that has room for a table */
#define PAINT_ROWS	6
#define PAINT_HEAD	3	/* lines above the table: two about the run, and the titles */

/* What the rows of a table are */
enum paint_by {
	PAINT_FUNCTIONS,
	PAINT_THREADS,
	PAINT_PROGRAMS,
	NR_PAINT_BYS
};

/* What to show */
struct paint {
	int columns;			/* width of the lines; 0: unlimited */
	bool plain;			/* for a file: head and titles begin with "# " */
	const char *of;			/* the command or the process */
	int pid;			/* its process ID, or that of the first of several */
	enum paint_by by;		/* what @table has */
	const struct rows *table;	/* the rows, sorted */
	size_t first;			/* index of the first row that is shown */
	size_t selected;		/* index of the selected row; SIZE_MAX: none */
	double seconds;
	uint32_t rate;			/* samples per second of CPU time */
	uint64_t lost;			/* samples that were lost */
	size_t waiting;			/* addresses that wait for names */
	const char *state;		/* what the user must know, as "paused"; NULL: nothing */
	const char *note;		/* shown instead of the keys; "": nothing */
};

/* Return: the name of an order or of a kind of rows, as in options; NULL: there is none. */
const char *paint_order_name(size_t order);
const char *paint_by_name(size_t by);

/*
 * Make the lines of a table; their texts are NULL without memory. Unless @paint->plain, the last
 * line is about keys.
 */
void paint_table(struct screen_line *lines, size_t rows, const struct paint *paint);

/* Make the lines of a page, from its line @first on. */
void paint_page(struct screen_line *lines, size_t rows, int columns, const char *title,
		const struct drill_down *page, size_t first);

/* Make the lines of the help. */
void paint_help(struct screen_line *lines, size_t rows, int columns);

/* Say that the terminal is too small. */
void paint_small(struct screen_line *lines, size_t rows, int columns);

#endif /* PROFIL_TOP_PAINT_H */
