// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares two profiles. The rows of both are put into one list, sorted by name so that the rows
 * of one function and its copies are neighbours, and merged.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/comparison.h"
#include "profile/counterparts.h"
#include "profile/namesakes.h"
#include "profile/originals.h"
#include "profile/share.h"
#include "util/base_name.h"
#include "util/shorten.h"

#define NAMELESS	"(functions without a name)"
#define ALONE		"(only in one result)"
#define ALL		"(all functions)"

#define COUNTER		8	/* digits of the number of a copy at most; a hash has more */

/*
 * Append the rows of @side. @other: the other side; @names: of the objects of @side, as from
 * counterparts_find(). Return: 0 or -ENOMEM.
 */
static int append(struct comparison *comparison, const struct comparison_side *side,
		  const struct comparison_side *other, const char **names, bool is_new)
{
	const struct result_object **other_objects = namesakes_sort(other->result);
	size_t i;

	if (!other_objects)
		return -ENOMEM;
	for (i = 0; i < side->profile->nr_rows; i++) {
		const size_t number = comparison->nr_rows++;
		struct comparison_row *to = &comparison->rows[number];
		const struct profile_row *row = &side->profile->rows[i];
		const bool has_object = row->index != SIZE_MAX;
		const char *name = has_object ? names[row->index] : row->object;

		comparison->parts[number] = (struct comparison_part){ row, is_new, number };
		to->part = number;
		to->function = row->function;
		to->object = name ? name : base_name(side->result->objects[row->index].path);
		to->is_nameless = !row->has_name;
		if (!name) {
			to->function = ALONE;
			to->is_alone = true;
			to->is_nameless = false;
		} else if (!row->has_name && !row->is_rest &&
			   !namesakes_has(other_objects, other->result->nr_objects,
					  &side->result->objects[row->index])) {
			to->function = NAMELESS;
		}
		if (is_new)
			to->new_samples = row->samples;
		else
			to->old_samples = row->samples;
		to->original = shorten_copy(to->function);
		if (!to->original)
			break;
	}
	free(other_objects);
	return i < side->profile->nr_rows ? -ENOMEM : 0;
}

/* Functions with one original are neighbours. */
static int compare_originals(const void *va, const void *vb)
{
	const struct comparison_row *a = va, *b = vb;
	int order = strcmp(a->original, b->original);

	return order ? order : strcmp(a->object, b->object);
}

static int compare_names(const void *va, const void *vb)
{
	const struct comparison_row *a = va, *b = vb;
	int order = compare_originals(a, b);

	return order ? order : strcmp(a->function, b->function);
}

/* Add a row to another one, and drop it. */
static void add_row(struct comparison_part *parts, struct comparison_row *to,
		    struct comparison_row *row)
{
	const size_t next = parts[to->part].next;

	/* two rings become one */
	parts[to->part].next = parts[row->part].next;
	parts[row->part].next = next;
	to->old_samples += row->old_samples;
	to->new_samples += row->new_samples;
	free(row->original);
}

/* Return: length of a number that counts copies at @at, after a dot; a longer one is a hash. */
static size_t count_digits(const char *at)
{
	const size_t length = strspn(at, "0123456789");

	return at[-1] == '.' && length <= COUNTER ? length : 0;
}

/* Whether two names differ in the numbers of copies only */
static bool is_renumbered(const char *a, const char *b)
{
	if (*a != *b)
		return false;
	while (*a++ && *b++) {
		a += count_digits(a);
		b += count_digits(b);
		if (*a != *b)
			return false;
	}
	return true;
}

/* Whether a build has copies of one kind, so that their numbers may have changed places */
static bool has_numbered(const struct comparison_row *rows, size_t nr)
{
	size_t i;

	for (i = 1; i < nr; i++)
		if (((rows[i - 1].old_samples && rows[i].old_samples) ||
		     (rows[i - 1].new_samples && rows[i].new_samples)) &&
		    is_renumbered(rows[i - 1].function, rows[i].function))
			return true;
	return false;
}

