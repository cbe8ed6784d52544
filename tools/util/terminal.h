/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TERMINAL_H
#define PROFIL_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TERMINAL_MIN_COLUMNS	40	/* narrower terminals get lines of this length */

/* When colours and bars are printed */
enum terminal_when {
	TERMINAL_AUTO,		/* on a terminal; colours unless NO_COLOR is set */
	TERMINAL_ALWAYS,
	TERMINAL_NEVER,
};

/**
 * struct terminal_style - how lines are printed
 * @bars:    columns of a bar for 100 percent; 0: no bars
 * @columns: length of a line; 0: unlimited
 * @rows:    height of the terminal; 0: not a terminal
 */
struct terminal_style {
	bool color;
	int bars;
	int columns;
	int rows;
};

/* Colours, by their meaning */
enum terminal_color {
	TERMINAL_PLAIN,
	TERMINAL_HOT,		/* many samples, or more than before */
	TERMINAL_WARM,
	TERMINAL_LESS,		/* fewer than before */
	TERMINAL_FAINT,		/* comments and headers */
};

/**
 * terminal_parse_when - parse the argument of --color
 * @text: "auto", "always" or "never"
 *
 * Return: false if @text is none of these.
 */
bool terminal_parse_when(const char *text, enum terminal_when *when);

/**
 * terminal_style - determine the style of the lines in a file
 * @when: the user's choice of colours and bars
 *
 * The environment's COLUMNS and LINES take precedence over the size of the terminal. If both are
 * unknown, lines have 80 columns on a terminal; elsewhere, their length is unlimited.
 */
struct terminal_style terminal_style(FILE *out, enum terminal_when when);

/**
 * terminal_rows - count the rows of a table that fit on the terminal
 * @above: number of lines above the table
 *
 * Return: at least 10, also on a smaller terminal; 0: not a terminal, print all rows.
 */
uint64_t terminal_rows(const struct terminal_style *style, long above);

/* Choose the colour of a share. */
enum terminal_color terminal_share_color(double percent);

/**
 * terminal_begin - print in a colour until terminal_end()
 * @style: if it has no colours, nothing is printed
 */
void terminal_begin(FILE *out, const struct terminal_style *style,
		    enum terminal_color color);

/* Return to the normal colour. */
void terminal_end(FILE *out, const struct terminal_style *style);

/**
 * terminal_bar - print a share as a bar
 * @style: if it has no bars, nothing is printed
 * @share: from 0 to 1
 */
void terminal_bar(FILE *out, const struct terminal_style *style, double share);

/* Compute the width of a name that terminal_print_name() prints. */
int terminal_columns(const char *name);

/**
 * terminal_print_name - print a name, with control characters in octal
 * @name: any bytes, printed as by escape_octal()
 *
 * Return: number of columns printed.
 */
int terminal_print_name(FILE *out, const char *name);

/**
 * terminal_print_cut - print a name as terminal_print_name() does, up to a width
 * @most: width in columns, at least 4. An ellipsis replaces the end of a longer name.
 *        0: unlimited
 *
 * Return: number of columns printed.
 */
int terminal_print_cut(FILE *out, const char *name, int most);

/**
 * terminal_print_text - print comment lines, and wrap long ones
 * @style: lines longer than its columns are continued in the next line, after "#   "
 * @text:  lines that start with "# ", with control characters in octal already
 *
 * Return: number of lines printed.
 */
long terminal_print_text(FILE *out, const struct terminal_style *style, const char *text);

/**
 * terminal_print_comment - print one comment line, and wrap it if it is long
 * @format: as for printf(3), without a newline. Control characters are printed in octal
 *
 * Return: 0 or -ENOMEM.
 */
int terminal_print_comment(FILE *out, const struct terminal_style *style,
			   const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif /* PROFIL_TERMINAL_H */
