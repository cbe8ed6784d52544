// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of a live table.
 *
 * What a row has had lately is a sum of its samples, in which those of now weigh most. To weigh
 * all samples less as they get older would change all rows at each look. So the new ones weigh
 * more instead, and the order of rows without new samples stays as it is.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "top/rows.h"
#include "util/array.h"
#include "util/time_ns.h"

/* The weight of a sample falls to 1/e in this time */
#define FADE_NS		(3 * NS_PER_S)

/* The rate of the first samples, of a shorter time, could be any number */
#define LEAST_AGE_S	0.1

/* Sums of such weights are precise enough, and far from an overflow */
#define MAX_WEIGHT	1e30

/* With more new rows than this, sorting all of them is faster than inserting each */
#define MANY_NEW	64

void rows_tick(struct rows *rows, uint64_t now_ns)
{
	size_t i;

	if (!rows->weight_ns) {
		rows->weight = 1;
		rows->start_ns = now_ns;
	} else {
		rows->weight *= exp((double)(now_ns - rows->weight_ns) / FADE_NS);
	}
	rows->weight_ns = now_ns;
	if (rows->weight < MAX_WEIGHT)
		return;
	for (i = 0; i < rows->nr; i++)
		rows->list[i]->recent /= rows->weight;
	rows->recent /= rows->weight;
	rows->weight = 1;
}

struct row *rows_new(struct rows *rows, const char *name, const char *place)
{
	struct row **list = array_with_room(rows->list, rows->nr, sizeof(*list));
	struct row *row;

	if (!list)
		return NULL;
	rows->list = list;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->name = strdup(name);
	if (!row->name) {
		free(row);
		return NULL;
	}
	row->place = place;
	rows->list[rows->nr++] = row;
	rows->nr_new++;
	rows->is_changed = true;
	return row;
}

void rows_add(struct rows *rows, struct row *row, uint64_t samples, uint64_t system)
{
	row->samples += samples;
	row->system += system;
	row->recent += (double)samples * rows->weight;
	rows->recent += (double)samples * rows->weight;
	rows->samples += samples;
	rows->system += system;
	rows->is_changed = true;
}

void rows_drop(struct rows *rows, struct row *row, uint64_t samples, uint64_t system)
{
	const double recent = row->recent * ((double)samples / (double)row->samples);

	row->recent -= recent;
	rows->recent -= recent;
	row->samples -= samples;
	row->system -= system;
	rows->samples -= samples;
	rows->system -= system;
	rows->is_changed = true;
}

void rows_move(struct rows *rows, struct row *from, struct row *to, uint64_t samples,
	       uint64_t system, double recent)
{
	from->samples -= samples;
	from->system -= system;
	/* the weights may have been made smaller meanwhile */
	if (recent > from->recent || !from->samples)
		recent = from->recent;
	from->recent -= recent;
	to->samples += samples;
	to->system += system;
	to->recent += recent;
	rows->is_changed = true;
}

double rows_now(const struct rows *rows, double recent)
{
	const double fade_s = (double)FADE_NS / NS_PER_S;
	const double age_s = fmax((double)(rows->weight_ns - rows->start_ns) / NS_PER_S,
				  LEAST_AGE_S);
	/* what a constant rate of one sample per second has added up to by now */
	const double full = fade_s * (1 - exp(-age_s / fade_s));

	if (rows->whole_s > 0)
		return recent / rows->whole_s;
	return rows->weight > 0 ? recent / rows->weight / full : 0;
}

static int compare_samples(const struct row *a, const struct row *b)
{
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare(enum rows_order order, const struct row *a, const struct row *b)
{
	int first = 0;

	if (!rows_is_shown(a) || !rows_is_shown(b))
		return rows_is_shown(b) - rows_is_shown(a);
	switch (order) {
	case ROWS_BY_NOW:
		first = (a->recent < b->recent) - (a->recent > b->recent);
		break;
	case ROWS_BY_SYSTEM:
		first = (a->system < b->system) - (a->system > b->system);
		break;
	case ROWS_BY_NAME:
		first = strcmp(a->name, b->name);
		break;
	case ROWS_BY_PLACE:
		first = strcmp(a->place, b->place);
		break;
	default:
		break;
	}
	return first ? first : compare_samples(a, b);
}

static int compare_rows(const void *a, const void *b, void *rows)
{
	return compare(((const struct rows *)rows)->order, *(struct row *const *)a,
		       *(struct row *const *)b);
}

/* Return: where @row belongs in the first @nr rows, which are sorted. */
static size_t find_place(const struct rows *rows, size_t nr, const struct row *row)
{
	return array_first_not(nr, i, compare(rows->order, row, rows->list[i]) >= 0);
}

/* Move each row that belongs further up: they are few. */
static void insert_all(struct rows *rows)
{
	size_t i, at;

	for (i = 1; i < rows->nr; i++) {
		struct row *row = rows->list[i];

		if (compare(rows->order, row, rows->list[i - 1]) >= 0)
			continue;
		at = find_place(rows, i, row);
		memmove(&rows->list[at + 1], &rows->list[at], (i - at) * sizeof(row));
		rows->list[at] = row;
	}
}

void rows_sort(struct rows *rows)
{
	const char *search = rows->search ? rows->search : "";
	size_t i;

	if (!rows->is_changed)
		return;
	for (i = 0; i < rows->nr; i++)
		rows->list[i]->is_hidden = *search && !strcasestr(rows->list[i]->name, search);
	if (rows->nr_new > MANY_NEW)
		qsort_r(rows->list, rows->nr, sizeof(*rows->list), compare_rows, rows);
	else
		insert_all(rows);
	rows->nr_new = 0;
	rows->is_changed = false;
}

void rows_order_by(struct rows *rows, enum rows_order order)
{
	rows->order = order;
	rows->is_changed = true;
	/* all are new in this order */
	rows->nr_new = rows->nr;
}

void rows_release(struct rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++) {
		free(rows->list[i]->name);
		free(rows->list[i]->shown);
		free(rows->list[i]);
	}
	free(rows->list);
	memset(rows, 0, sizeof(*rows));
}