/*
 * Merge the rows of one function, its parts and its copies: compilers decide anew which there are,
 * and number them anew. If both builds have the same number, those that have one name in both are
 * the same, unless it is a number that tells them apart. Return: the number of rows left.
 */
static size_t merge_copies(struct comparison_part *parts, struct comparison_row *rows, size_t nr)
{
	struct comparison_row *sum = NULL;
	const bool is_numbered = has_numbered(rows, nr);
	size_t old = 0, new = 0, from, to = 0;

	for (from = 0; from < nr; from++) {
		old += rows[from].old_samples > 0;
		new += rows[from].new_samples > 0;
	}
	for (from = 0; from < nr; from++) {
		const bool is_pair = rows[from].old_samples && rows[from].new_samples;

		if (nr > 1 && (old != new || is_numbered || !is_pair)) {
			if (sum) {
				add_row(parts, sum, &rows[from]);
				continue;
			}
			sum = &rows[to];
		}
		rows[to++] = rows[from];
	}
	if (sum && to == 1)
		sum->function = sum->original;
	return to;
}

static void merge(struct comparison *comparison)
{
	struct comparison_row *rows = comparison->rows;
	size_t from, next, to = 0;

	for (from = 0; from < comparison->nr_rows; from++) {
		if (to && !compare_names(&rows[to - 1], &rows[from]))
			add_row(comparison->parts, &rows[to - 1], &rows[from]);
		else
			rows[to++] = rows[from];
	}
	comparison->nr_rows = to;
	for (from = to = 0; from < comparison->nr_rows; from = next) {
		size_t left;

		for (next = from + 1; next < comparison->nr_rows; next++)
			if (compare_originals(&rows[from], &rows[next]))
				break;
		left = merge_copies(comparison->parts, &rows[from], next - from);
		memmove(&rows[to], &rows[from], left * sizeof(*rows));
		to += left;
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
	const char **names[2];
	int error;

	*comparison = (struct comparison){
		.of = of,
		.old = old->result,
		.all = {
			.function = ALL,
			.object = "",
			.old_samples = old->profile->samples,
			.new_samples = new->profile->samples,
		},
	};
	comparison->rows = calloc(nr + 1, sizeof(*comparison->rows));
	comparison->parts = calloc(nr + 1, sizeof(*comparison->parts));
	if (!comparison->rows || !comparison->parts)
		return -ENOMEM;
	error = counterparts_find(old, new, names);
	comparison->counterparts = names[0];
	if (!error)
		error = append(comparison, old, new, names[0], false);
	if (!error)
		error = append(comparison, new, old, names[1], true);
	free(names[1]);
	if (!error)
		error = originals_unite(comparison->rows, comparison->nr_rows);
	if (error)
		return error;
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

const char *comparison_renamed(const struct comparison *comparison, size_t object)
{
	const char *old = base_name(comparison->old->objects[object].path);
	const char *new = comparison->counterparts[object];

	return new && strcmp(old, new) ? old : NULL;
}

bool comparison_is_sum(const struct comparison *comparison, const struct comparison_row *row)
{
	const struct comparison_part *parts = comparison->parts;
	const char *names[2] = { NULL, NULL };
	size_t part = row->part;

	if (row->is_nameless || row->is_alone)
		return false;
	do {
		const char **name = &names[parts[part].is_new];

		if (*name && strcmp(*name, parts[part].row->function))
			return true;
		*name = parts[part].row->function;
		part = parts[part].next;
	} while (part != row->part);
	return false;
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
	size_t i;

	for (i = 0; i < comparison->nr_rows; i++)
		free(comparison->rows[i].original);
	free(comparison->rows);
	free(comparison->parts);
	free(comparison->counterparts);
	memset(comparison, 0, sizeof(*comparison));
}
