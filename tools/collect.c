// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the memory that a run was counted in to its result. The memory has a row of
 * counters for each executable segment, at run-time addresses; the result has the
 * samples of each file, at link-time addresses.
 *
 * A program can write what it likes into the memory, and its children may still do so:
 * a counter is read once, and that segments of one file overlap, which no file has, is
 * no reason to lose a sample.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/profil.h>

#include "collect.h"
#include "objectfile.h"

#define UNNAMED	"[unnamed]"
#define UNKNOWN	"[unknown]"

/* No CPU time is longer than this, 292 years: what the memory says can be added up. */
#define LONGEST_NS	((uint64_t)INT64_MAX)

static int copy_argv(struct result *result, char *const argv[])
{
	size_t nr = 0, i;

	while (argv[nr])
		nr++;
	result->argv = calloc(nr + 1, sizeof(*result->argv));
	if (!result->argv)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		result->argv[i] = strdup(argv[i]);
		if (!result->argv[i])
			return -ENOMEM;
	}
	return 0;
}

static int describe_machine(struct result *result)
{
	struct utsname name;

	if (uname(&name))
		return -errno;
	result->host = strdup(name.nodename);
	if (asprintf(&result->kernel, "%s %s", name.release, name.machine) < 0)
		result->kernel = NULL;
	return result->host && result->kernel ? 0 : -ENOMEM;
}

