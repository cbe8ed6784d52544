/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Colours and bars, for who reads a report on a terminal.
 */
#ifndef PROFIL_TERMINAL_H
#define PROFIL_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TERMINAL_LEAST_COLUMNS	40	/* narrower ones get as much */

/* When there shall be colours and bars */
enum terminal_when {
	TERMINAL_AUTO,		/* on a terminal; colours, if NO_COLOR is not set */
	TERMINAL_ALWAYS,
	TERMINAL_NEVER,
};

/**
 * struct terminal_style - what a line may have besides text
 * @color:   colours
 * @bars:    columns of a bar for all; 0: none
 * @columns: of a line; 0: as many as it takes
 * @rows:    of the terminal; 0: it is none
 */
struct terminal_style {
	bool color;
	int bars;
	int columns;
	int rows;
};

/* What a colour stands for */
enum terminal_color {
	TERMINAL_PLAIN,
	TERMINAL_HOT,		/* much, or more than before */
	TERMINAL_WARM,
	TERMINAL_LESS,		/* less than before */
	TERMINAL_FAINT,		/* lines that are no data */
};

/**
 * terminal_parse_when - what an option's argument means
 * @text: "auto", "always" or "never"
 * @when: filled with it
 *
 * Return: whether it is one of these.
 */
bool terminal_parse_when(const char *text, enum terminal_when *when);

/**
 * terminal_style - what goes to a file
 * @out:  the file
 * @when: as asked for
 *
 * Lines are as long as COLUMNS or the terminal has it, else 80 columns.
 */
struct terminal_style terminal_style(FILE *out, enum terminal_when when);

/**
 * terminal_rows - how many rows of a table a terminal shows at once
 * @style: of it
 * @above: lines above the table
 *
 * Return: at least a few; 0: it is no terminal, and shows all.
 */
uint64_t terminal_rows(const struct terminal_style *style, long above);

/**
 * terminal_share_color - the color that a share of the samples is worth
 * @percent: of them
 */
enum terminal_color terminal_share_color(double percent);

/**
 * terminal_begin - what follows is of a colour, up to terminal_end()
 * @out:   where to
 * @style: without colours, nothing is printed
 * @color: of what is printed there next
 */
void terminal_begin(FILE *out, const struct terminal_style *style,
		    enum terminal_color color);

/**
 * terminal_end - what follows is plain again
 * @out:   where to
 * @style: as for terminal_begin()
 */
void terminal_end(FILE *out, const struct terminal_style *style);

/**
 * terminal_bar - a share as a bar
 * @out:   where to
 * @style: without bars, nothing is printed
 * @share: from 0 to 1
 */
void terminal_bar(FILE *out, const struct terminal_style *style, double share);

/**
 * terminal_columns - how wide a name is, as terminal_print_name() prints it
 * @name: as from a file
 */
int terminal_columns(const char *name);

/**
 * terminal_print_name - a name, with what could command a terminal in octal
 * @out:  where to
 * @name: as from a file
 *
 * As escape_octal() does.
 *
 * Return: how many columns it took.
 */
int terminal_print_name(FILE *out, const char *name);

/**
 * terminal_print_cut - the same of a name that may be too long
 * @out:  where to
 * @name: as from a file
 * @most: columns that there are, 4 at least; of what takes more, the end becomes an
 *        ellipsis. 0: as many as it takes
 *
 * Return: how many columns it took.
 */
int terminal_print_cut(FILE *out, const char *name, int most);

/**
 * terminal_print_text - lines of comments
 * @out:   where to
 * @style: longer ones go on in the next line, after "#   "
 * @text:  lines that begin with "# ", names in them as by terminal_print_name()
 *
 * Return: how many lines there are now.
 */
long terminal_print_text(FILE *out, const struct terminal_style *style, const char *text);

/**
 * terminal_print_comment - a line of it
 * @out:    where to
 * @style:  as for terminal_print_text()
 * @format: as of printf(3), without a newline; names are as from a file
 *
 * Return: 0 or -ENOMEM.
 */
int terminal_print_comment(FILE *out, const struct terminal_style *style,
			   const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif /* PROFIL_TERMINAL_H */
