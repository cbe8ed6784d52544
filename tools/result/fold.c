// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folds what takes room and has few samples. Each pass is linear in the number of parts, or sorts.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "result/fold.h"
#include "result/merge_objects.h"
#include "result/select.h"
#include "result/stacks.h"

#define PART_BYTES	4	/* at least, in a message */
#define PROGRAM_BYTES	32	/* about, in a message, besides its path */
#define LEAST_SHARE	16	/* one of so many parts is folded at least, or there would be many steps */

size_t fold_parts(const struct fold *fold)
{
	size_t nr = 0, i;

	for (i = 0; i < fold->nr_lists; i++)
		nr += *fold->lists[i].nr;
	return nr;
}

/* --- threads ----------------------------------------------------------------------- */

/* What a thread has */
struct weight {
	uint64_t samples;
	size_t parts;
	uint32_t thread;
};

static int compare_weights(const void *va, const void *vb)
{
	const struct weight *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples < b->samples ? -1 : 1;
	/* later ones first: those of the first program may be the user's */
	return a->thread > b->thread ? -1 : a->thread < b->thread;
}

static struct weight *weigh(const struct fold *fold, size_t nr_threads)
{
	struct weight *weights = calloc(nr_threads + 1, sizeof(*weights));
	size_t i, j;

	for (i = 0; weights && i < nr_threads; i++)
		weights[i].thread = (uint32_t)i;
	for (i = 0; weights && i < fold->nr_lists; i++)
		for (j = 0; j < *fold->lists[i].nr; j++) {
			const struct result_part *part = &fold->lists[i].parts[j];

			if (part->thread == RESULT_NO_THREAD)
				continue;
			weights[part->thread].samples += part->samples;
			weights[part->thread].parts++;
		}
	return weights;
}

static bool is_folded(const struct result_thread *threads, const struct result_part *part)
{
	return part->thread == RESULT_NO_THREAD ||
	       threads[part->thread].process == RESULT_NO_PROCESS;
}

/* Add up the parts of folded threads at each address: that of no thread is the last one there. */
static void fold_list(const struct fold_list *list, const struct result_thread *threads)
{
	struct result_part rest = { 0 }, *parts = list->parts;
	size_t from, to = 0;

	for (from = 0; from < *list->nr; from++) {
		if (rest.samples && rest.address != parts[from].address) {
			parts[to++] = rest;
			rest.samples = 0;
		}
		if (!is_folded(threads, &parts[from])) {
			parts[to++] = parts[from];
			continue;
		}
		if (!rest.samples)
			rest = (struct result_part){
				.address = parts[from].address, .thread = RESULT_NO_THREAD,
			};
		rest.samples += parts[from].samples;
		rest.system += parts[from].system;
	}
	if (rest.samples)
		parts[to++] = rest;
	*list->nr = to;
}

static void fold_lists(const struct fold *fold, const struct result_thread *threads)
{
	size_t i;

	for (i = 0; i < fold->nr_lists; i++)
		fold_list(&fold->lists[i], threads);
}

ssize_t fold_threads(const struct fold *fold, struct result_thread *threads, size_t nr_threads,
		     size_t excess, size_t least)
{
	struct weight *weights = weigh(fold, nr_threads);
	size_t parts = 0, i;
	ssize_t nr = 0;

	if (!weights)
		return -ENOMEM;
	qsort(weights, nr_threads, sizeof(*weights), compare_weights);
	for (i = 0; i < nr_threads && ((size_t)nr < least || parts < excess); i++) {
		struct result_thread *thread = &threads[weights[i].thread];

		if (thread->process == RESULT_NO_PROCESS)
			continue;
		parts += weights[i].parts;
		free(thread->name);
		*thread = (struct result_thread){ .process = RESULT_NO_PROCESS };
		nr++;
	}
	free(weights);
	if (nr)
		fold_lists(fold, threads);
	return nr;
}

/* --- places ------------------------------------------------------------------------ */

static size_t count_rare(const struct fold *fold, uint64_t most)
{
	size_t nr = 0, i, j;

	for (i = 0; i < fold->nr_lists; i++)
		for (j = 0; j < *fold->lists[i].nr; j++)
			nr += fold->lists[i].parts[j].samples <= most;
	return nr;
}

