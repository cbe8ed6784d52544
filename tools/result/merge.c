// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds up results. A list of the sum is the list of the first result with that of the other behind
 * it, so indexes in the other one are raised by the length of the first. What both may have is
 * added up: objects, programs without a profile, texts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/profil.h>

#include "result/fold.h"
#include "result/merge.h"
#include "result/merge_objects.h"
#include "result/select.h"
#include "result/stacks.h"

static int __attribute__((format(printf, 2, 3)))
refuse(char why[MERGE_WHY], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, MERGE_WHY, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* A sample stands for the CPU time between two: that must be the same in both. */
static int check_rates(const struct result *sum, const struct result *more, char why[MERGE_WHY])
{
	if (sum->rate != more->rate)
		return refuse(why, "its samples were taken at %" PRIu32 " Hz, those before at %" PRIu32 " Hz, so a sample stands for another CPU time: profile with the same --rate, or compare them with `profil diff --shares'",
			      more->rate, sum->rate);
	if (sum->requested_rate != more->requested_rate)
		return refuse(why, "the kernel lowered the rate of one of the runs, which was requested at %" PRIu32 " Hz: profile with --rate %" PRIu32,
			      sum->requested_rate > more->requested_rate ?
			      sum->requested_rate : more->requested_rate, sum->rate);
	return 0;
}

/* Move the elements of a list behind those of another. Return: 0 or -ENOMEM. */
static int append(void *list, size_t *nr, void *more, size_t *nr_more, size_t bytes)
{
	char **to = list, **from = more;
	char *all = reallocarray(*to, *nr + *nr_more + 1, bytes);

	if (!all)
		return -ENOMEM;
	*to = all;
	if (*nr_more)
		memcpy(all + *nr * bytes, *from, *nr_more * bytes);
	*nr += *nr_more;
	/* the elements are those of the sum now */
	*nr_more = 0;
	return 0;
}

/* --- processes and threads ---------------------------------------------------------- */

static void move_threads(struct result_part *parts, size_t nr, size_t by)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (parts[i].thread != RESULT_NO_THREAD)
			parts[i].thread += (uint32_t)by;
}

/* Both together must not have too many threads. Each may keep half of them. */
static int make_room(struct result *sum, struct result *more)
{
	struct result *const both[] = { sum, more };
	int error = 0;
	size_t i;

	if (sum->nr_threads + more->nr_threads <= RESULT_MAX_THREADS)
		return 0;
	for (i = 0; !error && i < 2; i++)
		if (both[i]->nr_threads > RESULT_MAX_THREADS / 2)
			error = fold_threads_of(both[i], 0,
						both[i]->nr_threads - RESULT_MAX_THREADS / 2);
	return error;
}

static int add_processes(struct result *sum, struct result *more)
{
	const size_t nr_processes = sum->nr_processes, nr_threads = sum->nr_threads;
	int error;
	size_t i;

	for (i = 0; i < more->nr_objects; i++)
		move_threads(more->objects[i].parts, more->objects[i].nr_parts, nr_threads);
	move_threads(more->outside_parts, more->nr_outside_parts, nr_threads);
	move_threads(more->stack_parts, more->nr_stack_parts, nr_threads);
	for (i = 0; i < more->nr_threads; i++)
		if (more->threads[i].process != RESULT_NO_PROCESS)
			more->threads[i].process += (uint32_t)nr_processes;
	error = append(&sum->processes, &sum->nr_processes, &more->processes, &more->nr_processes,
		       sizeof(*sum->processes));
	return error ? error : append(&sum->threads, &sum->nr_threads, &more->threads,
				      &more->nr_threads, sizeof(*sum->threads));
}

static int add_unprofiled(struct result *sum, struct result *more, char why[MERGE_WHY])
{
	size_t from, to = 0, i;

	for (from = 0; from < more->nr_unprofiled; from++) {
		struct result_unprofiled *program = &more->unprofiled[from];

		for (i = 0; i < sum->nr_unprofiled; i++)
			if (!strcmp(sum->unprofiled[i].program, program->program))
				break;
		if (i == sum->nr_unprofiled) {
			more->unprofiled[to++] = *program;
			continue;
		}
		sum->unprofiled[i].processes += program->processes;
		sum->unprofiled[i].cpu_ns += program->cpu_ns;
		free(program->program);
	}
	more->nr_unprofiled = to;
	if (sum->nr_unprofiled + to > RESULT_MAX_UNPROFILED)
		return refuse(why, "a result has at most %d programs without a profile",
			      RESULT_MAX_UNPROFILED);
	return append(&sum->unprofiled, &sum->nr_unprofiled, &more->unprofiled,
		      &more->nr_unprofiled, sizeof(*sum->unprofiled));
}

