/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_COLUMNS_H
#define PROFIL_COLUMNS_H

#include <stdio.h>

#include "util/terminal.h"

#define COLUMNS_MAX	12	/* in a table */

/* What the cells of a column contain */
enum column_kind {
	COLUMN_FIGURE,		/* right-aligned and never shortened */
	COLUMN_TEXT,		/* left-aligned and never shortened */
	COLUMN_FUNCTION,	/* names of functions, shortened to fit (shorten.h) */
	COLUMN_PATH,		/* paths of files, shortened to fit */
};

/**
 * struct column - the properties of a column
 * @title:     printed above the column; NULL: the column is not printed
 * @kind:      what the cells contain
 * @min_width: columns with a priority are dropped before names get less than this, or than half of
 *             the terminal
 * @priority:  if columns must be dropped, the one with the lowest is first; 0: never dropped
 * @color:     the cells have the colour of their row
 */
struct column {
	const char *title;
	enum column_kind kind;
	int min_width;
	int priority;
	bool color;
};

/* A row */
struct columns_row {
	char *cells[COLUMNS_MAX];	/* texts, to be freed with free() */
	enum terminal_color color;	/* colour of the cells in columns with @color */
	double share;			/* length of the bar after the row, from 0 to 1 */
};

/* A table */
struct columns {
	const struct column *columns;
	size_t nr_columns;	/* number of columns, at most COLUMNS_MAX */
	struct columns_row *rows;
	size_t nr_rows;
	int error;		/* 0 or -ENOMEM */
};

/*
 * Prepare a table, which columns_print() frees. Its columns must outlive it; @nr_rows will be added
 * at most.
 */
void columns_begin(struct columns *table, const struct column *columns, size_t nr_columns,
		   size_t nr_rows);

/* Add an empty row, whose bar has a length from 0 to 1. */
void columns_add_row(struct columns *table, enum terminal_color color, double share);

/* Set a cell of the last row, by the index of its column; cells that are not set are empty. */
void columns_set(struct columns *table, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Empty a cell of the last row. */
void columns_clear(struct columns *table, size_t column);

/**
 * columns_print - print the titles and rows of a table, and free it
 * @style: no line is longer than @style->columns, if that is TERMINAL_MIN_COLUMNS or more
 *
 * If @style->columns is 0, names are not shortened and no column is dropped.
 *
 * Return: 0 or -ENOMEM.
 */
int columns_print(FILE *out, struct columns *table, const struct terminal_style *style);

#endif /* PROFIL_COLUMNS_H */
