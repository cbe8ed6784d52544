// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares two profiles. The rows of both are put into one list, sorted by name so that the rows
 * of one function and its copies are neighbours, and merged.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/profil.h>

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

static int compare_files(const void *a, const void *b)
{
	return result_compare_objects(a, b);
}

/*
 * The name by which an object of a run is compared. @names: of the objects of the first run, as from
 * counterparts_find(). Return: NULL: it has no counterpart.
 */
static const char *name_of(const struct comparison_side *side, const struct comparison_side *run,
			   const char **names, size_t index)
{
	const struct result_object *objects = side->result->objects, *found;
	const struct result_object *object = &run->result->objects[index];

	if (run == side)
		return names[index];
	found = bsearch(object, objects, side->result->nr_objects, sizeof(*object), compare_files);
	return found ? names[found - objects] : base_name(object->path);
}

/*
 * Append the rows of run @i of @side. @other: the other side; @names: as above; @column: of the run, of
 * all runs. Return: 0 or -ENOMEM.
 */
static int append(struct comparison *comparison, const struct comparison_side *side, size_t i,
		  const struct comparison_side *other, const char **names, size_t column)
{
	const struct result_object **other_objects = namesakes_sort(other->result);
	const struct comparison_side *run = comparison_run(side, i);

	if (!other_objects)
		return -ENOMEM;
	comparison->all.samples[column] = run->profile->samples;
	for (i = 0; i < run->profile->nr_rows; i++) {
		const size_t number = comparison->nr_rows++;
		struct comparison_row *to = &comparison->rows[number];
		const struct profile_row *row = &run->profile->rows[i];
		const bool has_object = row->index != SIZE_MAX;
		const char *name = has_object ? name_of(side, run, names, row->index) : row->object;

		comparison->parts[number] = (struct comparison_part){
			.row = row, .is_new = column >= comparison->nr_old, .next = number,
		};
		to->part = number;
		to->samples = comparison->all.samples + (number + 1) * comparison->nr_runs;
		to->samples[column] = row->samples;
		to->function = row->function;
		to->object = name ? name : base_name(run->result->objects[row->index].path);
		to->is_nameless = !row->has_name;
		if (!name) {
			to->function = ALONE;
			to->is_alone = true;
			to->is_nameless = false;
		} else if (!row->has_name && !row->is_rest &&
			   !namesakes_has(other_objects, other->result->nr_objects,
					  &run->result->objects[row->index])) {
			to->function = NAMELESS;
		}
		if (column < comparison->nr_old)
			to->old_samples = row->samples;
		else
			to->new_samples = row->samples;
		to->original = shorten_copy(to->function);
		if (!to->original)
			break;
	}
	free(other_objects);
	return i < run->profile->nr_rows ? -ENOMEM : 0;
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
static void add_row(const struct comparison *comparison, struct comparison_row *to,
		    struct comparison_row *row)
{
	struct comparison_part *parts = comparison->parts;
	const size_t next = parts[to->part].next;
	size_t i;

	/* two rings become one */
	parts[to->part].next = parts[row->part].next;
	parts[row->part].next = next;
	for (i = 0; i < comparison->nr_runs; i++)
		to->samples[i] += row->samples[i];
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
static size_t merge_copies(const struct comparison *comparison, struct comparison_row *rows, size_t nr)
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
				add_row(comparison, sum, &rows[from]);
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
			add_row(comparison, &rows[to - 1], &rows[from]);
		else
			rows[to++] = rows[from];
	}
	comparison->nr_rows = to;
	for (from = to = 0; from < comparison->nr_rows; from = next) {
		size_t left;

		for (next = from + 1; next < comparison->nr_rows; next++)
			if (compare_originals(&rows[from], &rows[next]))
				break;
		left = merge_copies(comparison, &rows[from], next - from);
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

/* The value of a sample of a run */
static double unit_of(const struct comparison_side *run, enum comparison_of of)
{
	return of == COMPARISON_OF_SHARES ? share_of(1, run->profile->samples) :
					    result_seconds(run->result, 1);
}

/* Set what a side has in common for all rows. */
static void sum_side(struct comparison *comparison, struct confidence_side *sum,
		     const struct comparison_side *side)
{
	size_t i;

	for (i = 0; i < sum->nr; i++) {
		const struct comparison_side *run = comparison_run(side, i);

		sum->all += run->profile->samples;
		sum->unit = fmax(sum->unit, unit_of(run, comparison->of));
		if (comparison->of == COMPARISON_OF_SECONDS)
			sum->variance += confidence_variance(run->result);
		comparison->is_periodic |= run->result->clock == PROFIL_CLOCK_TICK ||
					   run->result->clock == PROFIL_CLOCK_TIMER;
	}
}

/* Return: the mean over the runs of a side; @sum has the row then. */
static double evaluate(struct confidence_side *sum, const struct comparison_side *side,
		       const uint64_t *samples, enum comparison_of of)
{
	size_t i;

	sum->samples = 0;
	for (i = 0; i < sum->nr; i++) {
		sum->samples += samples[i];
		sum->values[i] = unit_of(comparison_run(side, i), of) * (double)samples[i];
	}
	return confidence_mean(sum);
}

static void compare(struct comparison_row *row, const struct comparison_side *old,
		    const struct comparison_side *new, struct confidence_side sums[2],
		    enum comparison_of of)
{
	row->old = evaluate(&sums[0], old, row->samples, of);
	row->new = evaluate(&sums[1], new, row->samples + sums[0].nr, of);
	row->change = row->new - row->old;
	row->interval = confidence_change(&sums[0], &sums[1]);
	row->is_significant = row->interval.low > 0 || row->interval.high < 0;
}

/* Return: 0 or -ENOMEM. */
static int compare_all(struct comparison *comparison, const struct comparison_side *old,
		       const struct comparison_side *new)
{
	double *values = calloc(comparison->nr_runs, sizeof(*values));
	struct confidence_side sums[] = {
		{ .values = values, .nr = comparison->nr_old },
		{ .values = values + comparison->nr_old, .nr = 1 + new->nr_more },
	};
	size_t i;

	if (!values)
		return -ENOMEM;
	sum_side(comparison, &sums[0], old);
	sum_side(comparison, &sums[1], new);
	compare(&comparison->all, old, new, sums, comparison->of);
	comparison->all.old_samples = sums[0].all;
	comparison->all.new_samples = sums[1].all;
	if (comparison->of == COMPARISON_OF_SHARES)
		comparison->all.interval = (struct interval){ 0, 0 };
	for (i = 0; i < comparison->nr_rows; i++)
		compare(&comparison->rows[i], old, new, sums, comparison->of);
	free(values);
	return 0;
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
	const size_t nr_old = 1 + old->nr_more, nr_runs = nr_old + 1 + new->nr_more;
	const char **names[2];
	size_t nr = 0, i;
	int error;

	for (i = 0; i < nr_runs; i++)
		nr += (i < nr_old ? comparison_run(old, i) : comparison_run(new, i - nr_old))->profile->nr_rows;
	*comparison = (struct comparison){
		.of = of,
		.old = old->result,
		.nr_old = nr_old,
		.nr_runs = nr_runs,
		.all = {
			.function = ALL,
			.object = "",
			.samples = calloc((nr + 1) * nr_runs + 1, sizeof(uint64_t)),
		},
	};
	comparison->rows = calloc(nr + 1, sizeof(*comparison->rows));
	comparison->parts = calloc(nr + 1, sizeof(*comparison->parts));
	if (!comparison->rows || !comparison->parts || !comparison->all.samples)
		return -ENOMEM;
	error = counterparts_find(old, new, names);
	comparison->counterparts = names[0];
	for (i = 0; !error && i < nr_old; i++)
		error = append(comparison, old, i, new, names[0], i);
	for (i = 0; !error && i <= new->nr_more; i++)
		error = append(comparison, new, i, old, names[1], nr_old + i);
	free(names[1]);
	if (!error)
		error = originals_unite(comparison->rows, comparison->nr_rows);
	if (error)
		return error;
	qsort(comparison->rows, comparison->nr_rows, sizeof(*comparison->rows),
	      compare_names);
	merge(comparison);
	if (compare_all(comparison, old, new) || unmark_all_hidden(comparison))
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
	free(comparison->all.samples);
	free(comparison->counterparts);
	memset(comparison, 0, sizeof(*comparison));
}