/* --- texts -------------------------------------------------------------------------- */

static int compare_texts(const void *va, const void *vb)
{
	const char *const *const *a = va, *const *const *b = vb;

	return strcmp(**a, **b);
}

/* Find each text among those of the sum, or add it. @index: set to where it is then */
static int add_texts(struct result *sum, struct result *more, uint32_t *index)
{
	char ***sorted = calloc(sum->nr_strings + 1, sizeof(*sorted));
	const size_t nr = sum->nr_strings;
	char **strings = reallocarray(sum->strings, nr + more->nr_strings + 1, sizeof(*strings));
	size_t i;

	if (strings)
		sum->strings = strings;
	if (!sorted || !strings) {
		free(sorted);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++)
		sorted[i] = &strings[i];
	qsort(sorted, nr, sizeof(*sorted), compare_texts);
	for (i = 0; i < more->nr_strings; i++) {
		char **text = &more->strings[i];
		char ***found = bsearch(&text, sorted, nr, sizeof(*sorted), compare_texts);

		index[i] = (uint32_t)(found ? (size_t)(*found - strings) : sum->nr_strings);
		if (found)
			free(*text);
		else
			strings[sum->nr_strings++] = *text;
	}
	strings[sum->nr_strings] = NULL;
	free(sorted);
	free(more->strings);
	more->strings = NULL;
	more->nr_strings = 0;
	return 0;
}

/* The first text of both is "", so the index 0 stays. */
static void move_texts(struct result_object *object, const uint32_t *index)
{
	size_t i;

	for (i = 0; i < object->nr_functions; i++)
		if (object->functions[i].file)
			object->functions[i].file = index[object->functions[i].file];
	for (i = 0; i < object->nr_frames; i++) {
		struct result_frame *frame = &object->frames[i];

		if (frame->function)
			frame->function = index[frame->function];
		if (frame->file)
			frame->file = index[frame->file];
	}
}

static int add_all_texts(struct result *sum, struct result *more)
{
	uint32_t *index = calloc(more->nr_strings + 1, sizeof(*index));
	int error = index ? add_texts(sum, more, index) : -ENOMEM;
	size_t i;

	for (i = 0; !error && i < more->nr_objects; i++)
		move_texts(&more->objects[i], index);
	free(index);
	return error;
}

/* --- objects ------------------------------------------------------------------------ */

static bool has_build_id(const struct result_object *object, const struct result_object *other)
{
	return object->build_id_bytes && object->build_id_bytes == other->build_id_bytes &&
	       !memcmp(object->build_id, other->build_id, object->build_id_bytes);
}

/* Find the same object; a file may be at another path. Return: NULL: none. */
static struct result_object *find_object(struct result *sum, size_t nr,
					 const struct result_object *object)
{
	struct result_object *found = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!result_compare_objects(&sum->objects[i], object))
			return &sum->objects[i];
		if (!found && has_build_id(object, &sum->objects[i]))
			found = &sum->objects[i];
	}
	return found;
}

/* @index: set to where each object of @more is then, before the objects are sorted */
static int add_each_object(struct result *sum, struct result *more, uint32_t *index,
			   char why[MERGE_WHY])
{
	const size_t nr = sum->nr_objects;
	size_t from, to = 0;
	int error = 0;

	for (from = 0; !error && from < more->nr_objects; from++) {
		struct result_object *object = &more->objects[from];
		struct result_object *same = find_object(sum, nr, object);

		if (!same) {
			struct result_object new = *object;

			memset(object, 0, sizeof(*object));
			index[from] = (uint32_t)(nr + to);
			more->objects[to++] = new;
			continue;
		}
		index[from] = (uint32_t)(same - sum->objects);
		error = merge_object(same, object);
		if (error == -EOVERFLOW)
			return refuse(why, "%s: there are not enough addresses for the code of both",
				      object->path);
		result_release_object(object);
	}
	if (error)
		return error;
	more->nr_objects = to;
	return append(&sum->objects, &sum->nr_objects, &more->objects, &more->nr_objects,
		      sizeof(*sum->objects));
}

