/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables that fit a terminal.
 */
#ifndef PROFIL_COLUMNS_H
#define PROFIL_COLUMNS_H

#include <stdio.h>

#include "terminal.h"

#define COLUMNS_MOST	8	/* in a table */

/* What a column has */
enum column_kind {
	COLUMN_FIGURE,		/* to the right, as wide as it takes */
	COLUMN_TEXT,		/* the same to the left */
	COLUMN_FUNCTION,	/* names that are folded to fit (fold.h) */
	COLUMN_PATH,		/* those of files */
};

/**
 * struct column - what is known of a column before there are rows
 * @title: above it; NULL: the column is not there
 * @kind:  of what it has
 * @least: columns that names shall have, if they take as many, before others are left out
 * @worth: those with the least are left out first where there is no room; 0: it stays
 * @color: it has the colour of its row
 */
struct column {
	const char *title;
	enum column_kind kind;
	int least;
	int worth;
	bool color;
};

/**
 * struct columns_row - a row
 * @cells: texts, to be given to free()
 * @color: of the column that has one
 * @share: of which there is a bar behind the row, from 0 to 1
 */
struct columns_row {
	char *cells[COLUMNS_MOST];
	enum terminal_color color;
	double share;
};

/**
 * struct columns - a table
 * @columns:    what it has
 * @nr_columns: number of these, at most COLUMNS_MOST
 * @rows:       of it
 * @nr_rows:    number of them
 * @error:      0 or -ENOMEM
 */
struct columns {
	const struct column *columns;
	size_t nr_columns;
	struct columns_row *rows;
	size_t nr_rows;
	int error;
};

/**
 * columns_begin - prepare a table
 * @table:      to be given to columns_print()
 * @columns:    what it has; must outlive it
 * @nr_columns: number of these
 * @nr_rows:    for which there shall be room
 */
void columns_begin(struct columns *table, const struct column *columns, size_t nr_columns,
		   size_t nr_rows);

/**
 * columns_add_row - begin the next row
 * @table: from columns_begin()
 * @color: of the row
 * @share: for its bar
 */
void columns_add_row(struct columns *table, enum terminal_color color, double share);

/**
 * columns_set - fill in a cell of the last row
 * @table:  in question
 * @column: index of its column; those that are not filled in are empty
 * @format: of its text, as of printf(3)
 */
void columns_set(struct columns *table, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * columns_print - print the table below its titles, and free it
 * @out:   where to
 * @table: in question
 * @style: no line is longer than @style->columns, from TERMINAL_LEAST_COLUMNS on
 *
 * Without an end of line, all is as wide as it takes, and nothing is left out.
 *
 * Return: 0 or -ENOMEM.
 */
int columns_print(FILE *out, struct columns *table, const struct terminal_style *style);

#endif /* PROFIL_COLUMNS_H */
