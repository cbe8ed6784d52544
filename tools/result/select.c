// SPDX-License-Identifier: GPL-2.0-only
/*
 * Selects samples: the conditions are decided once for each thread and each object. Other parts
 * are dropped, and what is left is added up by address, thread and process.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/select.h"
#include "result/stacks.h"
#include "util/base_name.h"

bool selection_is_all(const struct selection *selection)
{
	return !selection->program && !selection->process && !selection->thread &&
	       !selection->object;
}

/* "[jit]" is a name, and as a pattern a letter. */
static bool is_name(const char *pattern, const char *name)
{
	return !strcmp(pattern, name) || !fnmatch(pattern, name, 0);
}

static bool matches(const char *pattern, const char *path)
{
	return !pattern || is_name(pattern, path) || is_name(pattern, base_name(path));
}

/*
 * A link to a program, and one program under many names, are known by the name in argv[0], and
 * scripts by that of the first thread.
 */
static bool is_called(const char *pattern, const struct result_process *process)
{
	return matches(pattern, process->program) ||
	       (process->argv && process->argv[0] && matches(pattern, process->argv[0]));
}

static bool thread_matches(const char *pattern, const struct result_thread *thread)
{
	char tid[16];

	if (!pattern)
		return true;
	snprintf(tid, sizeof(tid), "%d", thread->tid);
	return !strcmp(pattern, tid) ||
	       is_name(pattern, result_text(thread->name) ? : RESULT_UNKNOWN);
}

/* @called: for each process, whether it has the name of the selected program */
static bool selects_thread(const struct result *result, const struct selection *selection,
			   const bool *called, const struct result_thread *thread)
{
	if (!thread_matches(selection->thread, thread))
		return false;
	if (thread->process == RESULT_NO_PROCESS)
		return !selection->program && !selection->process;
	return called[thread->process] &&
	       (!selection->process ||
		selection->process == result->processes[thread->process].pid);
}

static void find_called(const struct result *result, const char *pattern, bool *called)
{
	size_t i;

	for (i = 0; i < result->nr_processes; i++)
		called[i] = is_called(pattern, &result->processes[i]);
	for (i = 0; i < result->nr_threads; i++) {
		const struct result_thread *thread = &result->threads[i];

		if (thread->process != RESULT_NO_PROCESS && result_text(thread->name) &&
		    thread->tid == result->processes[thread->process].pid)
			called[thread->process] |= matches(pattern, thread->name);
	}
}

/*
 * struct chosen - which threads are selected
 * @threads:  for each thread
 * @unlisted: samples of threads that are not listed are
 */
struct chosen {
	bool *threads;
	bool unlisted;
};

static bool is_chosen(const struct chosen *chosen, uint32_t thread)
{
	return thread == RESULT_NO_THREAD ? chosen->unlisted : chosen->threads[thread];
}

/* Add a part to the sums of its thread and its process. */
static void add_to_thread(struct result *result, const struct result_part *part)
{
	struct result_thread *thread;

	if (part->thread == RESULT_NO_THREAD)
		return;
	thread = &result->threads[part->thread];
	thread->samples += part->samples;
	thread->system += part->system;
	if (thread->process == RESULT_NO_PROCESS)
		return;
	result->processes[thread->process].samples += part->samples;
	result->processes[thread->process].system += part->system;
}

static void add_to_object(struct result_object *object, const struct result_part *part)
{
	struct result_count *count = object->counts + object->nr_counts;

	if (object->nr_counts && count[-1].address == part->address) {
		count--;
	} else {
		*count = (struct result_count){ .address = part->address };
		object->nr_counts++;
	}
	count->samples += part->samples;
	count->system += part->system;
	object->samples += part->samples;
}

/* Drop all parts of threads that are not chosen; all if @chosen is NULL. */
static void drop_parts(struct result_part *parts, size_t *nr, const struct chosen *chosen)
{
	size_t from, to = 0;

	for (from = 0; from < *nr && chosen; from++)
		if (is_chosen(chosen, parts[from].thread))
			parts[to++] = parts[from];
	*nr = to;
}

static int sum_object(struct result *result, struct result_object *object)
{
	size_t i;

	if (!object->counts) {
		object->counts = calloc(object->nr_parts + 1, sizeof(*object->counts));
		if (!object->counts)
			return -ENOMEM;
	}
	for (i = 0; i < object->nr_parts; i++) {
		add_to_object(object, &object->parts[i]);
		add_to_thread(result, &object->parts[i]);
	}
	return 0;
}

static void sum_outside(struct result *result)
{
	size_t i;

	for (i = 0; i < result->nr_outside_parts; i++) {
		result->outside += result->outside_parts[i].samples;
		result->outside_system += result->outside_parts[i].system;
		add_to_thread(result, &result->outside_parts[i]);
	}
}

static void clear_sums(struct result *result)
{
	size_t i;

	result->outside = result->outside_system = 0;
	for (i = 0; i < result->nr_objects; i++)
		result->objects[i].samples = result->objects[i].nr_counts = 0;
	for (i = 0; i < result->nr_processes; i++)
		result->processes[i].samples = result->processes[i].system = 0;
	for (i = 0; i < result->nr_threads; i++)
		result->threads[i].samples = result->threads[i].system = 0;
}

int result_sum(struct result *result)
{
	int error = 0;
	size_t i;

	clear_sums(result);
	for (i = 0; !error && i < result->nr_objects; i++)
		error = sum_object(result, &result->objects[i]);
	sum_outside(result);
	return error;
}

/* Drop the stacks whose innermost frame is in an object that is not selected. */
static void drop_stacks(struct result *result, const char *object)
{
	size_t from, to = 0;

	for (from = 0; from < result->nr_stack_parts; from++) {
		const uint64_t address = result->stack_parts[from].address;
		const struct result_node *node = &result->nodes[address];
		const char *path = node->object == RESULT_NO_OBJECT ?
				   result_stack_name((enum result_stack)node->address) :
				   result->objects[node->object].path;

		if (matches(object, path))
			result->stack_parts[to++] = result->stack_parts[from];
	}
	result->nr_stack_parts = to;
}

int result_select(struct result *result, const struct selection *selection)
{
	struct chosen chosen = {
		.threads = calloc(result->nr_threads + 1, sizeof(*chosen.threads)),
		.unlisted = !selection->program && !selection->process && !selection->thread,
	};
	bool *called = calloc(result->nr_processes + 1, sizeof(*called));
	size_t i;

	if (!chosen.threads || !called) {
		free(chosen.threads);
		free(called);
		return -ENOMEM;
	}
	find_called(result, selection->program, called);
	for (i = 0; i < result->nr_threads; i++)
		chosen.threads[i] = selects_thread(result, selection, called, &result->threads[i]);
	free(called);
	for (i = 0; i < result->nr_objects; i++) {
		struct result_object *object = &result->objects[i];

		drop_parts(object->parts, &object->nr_parts,
			   matches(selection->object, object->path) ? &chosen : NULL);
	}
	drop_parts(result->outside_parts, &result->nr_outside_parts,
		   matches(selection->object, RESULT_OUTSIDE) ? &chosen : NULL);
	drop_parts(result->stack_parts, &result->nr_stack_parts, &chosen);
	drop_stacks(result, selection->object);
	free(chosen.threads);
	return result_sum(result);
}

char *selection_pattern(const char *path)
{
	char *pattern = malloc(2 * strlen(path) + 1), *to = pattern;

	if (!pattern)
		return NULL;
	for (; *path; path++) {
		if (strchr("*?[\\", *path))
			*to++ = '\\';
		*to++ = *path;
	}
	*to = 0;
	return pattern;
}