static int add_objects(struct result *sum, struct result *more, char why[MERGE_WHY])
{
	uint32_t *index = calloc(more->nr_objects + 1, sizeof(*index));
	int error = index ? add_each_object(sum, more, index, why) : -ENOMEM;

	if (!error)
		error = result_stacks_merge(sum, more, index);
	free(index);
	return error ? error : result_sort_objects(sum);
}

/* --- the run ------------------------------------------------------------------------- */

/* A text that both have stays, others are listed: "a, b". Return: 0 or -ENOMEM. */
static int add_to_list(char **list, const char *text)
{
	const char *found = strstr(*list, text);
	const size_t length = strlen(text);
	char *longer;

	while (found && ((found != *list && found[-1] != ' ') ||
			 (found[length] && found[length] != ',')))
		found = strstr(found + 1, text);
	if (found)
		return 0;
	if (asprintf(&longer, "%s%s%s", *list, **list ? ", " : "", text) < 0)
		return -ENOMEM;
	free(*list);
	*list = longer;
	return 0;
}

/* A control group is that of the sum only if all have the same. */
static void keep_cgroup(struct result *sum, const struct result *more)
{
	const char *a = result_text(sum->cgroup), *b = result_text(more->cgroup);

	if (a && b && !strcmp(a, b))
		return;
	free(sum->cgroup);
	sum->cgroup = NULL;
}

static void add_figures(struct result *sum, const struct result *more)
{
	if (more->start_time_ns < sum->start_time_ns)
		sum->start_time_ns = more->start_time_ns;
	sum->elapsed_ns += more->elapsed_ns;
	if (!sum->status)
		sum->status = more->status;
	if (sum->clock != more->clock)
		sum->clock = PROFIL_CLOCK_AUTO;
	/* the other command is another process than that of the sum */
	sum->children_cpu_ns += more->program_cpu_ns + more->children_cpu_ns;
	sum->lost += more->lost;
	sum->lost_records += more->lost_records;
	sum->records_filled_log |= more->records_filled_log;
	sum->skipped += more->skipped;
	/* 0: a result of an older version, which lacks figures */
	if (more->log_bytes < sum->log_bytes) {
		sum->log_bytes = more->log_bytes;
		sum->wanted_log_bytes = more->wanted_log_bytes;
	}
	sum->no_follow |= more->no_follow;
	sum->folded_threads += more->folded_threads;
	sum->folded_samples += more->folded_samples;
	sum->fork_failures += more->fork_failures;
	sum->unlisted_processes += more->unlisted_processes;
	sum->unlisted_ended += more->unlisted_ended;
	sum->unlisted_cpu_ns += more->unlisted_cpu_ns;
}

int merge_add(struct result *sum, struct result *more, char why[MERGE_WHY])
{
	int error = check_rates(sum, more, why);
	const char *problem;
	size_t i;

	if (!error)
		error = add_to_list(&sum->host, more->host);
	if (!error)
		error = add_to_list(&sum->kernel, more->kernel);
	if (!error)
		error = make_room(sum, more);
	if (!error)
		error = add_processes(sum, more);
	if (!error)
		error = add_unprofiled(sum, more, why);
	if (!error)
		error = add_all_texts(sum, more);
	if (!error)
		error = add_objects(sum, more, why);
	if (!error)
		error = merge_parts(&sum->outside_parts, &sum->nr_outside_parts,
				    more->outside_parts, more->nr_outside_parts);
	if (!error)
		error = fold_objects(sum);
	if (error)
		return error;
	keep_cgroup(sum, more);
	add_figures(sum, more);
	problem = result_problem(sum);
	if (problem)
		return refuse(why, "the sum is larger than a result can be: %s", problem);
	/* the counts have memory for the parts that were there before */
	for (i = 0; i < sum->nr_objects; i++) {
		free(sum->objects[i].counts);
		sum->objects[i].counts = NULL;
	}
	error = result_sum(sum);
	result_find_mean_rate(sum);
	return error;
}
