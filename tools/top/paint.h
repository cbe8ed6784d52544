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

/**
 * struct paint - what to show
 * @columns:  width of the lines; 0: unlimited
 * @plain:    for a file: head and titles begin with "# "
 * @of:       the command or the process
 * @pid:      its process ID, or that of the first of several
 * @by:       what @table has
 * @table:    the rows, sorted
 * @first:    index of the first row that is shown
 * @selected: index of the selected row; SIZE_MAX: none
 * @rate:     samples per second of CPU time
 * @lost:     samples that were lost
 * @waiting:  addresses that wait for names
 * @state:    what the user must know, as "paused"; NULL: nothing
 */
struct paint {
	int columns;
	bool plain;
	const char *of;
	int pid;
	enum paint_by by;
	const struct rows *table;
	size_t first;
	size_t selected;
	double seconds;
	uint32_t rate;
	uint64_t lost;
	size_t waiting;
	const char *state;
};

/* Return: the name of an order or of a kind of rows, as in options; NULL: there is none. */
const char *paint_order_name(size_t order);
const char *paint_by_name(size_t by);

/**
 * paint_table - make the lines of a table
 * @lines: filled in; their texts are NULL without memory
 *
 * Unless @paint->plain, the last line is about keys.
 */
void paint_table(struct screen_line *lines, size_t rows, const struct paint *paint);

/**
 * paint_page - make the lines of a page
 * @first:   index of its first line that is shown
 */
void paint_page(struct screen_line *lines, size_t rows, int columns, const char *title,
		const struct drill_down *page, size_t first);

/* Make the lines of the help. */
void paint_help(struct screen_line *lines, size_t rows, int columns);

/* Say that the terminal is too small. */
void paint_small(struct screen_line *lines, size_t rows, int columns);

#endif /* PROFIL_TOP_PAINT_H */
