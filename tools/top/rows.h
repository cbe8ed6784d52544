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

/* What rows are sorted by */
enum rows_order {
	ROWS_BY_NOW,
	ROWS_BY_SAMPLES,
	ROWS_BY_SYSTEM,
	ROWS_BY_NAME,
	ROWS_BY_PLACE,
	NR_ROWS_ORDERS
};

/**
 * struct row - a function, a thread or a program
 * @place:   path of its object or its program; not its own memory
 * @pid:     of a thread: its process; else 0
 * @tid:     of a thread: its ID; else 0
 * @thread:  of a thread: its index (sample_hook.h)
 * @is_waiting: for samples whose names are not known yet
 * @samples: number of samples
 * @system:  how many of these are in the kernel
 * @recent:  its samples, newer ones with more weight (rows_now())
 * @shown:   private to paint.c: @name and @place in columns; NULL: not made yet
 * @columns: width of the line that it is for
 */
struct row {
	char *name;
	const char *place;
	int32_t pid;
	int32_t tid;
	uint32_t thread;
	bool is_waiting;
	uint64_t samples;
	uint64_t system;
	double recent;
	char *shown;
	int columns;
};

/**
 * struct rows - all rows of a table; all zero if empty
 * @list:    the rows, sorted by rows_sort()
 * @nr_new:  how many at the end of @list are not sorted yet
 * @order:   what they are sorted by
 * @is_changed: the order may be wrong
 * @samples: sum over all rows
 * @system:  how many of these are in the kernel
 * @recent:  sum of that of all rows
 * @weight:  of a sample that is taken now
 * @weight_ns: when it had that weight; 0: never
 * @start_ns: when the first samples were counted
 */
struct rows {
	struct row **list;
	size_t nr;
	size_t nr_new;
	enum rows_order order;
	bool is_changed;
	uint64_t samples;
	uint64_t system;
	double recent;
	double weight;
	uint64_t weight_ns;
	uint64_t start_ns;
};

/* The time goes on: later samples have more weight. */
void rows_tick(struct rows *rows, uint64_t now_ns);

/**
 * rows_new - append a row without samples
 * @name:  its name; copied
 * @place: must outlive the rows
 *
 * Return: the row; NULL: no memory.
 */
struct row *rows_new(struct rows *rows, const char *name, const char *place);

/**
 * rows_add - add samples to a row
 * @system:  how many of these are in the kernel
 */
void rows_add(struct rows *rows, struct row *row, uint64_t samples, uint64_t system);

/**
 * rows_drop - take samples from a row, which others have now
 * @system:  how many of these are in the kernel
 */
void rows_drop(struct rows *rows, struct row *row, uint64_t samples, uint64_t system);

/**
 * rows_move - move samples to another row
 * @system:  how many of these are in the kernel
 * @recent:  what they have added to @recent
 */
void rows_move(struct rows *rows, struct row *from, struct row *to, uint64_t samples,
	       uint64_t system, double recent);

/*
 * How many samples per second a row has had lately. Return: the rate, in which a sample counts less
 * the older it is.
 */
double rows_now(const struct rows *rows, double recent);

/**
 * rows_sort - sort the rows; those with equal keys by samples, then by name
 * @rows: the rows. Rows without samples are last
 */
void rows_sort(struct rows *rows);

/**
 * rows_order_by - choose what to sort by
 * @rows:  the rows, sorted by the next rows_sort()
 */
void rows_order_by(struct rows *rows, enum rows_order order);

/* Free the rows. */
void rows_release(struct rows *rows);

#endif /* PROFIL_TOP_ROWS_H */
