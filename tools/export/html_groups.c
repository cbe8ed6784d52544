// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which samples are of which program and thread. Threads with the same name in programs with the
 * same file name are one group: a build has thousands of processes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/html.h"
#include "util/base_name.h"
#include "util/escape.h"

#define UNLISTED	"(unlisted)"	/* as in the report by program */

static const char *program_name(const struct result *result, size_t thread)
{
	const uint32_t process = thread < result->nr_threads ? result->threads[thread].process :
				 RESULT_NO_PROCESS;

	return process == RESULT_NO_PROCESS ? UNLISTED :
	       base_name(result->processes[process].program);
}

static const char *thread_name(const struct result *result, size_t thread)
{
	if (thread == result->nr_threads)
		return UNLISTED;
	return result_text(result->threads[thread].name) ? : RESULT_UNKNOWN;
}

static int compare_names(const void *va, const void *vb)
{
	const char *const *a = va, *const *b = vb;

	return strcmp(*a, *b);
}

/* Make the sorted list of the names that @name has for all threads. Return: NULL: no memory. */
static const char **list_names(const struct result *result,
			       const char *(*name)(const struct result *result, size_t thread),
			       size_t *nr)
{
	const char **names = calloc(result->nr_threads + 1, sizeof(*names));
	size_t i;

	if (!names)
		return NULL;
	for (i = 0; i <= result->nr_threads; i++)
		names[i] = name(result, i);
	qsort(names, result->nr_threads + 1, sizeof(*names), compare_names);
	*nr = 1;
	for (i = 1; i <= result->nr_threads; i++)
		if (strcmp(names[i], names[*nr - 1]))
			names[(*nr)++] = names[i];
	return names;
}

static size_t find_name(const char **names, size_t nr, const char *name)
{
	const char **found = bsearch(&name, names, nr, sizeof(*names), compare_names);

	return (size_t)(found - names);
}

int html_groups_make(struct html_groups *groups, const struct result *result)
{
	size_t i;

	*groups = (struct html_groups){
		.of_thread = calloc(result->nr_threads + 1, sizeof(*groups->of_thread)),
	};
	groups->programs = list_names(result, program_name, &groups->nr_programs);
	groups->threads = list_names(result, thread_name, &groups->nr_threads);
	if (!groups->programs || !groups->threads || !groups->of_thread)
		return -ENOMEM;
	for (i = 0; i <= result->nr_threads; i++)
		groups->of_thread[i] = groups->nr_threads *
			find_name(groups->programs, groups->nr_programs, program_name(result, i)) +
			find_name(groups->threads, groups->nr_threads, thread_name(result, i));
	return 0;
}

static void print_names(struct json *json, const char *member, const char **names, size_t nr)
{
	size_t i;

	json_member(json, member);
	json_enter(json, '[');
	for (i = 0; i < nr; i++) {
		json_next(json);
		escape_json(json->out, names[i]);
	}
	json_leave(json, ']');
}

void html_groups_print(struct json *json, const struct html_groups *groups)
{
	print_names(json, "programs", groups->programs, groups->nr_programs);
	print_names(json, "threads", groups->threads, groups->nr_threads);
}

/* Samples of a group */
struct part {
	size_t group;
	uint64_t samples;
	uint64_t system;
};

static int compare_parts(const void *va, const void *vb)
{
	const struct part *a = va, *b = vb;

	return a->group < b->group ? -1 : a->group > b->group;
}

/* Add up the parts of each group. Return: their number. */
static size_t add_up(struct part *parts, size_t nr)
{
	size_t from, to = 0;

	if (!nr)
		return 0;
	qsort(parts, nr, sizeof(*parts), compare_parts);
	for (from = 1; from < nr; from++) {
		if (parts[from].group == parts[to].group) {
			parts[to].samples += parts[from].samples;
			parts[to].system += parts[from].system;
		} else {
			parts[++to] = parts[from];
		}
	}
	return to + 1;
}

int html_groups_print_parts(FILE *out, const struct html_groups *groups,
			    const struct result *result, const struct result_part *parts,
			    size_t nr)
{
	struct part *sums = calloc(nr + 1, sizeof(*sums));
	size_t i;

	if (!sums)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const size_t thread = parts[i].thread == RESULT_NO_THREAD ? result->nr_threads :
				      parts[i].thread;

		sums[i] = (struct part){ groups->of_thread[thread], parts[i].samples,
					 parts[i].system };
	}
	nr = add_up(sums, nr);
	for (i = 0; i < nr; i++) {
		fprintf(out, ",%zu", sums[i].group);
		if (nr > 1)
			fprintf(out, ",%" PRIu64 ",%" PRIu64, sums[i].samples, sums[i].system);
	}
	free(sums);
	return 0;
}

void html_groups_release(struct html_groups *groups)
{
	free(groups->programs);
	free(groups->threads);
	free(groups->of_thread);
	memset(groups, 0, sizeof(*groups));
}
