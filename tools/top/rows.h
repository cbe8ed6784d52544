/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a live table, in the order of what they are sorted by. New samples move few rows, so
 * the order is mended, not made anew.
 */
#ifndef PROFIL_TOP_ROWS_H
#define PROFIL_TOP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In front of a program: the name of its code without names, as in a report */
#define ROWS_JIT	"[jit] "

/* What rows are sorted by */
enum rows_order {
	ROWS_BY_NOW,
	ROWS_BY_SAMPLES,
	ROWS_BY_SYSTEM,
	ROWS_BY_NAME,
	ROWS_BY_PLACE,
	NR_ROWS_ORDERS
};

/* A function, a thread or a program */
struct row {
	char *name;
	const char *place;	/* path of its object or its program; not its own memory */
	int32_t pid;	/* of a thread: its process; else 0 */
	int32_t tid;	/* of a thread: its ID; else 0 */
	uint32_t thread;	/* of a thread: its index (sample_hook.h) */
	bool is_waiting;	/* for samples whose names are not known yet */
	bool is_hidden;	/* its name lacks @search of the rows; set by rows_sort() */
	uint64_t samples;	/* number of samples */
	uint64_t system;	/* how many of these are in the kernel */
	double recent;	/* its samples, newer ones with more weight (rows_now()) */
	char *shown;	/* private to paint.c: @name and @place in columns; NULL: not made yet */
	int columns;	/* width of the line that it is for */
};

/* All rows of a table; all zero if empty */
struct rows {
	struct row **list;	/* the rows, sorted by rows_sort() */
	size_t nr;
	size_t nr_new;		/* how many at the end of @list are not sorted yet */
	enum rows_order order;	/* what they are sorted by */
	bool is_changed;	/* the order may be wrong */
	const char *search;	/* text in the names of rows that are shown; "" or NULL: all are */
	uint64_t samples;	/* sum over all rows */
	uint64_t system;	/* how many of these are in the kernel */
	double recent;		/* sum of that of all rows */
	double weight;		/* of a sample that is taken now */
	uint64_t weight_ns;	/* when it had that weight; 0: never */
	uint64_t start_ns;	/* when the first samples were counted */
	double whole_s;		/* of a stored result: its time, all of which is lately; 0: live */
};

/* The time goes on: later samples have more weight. */
void rows_tick(struct rows *rows, uint64_t now_ns);

/*
 * Append a row without samples. The name is copied, the place must outlive the rows. NULL: no
 * memory.
 */
struct row *rows_new(struct rows *rows, const char *name, const char *place);

/* Add samples to a row, of which @system are in the kernel. */
void rows_add(struct rows *rows, struct row *row, uint64_t samples, uint64_t system);

/* Take samples from a row, which others have now. */
void rows_drop(struct rows *rows, struct row *row, uint64_t samples, uint64_t system);

/* Move samples to another row, and what they have added to @recent. */
void rows_move(struct rows *rows, struct row *from, struct row *to, uint64_t samples,
	       uint64_t system, double recent);

/*
 * How many samples per second a row has had lately. Return: the rate, in which a sample counts less
 * the older it is.
 */
double rows_now(const struct rows *rows, double recent);

/* Return: whether a row of the sorted rows is shown. */
static inline bool rows_is_shown(const struct row *row)
{
	return row->samples && !row->is_hidden;
}

/* Sort the rows; those with equal keys by samples, then by name. Those not shown are last. */
void rows_sort(struct rows *rows);

/* Choose what the next rows_sort() sorts by. */
void rows_order_by(struct rows *rows, enum rows_order order);

/* Free the rows. */
void rows_release(struct rows *rows);

#endif /* PROFIL_TOP_ROWS_H */
