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

	memset(comparison, 0, sizeof(*comparison));
	comparison->rows = calloc(nr + 1, sizeof(*comparison->rows));
	if (!comparison->rows)
		return -ENOMEM;
	if (append(comparison, old, new, false) || append(comparison, new, old, true))
		return -ENOMEM;
	qsort(comparison->rows, comparison->nr_rows, sizeof(*comparison->rows),
	      compare_names);
	merge(comparison);
	for (i = 0; i < comparison->nr_rows; i++) {
		struct comparison_row *row = &comparison->rows[i];

		if (of == COMPARISON_OF_SHARES)
			compare_shares(row, old->profile, new->profile);
		else
			compare_seconds(row, old->result, new->result);
		row->change = row->new - row->old;
	}
	qsort(comparison->rows, comparison->nr_rows, sizeof(*comparison->rows),
	      compare_changes);
	return 0;
}

void comparison_release(struct comparison *comparison)
{
	free(comparison->rows);
	memset(comparison, 0, sizeof(*comparison));
}