void fold_places(const struct fold *fold, size_t excess, struct result_part *outside)
{
	const size_t all = fold_parts(fold);
	uint64_t most = 1;
	size_t i, from, to;

	if (!excess || excess > all)
		excess = excess ? all : 1;
	while (count_rare(fold, most) < excess)
		most *= 2;
	for (i = 0; i < fold->nr_lists; i++) {
		struct result_part *parts = fold->lists[i].parts;

		for (from = to = 0; from < *fold->lists[i].nr; from++) {
			if (parts[from].samples > most) {
				parts[to++] = parts[from];
				continue;
			}
			outside->samples += parts[from].samples;
			outside->system += parts[from].system;
		}
		*fold->lists[i].nr = to;
	}
}

/* --- a result ---------------------------------------------------------------------- */

/* Made code has the functions that have samples. */
static void drop_functions(struct result_object *object)
{
	const struct result_part *end = object->parts + object->nr_parts, *part;
	size_t from, to = 0;

	for (from = 0; from < object->nr_functions; from++) {
		part = result_find_part(object, object->functions[from].start);
		if (part < end && part->address < object->functions[from].end)
			object->functions[to++] = object->functions[from];
		else
			free(object->functions[from].name);
	}
	object->nr_functions = to;
}

static int fold_places_of(struct result *result, const struct fold *fold, size_t excess)
{
	struct result_part outside = { .thread = RESULT_NO_THREAD };
	size_t i;

	fold_places(fold, excess, &outside);
	for (i = 0; i < result->nr_objects; i++)
		if (!result_is_file(&result->objects[i]))
			drop_functions(&result->objects[i]);
	result->folded_samples += outside.samples;
	return merge_parts(&result->outside_parts, &result->nr_outside_parts, &outside, 1);
}

static size_t bytes_of_arguments(const struct result *result)
{
	size_t bytes = 0, i;
	char **argument;

	for (i = 0; i < result->nr_processes; i++)
		for (argument = result->processes[i].argv; argument && *argument; argument++)
			bytes += strlen(*argument) + 1;
	return bytes;
}

/* Return: whether there were any. */
static bool drop_arguments(struct result *result)
{
	bool had_any = false;
	size_t i;

	for (i = 0; i < result->nr_processes; i++) {
		had_any |= result->processes[i].argv != NULL;
		result_free_argv(result->processes[i].argv);
		result->processes[i].argv = NULL;
	}
	return had_any;
}

/* Return: whether there were any. */
static bool drop_names(struct result *result)
{
	bool had_any = false;
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		if (result->objects[i].has_names) {
			result_release_names(&result->objects[i]);
			had_any = true;
		}
	result_free_argv(result->strings);
	result->strings = NULL;
	result->nr_strings = 0;
	return had_any;
}

static size_t bytes_of_programs(const struct result *result)
{
	size_t bytes = 0, i;

	for (i = 1; i < result->nr_processes; i++)
		bytes += strlen(result->processes[i].program) + PROGRAM_BYTES;
	return bytes;
}

/* No thread is listed, so none is of a program. */
static void drop_programs(struct result *result)
{
	const size_t nr = (result->nr_processes + 1) / 2;

	while (result->nr_processes > nr) {
		struct result_process *process = &result->processes[--result->nr_processes];

		result->unlisted_processes++;
		result->unlisted_ended += process->has_ended;
		result->unlisted_cpu_ns += process->cpu_ns;
		free(process->program);
	}
}

/* After those of the objects, one is outside, and one has the stacks. */
#define OTHER_LISTS	2

/* Return: the lists of a result, to free(). */
static struct fold lists_of(struct result *result)
{
	struct fold fold = {
		.lists = calloc(result->nr_objects + OTHER_LISTS, sizeof(*fold.lists)),
	};
	size_t i;

	for (i = 0; fold.lists && i < result->nr_objects; i++)
		fold.lists[i] = (struct fold_list){
			result->objects[i].parts, &result->objects[i].nr_parts,
		};
	if (fold.lists) {
		fold.lists[i] = (struct fold_list){
			result->outside_parts, &result->nr_outside_parts,
		};
		fold.lists[i + 1] = (struct fold_list){
			result->stack_parts, &result->nr_stack_parts,
		};
	}
	fold.nr_lists = result->nr_objects + OTHER_LISTS;
	return fold;
}

int fold_threads_of(struct result *result, size_t excess, size_t least)
{
	const struct fold fold = lists_of(result);
	ssize_t nr = -ENOMEM;

	if (fold.lists)
		nr = fold_threads(&fold, result->threads, result->nr_threads, excess, least);
	free(fold.lists);
	if (nr <= 0)
		return nr ? (int)nr : -ENOENT;
	result->folded_threads += (uint64_t)nr;
	return fold_remove_threads(result);
}

