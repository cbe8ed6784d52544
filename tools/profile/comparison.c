// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares two profiles. The rows of both are put into one list, sorted by name so that the rows
 * of one function are neighbours, and merged.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/comparison.h"
#include "profile/namesakes.h"
#include "profile/share.h"
#include "util/base_name.h"

#define NAMELESS	"(functions without a name)"
#define ALL		"(all functions)"

/* Append the rows of @side. @other: the other side. Return: 0 or -ENOMEM. */
static int append(struct comparison *comparison, const struct comparison_side *side,
		  const struct comparison_side *other, bool is_new)
{
	const struct result_object **other_objects = namesakes_sort(other->result);
	size_t i;

	if (!other_objects)
		return -ENOMEM;
	for (i = 0; i < side->profile->nr_rows; i++) {
		struct comparison_row *to = &comparison->rows[comparison->nr_rows++];
		const struct profile_row *row = &side->profile->rows[i];

		to->function = row->function;
		to->object = base_name(row->object);
		to->is_nameless = !row->has_name;
		if (!row->has_name && !row->is_rest &&
		    !namesakes_has(other_objects, other->result->nr_objects,
				   &side->result->objects[row->index]))
			to->function = NAMELESS;
		if (is_new)
			to->new_samples = row->samples;
		else
			to->old_samples = row->samples;
	}
	free(other_objects);
	return 0;
}

static int compare_names(const void *va, const void *vb)
{
	const struct comparison_row *a = va, *b = vb;
	int order = strcmp(a->function, b->function);

	return order ? order : strcmp(a->object, b->object);
}

static void merge(struct comparison *comparison)
{
	struct comparison_row *rows = comparison->rows;
	size_t from, to = 0;

	for (from = 0; from < comparison->nr_rows; from++) {
		if (to && !compare_names(&rows[to - 1], &rows[from])) {
			rows[to - 1].old_samples += rows[from].old_samples;
			rows[to - 1].new_samples += rows[from].new_samples;
		} else {
			rows[to++] = rows[from];
		}
	}
	comparison->nr_rows = to;
}

/* The samples of an object in one profile */
struct object_sums {
	uint64_t all;
	uint64_t nameless;
};

static int compare_objects(const void *va, const void *vb)
{
	const struct comparison_row *const *a = va, *const *b = vb;

	return strcmp((*a)->object, (*b)->object);
}

/*
 * Whether a function without samples on one side can be there under another name, or without one.
 * @other: the samples of its object on that side
 */
static bool may_be_hidden(const struct comparison_row *row, const struct object_sums *other)
{
	return row->is_nameless ? other->all : other->nameless;
}

/* @rows: those of one object */
static void unmark_hidden(struct comparison_row **rows, size_t nr)
{
	struct object_sums old = { 0 }, new = { 0 };
	size_t i;

	for (i = 0; i < nr; i++) {
		old.all += rows[i]->old_samples;
		new.all += rows[i]->new_samples;
		if (!rows[i]->is_nameless)
			continue;
		old.nameless += rows[i]->old_samples;
		new.nameless += rows[i]->new_samples;
	}
	for (i = 0; i < nr; i++)
		if ((!rows[i]->old_samples && may_be_hidden(rows[i], &old)) ||
		    (!rows[i]->new_samples && may_be_hidden(rows[i], &new)))
			rows[i]->is_significant = false;
}

/*
 * Objects may have names on one side only: their file is gone, or debug symbols were installed. A
 * function that is on one side only is no change then. Return: 0 or -ENOMEM.
 */
static int unmark_all_hidden(struct comparison *comparison)
{
	struct comparison_row **rows = calloc(comparison->nr_rows + 1, sizeof(*rows));
	size_t first, next;

	if (!rows)
		return -ENOMEM;
	for (first = 0; first < comparison->nr_rows; first++)
		rows[first] = &comparison->rows[first];
	qsort(rows, comparison->nr_rows, sizeof(*rows), compare_objects);
	for (first = 0; first < comparison->nr_rows; first = next) {
		for (next = first + 1; next < comparison->nr_rows; next++)
			if (compare_objects(&rows[first], &rows[next]))
				break;
		unmark_hidden(&rows[first], next - first);
	}
	free(rows);
	return 0;
}

static void compare_seconds(struct comparison_row *row, const struct result *old,
			    const struct result *new)
{
	const double old_each = result_seconds(old, 1), new_each = result_seconds(new, 1);

	row->old = result_seconds(old, row->old_samples);
	row->new = result_seconds(new, row->new_samples);
	row->interval = confidence_seconds_difference(row->old_samples, old_each,
						      row->new_samples, new_each);
	row->is_significant = confidence_seconds_differ(row->old_samples, old_each,
							row->new_samples, new_each);
}

static void compare_shares(struct comparison_row *row, const struct profile *old,
			   const struct profile *new)
{
	row->old = share_of(row->old_samples, old->samples);
	row->new = share_of(row->new_samples, new->samples);
	row->interval = confidence_difference(row->old_samples, old->samples,
					      row->new_samples, new->samples);
	row->is_significant = row->interval.low > 0 || row->interval.high < 0;
}

static void compare(struct comparison_row *row, const struct comparison_side *old,
		    const struct comparison_side *new, enum comparison_of of)
{
	if (of == COMPARISON_OF_SHARES)
		compare_shares(row, old->profile, new->profile);
	else
		compare_seconds(row, old->result, new->result);
	row->change = row->new - row->old;
}

static int compare_changes(const void *va, const void *vb)
{
	const struct comparison_row *a = va, *b = vb;
	double difference = fabs(b->change) - fabs(a->change);

	if (difference < 0 || difference > 0)
		return difference < 0 ? -1 : 1;
	return compare_names(a, b);
}

int comparison_make(struct comparison *comparison, const struct comparison_side *old,
		    const struct comparison_side *new, enum comparison_of of)
{
	size_t nr = old->profile->nr_rows + new->profile->nr_rows, i;

	*comparison = (struct comparison){
		.of = of,
		.all = {
			.function = ALL,
			.object = "",
			.old_samples = old->profile->samples,
			.new_samples = new->profile->samples,
		},
	};
	comparison->rows = calloc(nr + 1, sizeof(*comparison->rows));
	if (!comparison->rows)
		return -ENOMEM;
	if (append(comparison, old, new, false) || append(comparison, new, old, true))
		return -ENOMEM;
	qsort(comparison->rows, comparison->nr_rows, sizeof(*comparison->rows),
	      compare_names);
	merge(comparison);
	compare(&comparison->all, old, new, of);
	for (i = 0; i < comparison->nr_rows; i++)
		compare(&comparison->rows[i], old, new, of);
	if (unmark_all_hidden(comparison))
		return -ENOMEM;
	qsort(comparison->rows, comparison->nr_rows, sizeof(*comparison->rows),
	      compare_changes);
	return 0;
}

double comparison_percent(const struct comparison *comparison, double change)
{
	return 100 * change / comparison->all.old;
}

bool comparison_is_worse(const struct comparison *comparison, const struct comparison_row *row,
			 double percent)
{
	return row->is_significant && row->interval.low > 0 &&
	       comparison_percent(comparison, row->interval.low) > percent;
}

void comparison_release(struct comparison *comparison)
{
	free(comparison->rows);
	memset(comparison, 0, sizeof(*comparison));
}
