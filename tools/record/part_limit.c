// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits the samples that a recording keeps apart.
 */
#include <errno.h>
#include <stdlib.h>

#include "record/part_limit.h"
#include "record/recording_state.h"
#include "result/fold.h"
#include "util/array.h"

/* All tables of a recording */
struct tables {
	struct counts **of;
	size_t nr;
	size_t nr_parts;
	int error;
};

static void count(void *data, struct counts *counts)
{
	*(size_t *)data += counts->nr;
}

static void add(void *data, struct counts *counts)
{
	struct tables *tables = data;
	struct counts **last;

	if (tables->error || !counts->nr)
		return;
	last = array_append(tables->of, tables->nr);
	if (last)
		*last = counts;
	tables->error = last ? counts_sort(counts) : -ENOMEM;
}

/* Without the samples outside all objects, to which folded ones are added. */
static void each_counts(struct recording *recording,
			void (*call)(void *data, struct counts *counts), void *data)
{
	struct file *file;

	for (file = recording->files.last; file; file = file->next)
		call(data, &file->counts);
	jit_each_counts(&recording->jit, call, data);
}

static int fold(struct recording *recording, const struct fold *fold, size_t most)
{
	struct result_part outside = { .thread = RESULT_NO_THREAD };
	struct threads *threads = &recording->threads;
	ssize_t nr;

	while (fold_parts(fold) > most) {
		nr = fold_threads(fold, threads->list, threads->nr, fold_parts(fold) - most, 1);
		if (nr < 0)
			return (int)nr;
		recording->folded_threads += (uint64_t)nr;
		if (!nr)
			fold_places(fold, fold_parts(fold) - most, &outside);
	}
	recording->folded_samples += outside.samples;
	return outside.samples ? counts_add_outside(&recording->outside, &outside, 1) : 0;
}

int part_limit_keep(struct recording *recording)
{
	const size_t limit = recording->limit ? recording->limit : PART_LIMIT;
	struct tables tables = { 0 };
	struct fold lists = { 0 };
	size_t nr = 0, i;
	int error;

	each_counts(recording, count, &nr);
	if (nr + recording->outside.nr <= limit)
		return 0;
	each_counts(recording, add, &tables);
	add(&tables, &recording->outside);
	lists.lists = calloc(tables.nr + 1, sizeof(*lists.lists));
	error = lists.lists ? tables.error : -ENOMEM;
	for (i = 0; !error && i < tables.nr; i++)
		lists.lists[lists.nr_lists++] = (struct fold_list){
			tables.of[i]->parts, &tables.of[i]->nr,
		};
	if (!error)
		error = fold(recording, &lists, limit / 2);
	for (i = 0; i < tables.nr; i++)
		counts_refresh(tables.of[i]);
	free(lists.lists);
	free(tables.of);
	return error;
}
