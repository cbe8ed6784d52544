/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A live view of a run: adds up its samples by function, thread and program, and shows them.
 */
#ifndef PROFIL_TOP_H
#define PROFIL_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record/recording.h"
#include "top/drill_down.h"
#include "top/paint.h"
#include "top/rows.h"
#include "top/screen.h"

struct top;

/* How often top_show() is to be called: also slower views take names, and see another size */
#define TOP_TICK_NS	100000000

/* What to show */
struct top_options {
	int terminal;	/* descriptor of the terminal; -1: one table is printed at the end */
	FILE *out;	/* where to print it */
	uint64_t delay_ns;	/* how often the screen is renewed */
	enum paint_by by;	/* what the rows are at the start */
	enum rows_order order;	/* what they are sorted by */
	uint64_t most;	/* rows to print; 0: all */
	const char *output;	/* the file of a result that the user asks for */
};

/*
 * Prepare a view of a recording without samples, which must outlive it. Return: to be given to
 * top_free(); NULL: no memory.
 */
struct top *top_new(const struct top_options *options, struct recording *recording);

/*
 * Show a stored result: on the terminal until the user leaves, or one table. @path: its file, as
 * the user knows it. Return: 0; or -1, and @why has the reason.
 */
int top_show_stored(const struct top_options *options, const struct result *result,
		    const char *path, char why[SCREEN_WHY]);

/*
 * Take over the terminal. Until top_end(), messages to standard error wait if that is a terminal.
 * Return: 0, or -1: @why has the reason and the remedy.
 */
int top_begin(struct top *top, char why[SCREEN_WHY]);

/* Bring the view up to date. Return: 0 or -ENOMEM. */
int top_show(struct top *top, const struct live_run *run);

/* Read keys. Return: false: the user leaves. */
bool top_key(struct top *top, const struct live_run *run);

/*
 * Show the end of the run, whose log has been read, and give the terminal back. If the programs
 * have ended, the view stays until the user leaves it. Without a terminal, the table is printed.
 */
void top_end(struct top *top, const struct live_run *run);

/*
 * Let no standard descriptor of a command be a terminal; for struct child_calls. What it writes
 * would be in the middle of the screen, and it would take the keys.
 */
void top_hide_command(void *data);

/* Free the memory. */
void top_free(struct top *top);

#endif /* PROFIL_TOP_H */
