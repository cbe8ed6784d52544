/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page of text about a row: the source, instructions or callers of a function, or the functions
 * of a thread or a program. A helper writes it, as it reads the files of the program.
 */
#ifndef PROFIL_DRILL_DOWN_H
#define PROFIL_DRILL_DOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "live/run.h"
#include "top/rows.h"
#include "util/helper.h"

/* What a page is about */
enum drill_down_of {
	DRILL_DOWN_SOURCE,
	DRILL_DOWN_INSTRUCTIONS,
	DRILL_DOWN_CALLERS,
	DRILL_DOWN_THREAD,
	DRILL_DOWN_PROGRAM,
};

/* A page; all zero: none */
struct drill_down {
	struct helper helper;
	int file;
	char *text;	/* the page; its lines end in 0; NULL: not written yet */
	size_t bytes;
	char **lines;
	size_t nr;
	const struct row *row;	/* what it is about */
	enum drill_down_of of;
	uint64_t start_ns;	/* when it was begun */
};

/*
 * Begin to write a page. Meanwhile, it is the one before about the same, or what the row has. If it
 * cannot be written, the page has the reason.
 */
void drill_down_begin(struct drill_down *drill_down, const struct live_run *run, enum drill_down_of of,
		   const struct row *row, int columns);

/* Look if the page is written. Return: whether there are new lines. */
bool drill_down_look(struct drill_down *drill_down);

/* End the helper, free the page, and set all to zero. */
void drill_down_end(struct drill_down *drill_down);

#endif /* PROFIL_DRILL_DOWN_H */
