/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TERMINAL_H
#define PROFIL_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TERMINAL_MIN_COLUMNS	40	/* narrower terminals get lines of this length */

#define TERMINAL_NAME		100	/* columns of a name in a line without a limit */

/* When colours and bars are printed */
enum terminal_when {
	TERMINAL_AUTO,		/* on a terminal; colours unless NO_COLOR is set */
	TERMINAL_ALWAYS,
	TERMINAL_NEVER,
};

/* How lines are printed */
struct terminal_style {
	bool color;
	int bars;	/* columns of a bar for 100 percent; 0: no bars */
	int columns;	/* length of a line; 0: unlimited */
	int name;	/* if it is unlimited: length of a name; 0: unlimited, too */
	int rows;	/* height of the terminal; 0: not a terminal */
};

/* Colours, by their meaning */
enum terminal_color {
	TERMINAL_PLAIN,
	TERMINAL_HOT,		/* many samples, or more than before */
	TERMINAL_WARM,
	TERMINAL_LESS,		/* fewer than before */
	TERMINAL_FAINT,		/* comments and headers */
};

/*
 * Parse the argument of --color: "auto", "always" or "never". Return: false if it is none of these.
 */
bool terminal_parse_when(const char *text, enum terminal_when *when);

/**
 * terminal_style - determine the style of the lines in a file
 * @when: the user's choice of colours and bars
 *
 * The environment's COLUMNS and LINES take precedence over the size of the terminal. If both are
 * unknown, lines have 80 columns on a terminal; elsewhere, only that of names is limited.
 */
struct terminal_style terminal_style(FILE *out, enum terminal_when when);

/*
 * How many rows of a table fit on the terminal, below the lines above: at least 10, also on a
 * smaller terminal; 0: not a terminal, print all rows.
 */
uint64_t terminal_rows(const struct terminal_style *style, long above);

/* Choose the colour of a share. */
enum terminal_color terminal_share_color(double percent);

/* Print in a colour until terminal_end(), if the style has colours. */
void terminal_begin(FILE *out, const struct terminal_style *style,
		    enum terminal_color color);

/* Return to the normal colour. */
void terminal_end(FILE *out, const struct terminal_style *style);

/* Print a share from 0 to 1 as a bar, if the style has bars. */
void terminal_bar(FILE *out, const struct terminal_style *style, double share);

/* Compute the width of a name that terminal_print_name() prints. */
int terminal_columns(const char *name);

/* Print a name as escape_octal() does. Return: number of columns printed. */
int terminal_print_name(FILE *out, const char *name);

/**
 * terminal_print_cut - print a name as terminal_print_name() does, up to a width
 * @most: width in columns, at least 4. An ellipsis replaces the end of a longer name.
 *        0: unlimited
 *
 * Return: number of columns printed.
 */
int terminal_print_cut(FILE *out, const char *name, int most);

/*
 * Print lines that start with "# ", with control characters in octal already. One that is too long
 * is continued in the next line, after "#   ". Return: number of lines printed.
 */
long terminal_print_text(FILE *out, const struct terminal_style *style, const char *text);

/*
 * Print one comment line, and wrap it if it is long. Control characters are printed in octal.
 * Return: 0 or -ENOMEM.
 */
int terminal_print_comment(FILE *out, const struct terminal_style *style,
			   const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif /* PROFIL_TERMINAL_H */
