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

/**
 * struct top_options - what to show
 * @terminal: descriptor of the terminal; -1: one table is printed at the end
 * @out:      where to print it
 * @delay_ns: how often the screen is renewed
 * @by:       what the rows are at the start
 * @order:    what they are sorted by
 * @most:     rows to print; 0: all
 */
struct top_options {
	int terminal;
	FILE *out;
	uint64_t delay_ns;
	enum paint_by by;
	enum rows_order order;
	uint64_t most;
};

/**
 * top_new - prepare a view
 * @recording: without samples; must outlive the view
 *
 * Return: to be given to top_free(); NULL: no memory.
 */
struct top *top_new(const struct top_options *options, struct recording *recording);

/**
 * top_begin - take over the terminal
 * @why: on error, gets a sentence with the reason and the remedy
 *
 * Until top_end(), messages to standard error wait if that is a terminal.
 *
 * Return: 0, or -1: see @why.
 */
int top_begin(struct top *top, char why[SCREEN_WHY]);

/* Bring the view up to date. Return: 0 or -ENOMEM. */
int top_show(struct top *top, const struct live_run *run);

/* Read keys. Return: false: the user leaves. */
bool top_key(struct top *top, const struct live_run *run);

/**
 * top_end - show the end, and give the terminal back
 * @run: the run, whose log has been read
 *
 * If the programs have ended, the view stays until the user leaves it. Without a terminal, the
 * table is printed.
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
