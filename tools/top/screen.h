/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole terminal, by ncurses: lines of text, and keys.
 */
#ifndef PROFIL_TOP_SCREEN_H
#define PROFIL_TOP_SCREEN_H

#include <stdbool.h>

#include "util/terminal.h"

struct screen;

/* A line */
struct screen_line {
	char *text;	/* its text, without control characters */
	enum terminal_color color;
	bool reverse;	/* in reverse video, up to the right border */
};

/* Keys that are no characters */
enum screen_key {
	SCREEN_NONE = 0x110000,		/* above all characters */
	SCREEN_UP,
	SCREEN_DOWN,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_ENTER,
	SCREEN_ESCAPE,
	SCREEN_BACKSPACE,
};

#define SCREEN_WHY	256	/* bytes for an explanation */

/*
 * Take over a terminal. Return: to be given to screen_free(); NULL: @why has the reason and the
 * remedy.
 */
struct screen *screen_new(int fd, char why[SCREEN_WHY]);

/*
 * Find the size of the terminal, which may have changed. Return: whether it has changed: all lines
 * are empty then.
 */
bool screen_size(struct screen *screen, int *columns, int *rows);

/*
 * Show as many lines as there are rows, and take over their texts; only those that have changed are
 * sent.
 */
void screen_show(struct screen *screen, struct screen_line *lines);

/* Read a key. Return: a character or a enum screen_key; SCREEN_NONE: no key is left. */
int screen_key(struct screen *screen);

/* Stop this process with the terminal as it was, until the shell continues it. */
void screen_suspend(struct screen *screen);

/* Give the terminal back. */
void screen_free(struct screen *screen);

#endif /* PROFIL_TOP_SCREEN_H */