static uint64_t shorter(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/*
 * The memory has the figures of all processes in one sum, which is the program's own
 * only if it was alone.
 */
static int list_processes(struct result *result, const struct runfile *run,
			  const struct command_end *end)
{
	const struct profil_run *header = &run->header;
	const uint64_t before_ns = shorter(header->start_cpu_ns, LONGEST_NS);
	const uint64_t end_ns = shorter(header->end_cpu_ns, LONGEST_NS);
	struct result_process *program = calloc(1, sizeof(*program));
	const char *name = result->argv[0];

	if (!program)
		return -ENOMEM;
	result->processes = program;
	result->nr_processes = 1;
	program->pid = header->pid;
	program->parent = (int32_t)getpid();
	if (header->pid != end->pid || !name) {
		name = UNKNOWN;
		program->parent = 0;
	}
	program->program = strdup(name);
	if (!program->program)
		return -ENOMEM;
	program->before_ns = before_ns;
	program->has_ended = end_ns > before_ns;
	if (program->has_ended)
		program->cpu_ns = end_ns - before_ns;
	result->unlisted = header->nr_forked;
	result->unlisted_ended = header->nr_ended < header->nr_forked ?
				 header->nr_ended : header->nr_forked;
	result->unlisted_cpu_ns = shorter(header->forked_cpu_ns, LONGEST_NS);
	if (!header->nr_forked && header->nr_told && program->has_ended) {
		program->has_told = true;
		program->samples = result_samples(result);
		program->lost = header->lost;
		program->error = (int32_t)header->lost_error;
	}
	return 0;
}

static const char *object_path(const struct runfile_object *object)
{
	return object->path[0] ? object->path : UNNAMED;
}

static int compare_segments(const void *va, const void *vb)
{
	const struct runfile_object *const *a = va, *const *b = vb;
	int order = strcmp(object_path(*a), object_path(*b));

	if (order)
		return order;
	/* as they are in memory */
	return *a < *b ? -1 : *a > *b;
}

/* All segments, those of one file side by side. Return: them, or NULL: no memory. */
static const struct runfile_object **sort_segments(const struct runfile *run)
{
	const struct runfile_object **segments;
	size_t i;

	segments = calloc(run->nr_objects + 1, sizeof(*segments));
	if (!segments)
		return NULL;
	for (i = 0; i < run->nr_objects; i++)
		segments[i] = &run->objects[i];
	qsort(segments, run->nr_objects, sizeof(*segments), compare_segments);
	return segments;
}

static int add_count(struct result_object *object, size_t *room, uint64_t address,
		     uint64_t samples)
{
	if (object->nr_counts == *room) {
		size_t more = *room ? 2 * *room : 64;
		struct result_count *counts;

		counts = reallocarray(object->counts, more, sizeof(*counts));
		if (!counts)
			return -ENOMEM;
		object->counts = counts;
		*room = more;
	}
	object->counts[object->nr_counts].address = address;
	object->counts[object->nr_counts].samples = samples;
	object->nr_counts++;
	object->samples += samples;
	return 0;
}

static int add_segment(struct result_object *object, size_t *room,
		       const struct runfile_object *segment, uint32_t text_bytes)
{
	uint64_t start = segment->start - segment->bias;
	uint64_t end = segment->end - segment->bias;
	size_t i;

	if (start < object->start)
		object->start = start;
	if (end > object->end)
		object->end = end;
	for (i = 0; i < segment->nr_counters; i++) {
		uint32_t samples = runfile_count(&segment->counters[i]);

		if (samples && add_count(object, room, start + i * text_bytes, samples))
			return -ENOMEM;
	}
	return 0;
}

static int compare_counts(const void *va, const void *vb)
{
	const struct result_count *a = va, *b = vb;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* A file that is loaded twice has each of its counters twice. */
static void merge_counts(struct result_object *object, uint32_t text_bytes)
{
	struct result_count *counts = object->counts;
	size_t from, to = 0;

	if (!object->nr_counts)
		return;
	qsort(counts, object->nr_counts, sizeof(*counts), compare_counts);
	for (from = 1; from < object->nr_counts; from++) {
		if (counts[from].address - counts[to].address < text_bytes)
			counts[to].samples += counts[from].samples;
		else
			counts[++to] = counts[from];
	}
	object->nr_counts = to + 1;
}

/* Make one object of @nr segments of one file. */
static int add_object(struct result *result, const struct runfile_object **segments,
		      size_t nr)
{
	struct result_object *object = &result->objects[result->nr_objects++];
	size_t room = 0, i;

	object->path = strdup(object_path(segments[0]));
	if (!object->path)
		return -ENOMEM;
	object->bias = segments[0]->bias;
	object->start = UINT64_MAX;
	for (i = 0; i < nr; i++)
		if (add_segment(object, &room, segments[i], result->text_bytes))
			return -ENOMEM;
	merge_counts(object, result->text_bytes);
	if (result_is_file(object))
		object->build_id_bytes =
			objectfile_read_build_id(object->path, object->build_id,
						 sizeof(object->build_id));
	return 0;
}

static int list_objects(struct result *result, const struct runfile *run)
{
	const struct runfile_object **segments = sort_segments(run);
	size_t first, next;
	int error = 0;

	result->objects = calloc(run->nr_objects + 1, sizeof(*result->objects));
	if (!segments || !result->objects)
		error = -ENOMEM;
	for (first = 0; !error && first < run->nr_objects; first = next) {
		const char *path = object_path(segments[first]);

		for (next = first + 1; next < run->nr_objects; next++)
			if (strcmp(object_path(segments[next]), path))
				break;
		error = add_object(result, segments + first, next - first);
	}
	free(segments);
	return error;
}

int collect_result(struct result *result, const struct runfile *run,
		   const struct command_end *end, char *const argv[])
{
	const struct profil_run *header = &run->header;
	int error;

	memset(result, 0, sizeof(*result));
	result->began_ns = end->began_ns;
	result->elapsed_ns = end->elapsed_ns;
	result->status = end->status;
	result->pid = end->pid;
	if (header->clock <= PROFIL_CLOCK_RANDOM)
		result->clock = header->clock;
	result->rate = header->rate;
	result->asked_rate = header->asked_rate;
	result->text_bytes = header->text_bytes;
	result->program_cpu_ns = end->cpu_ns;
	result->children_cpu_ns = end->children_cpu_ns;
	result->outside = run->outside ? runfile_count(run->outside) : 0;
	result->lost = header->lost;
	result->lost_error = (int32_t)header->lost_error;
	result->told = header->nr_told;
	result->forks_denied = header->forks_denied;
	error = copy_argv(result, argv);
	if (!error)
		error = describe_machine(result);
	if (!error)
		error = list_objects(result, run);
	if (!error)
		error = list_processes(result, run, end);
	return error;
}