static int fold_more(struct result *result, size_t excess)
{
	struct fold fold;
	int error;

	if (drop_arguments(result) || result_stacks_drop(result) || drop_names(result))
		return 0;
	fold = lists_of(result);
	if (!fold.lists)
		return -ENOMEM;
	/* what is outside has one part, as no thread is listed, and there are no stacks */
	fold.nr_lists -= OTHER_LISTS;
	error = fold_parts(&fold) ? 0 : -EMSGSIZE;
	if (result->nr_processes > 1 &&
	    (error || bytes_of_programs(result) > PART_BYTES * fold_parts(&fold))) {
		drop_programs(result);
		error = 0;
	} else if (!error) {
		error = fold_places_of(result, &fold, excess);
	}
	free(fold.lists);
	return error;
}

/* Return: a number of parts whose share of all is that of the bytes that are too many. */
static size_t excess_of(struct result *result, size_t bytes, size_t limit)
{
	const struct fold fold = lists_of(result);
	const size_t nr = fold.lists ? fold_parts(&fold) : 0;
	const size_t excess = (size_t)((double)(bytes - limit) / (double)bytes * (double)nr) + 1;

	free(fold.lists);
	return excess > nr / LEAST_SHARE ? excess : nr / LEAST_SHARE;
}

int fold_result(struct result *result, size_t bytes, size_t limit)
{
	const size_t excess = excess_of(result, bytes, limit);
	int error;

	if (bytes_of_arguments(result) > limit / 2) {
		drop_arguments(result);
		return 0;
	}
	error = fold_threads_of(result, excess, 1);
	if (error == -ENOENT)
		error = fold_more(result, excess);
	return error ? error : result_sum(result);
}

int fold_marked(struct result *result)
{
	const struct fold fold = lists_of(result);

	if (!fold.lists)
		return -ENOMEM;
	fold_lists(&fold, result->threads);
	free(fold.lists);
	return 0;
}

int fold_remove_threads(struct result *result)
{
	uint32_t *index = calloc(result->nr_threads + 1, sizeof(*index)), to = 0;
	const struct fold fold = lists_of(result);
	int error = index && fold.lists ? 0 : -ENOMEM;
	size_t i, j;

	if (!error)
		fold_lists(&fold, result->threads);
	for (i = 0; !error && i < result->nr_threads; i++) {
		index[i] = to;
		if (result->threads[i].process != RESULT_NO_PROCESS)
			result->threads[to++] = result->threads[i];
		else
			free(result->threads[i].name);
	}
	for (i = 0; !error && i < fold.nr_lists; i++)
		for (j = 0; j < *fold.lists[i].nr; j++) {
			struct result_part *part = &fold.lists[i].parts[j];

			if (part->thread != RESULT_NO_THREAD)
				part->thread = index[part->thread];
		}
	if (!error)
		result->nr_threads = to;
	free(fold.lists);
	free(index);
	return error;
}

/* --- objects ------------------------------------------------------------------------ */

static uint64_t sum_samples(const struct result_object *object)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < object->nr_parts; i++)
		samples += object->parts[i].samples;
	return samples;
}

static int compare_samples(const void *va, const void *vb)
{
	const struct result_object *a = va, *b = vb;
	const uint64_t samples = sum_samples(a), others = sum_samples(b);

	if (samples != others)
		return samples > others ? -1 : 1;
	return result_compare_objects(a, b);
}

int fold_objects(struct result *result)
{
	const size_t nr_objects = result->nr_objects;
	size_t nr = 0, i, j;
	struct result_part *parts;
	int error;

	if (nr_objects <= RESULT_MAX_OBJECTS)
		return 0;
	result_stacks_mark(result);
	qsort(result->objects, result->nr_objects, sizeof(*result->objects), compare_samples);
	for (i = RESULT_MAX_OBJECTS; i < result->nr_objects; i++)
		nr += result->objects[i].nr_parts;
	parts = calloc(nr + 1, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	nr = 0;
	while (result->nr_objects > RESULT_MAX_OBJECTS) {
		struct result_object *object = &result->objects[--result->nr_objects];

		for (j = 0; j < object->nr_parts; j++) {
			parts[nr] = object->parts[j];
			parts[nr++].address = 0;
		}
		result_release_object(object);
	}
	error = result_stacks_follow(result, nr_objects);
	if (!error)
		error = result_sort_objects(result);
	if (!error)
		error = merge_parts(&result->outside_parts, &result->nr_outside_parts, parts, nr);
	free(parts);
	return error;
}
