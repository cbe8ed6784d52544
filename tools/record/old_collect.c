// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the result of a run from its shared memory, which has the counters of each executable
 * segment. The result has the samples of each file.
 *
 * The profiled programs can write anything into the memory, and children that still run may do
 * so at any time. So each counter is read only once. Segments of one file may overlap, which
 * must not lose samples.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/profil.h>

#include "record/old_collect.h"

#define UNKNOWN	"[unknown]"

/* Limit of the sum of all CPU times, and of all lost samples, so that they cannot overflow */
#define MAX_SUM	((uint64_t)INT64_MAX)

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

/* Return: @value, but at most @rest, which is reduced by it. */
static uint64_t limit_sum(uint64_t *rest, uint64_t value)
{
	if (value > *rest)
		value = *rest;
	*rest -= value;
	return value;
}

static int add_process(struct result *result, const struct shm *run,
		       const struct profil_run_process *from, uint64_t *rest_ns)
{
	struct result_process *process = &result->processes[result->nr_processes++];
	uint64_t cpu_ns = 0;

	process->pid = from->pid;
	process->rate = from->rate;
	process->parent = from->parent;
	process->is_fork = from->flags & PROFIL_RUN_FORKED;
	process->start_cpu_ns = from->start_cpu_ns < MAX_SUM ? from->start_cpu_ns : MAX_SUM;
	process->has_ended = from->state == PROFIL_RUN_ENDED;
	if (process->has_ended && from->end_cpu_ns > from->start_cpu_ns)
		cpu_ns = from->end_cpu_ns - from->start_cpu_ns;
	process->cpu_ns = limit_sum(rest_ns, cpu_ns);
	process->has_status = process->has_ended && (from->flags & PROFIL_RUN_TOLD);
	if (process->has_status) {
		process->samples = from->samples;
		process->lost = from->lost;
		process->error = from->error;
	}
	process->program = strdup(from->program < run->nr_objects ?
				  run->objects[from->program].path : UNKNOWN);
	return process->program ? 0 : -ENOMEM;
}

static int list_processes(struct result *result, const struct shm *run)
{
	uint64_t rest_ns = MAX_SUM, rest_lost = MAX_SUM, rest_failures = MAX_SUM;
	size_t i;

	result->damaged_entries = run->nr_damaged;
	result->unlisted_processes = run->nr_unlisted;
	result->start_failures = run->nr_failed;
	result->rate = UINT32_MAX;
	result->processes = calloc(run->nr_processes, sizeof(*result->processes));
	if (!result->processes)
		return -ENOMEM;
	for (i = 0; i < run->nr_processes; i++) {
		const struct profil_run_process *process = &run->processes[i];

		if (process->rate < result->rate)
			result->rate = process->rate;
		if (process->requested_rate > result->requested_rate)
			result->requested_rate = process->requested_rate;
		result->lost += limit_sum(&rest_lost, process->lost);
		if (process->error)
			result->lost_error = process->error;
		result->fork_failures += limit_sum(&rest_failures, process->fork_failures);
		if (add_process(result, run, process, &rest_ns))
			return -ENOMEM;
	}
	return 0;
}

_Static_assert(PROFIL_RUN_OBJECTS <= RESULT_MAX_OBJECTS &&
	       PROFIL_RUN_PATH <= RESULT_MAX_PATH, "resultfile_read() accepts each run's result");

/* The object that a segment belongs to, without its addresses; @path is not copied. */
static struct result_object object_of(const struct shm_object *segment)
{
	struct result_object object = {
		.path = segment->path,
		.build_id_bytes = segment->build_id_bytes,
	};

	memcpy(object.build_id, segment->build_id, sizeof(segment->build_id));
	return object;
}

static int compare_files(const struct shm_object *a, const struct shm_object *b)
{
	const struct result_object first = object_of(a), second = object_of(b);

	return result_compare_objects(&first, &second);
}

static int compare_segments(const void *va, const void *vb)
{
	const struct shm_object *const *a = va, *const *b = vb;
	int order = compare_files(*a, *b);

	if (order)
		return order;
	/* segments of one file in the order in which they were loaded */
	return *a < *b ? -1 : *a > *b;
}

/* Return: all segments, with those of one file next to each other; NULL: no memory. */
static const struct shm_object **sort_segments(const struct shm *run)
{
	const struct shm_object **segments;
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
		       const struct shm *run, const struct shm_object *segment)
{
	size_t i = 0, end;

	if (segment->start < object->start)
		object->start = segment->start;
	if (segment->end > object->end)
		object->end = segment->end;
	while (shm_find_counters(run, segment, &i, &end)) {
		for (; i < end; i++) {
			uint64_t address = segment->start + i * PROFIL_RUN_TEXT_BYTES;
			uint32_t samples = shm_count(&segment->counters[i]);

			if (samples && add_count(object, room, address, samples))
				return -ENOMEM;
		}
	}
	return 0;
}

static int compare_counts(const void *va, const void *vb)
{
	const struct result_count *a = va, *b = vb;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Overlapping segments, which only a damaged table has, may have counters for the same code. */
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

/* Make one object from the @nr segments of a file. */
static int add_object(struct result *result, const struct shm *run,
		      const struct shm_object **segments, size_t nr)
{
	struct result_object *object = &result->objects[result->nr_objects++];
	size_t room = 0, i;

	*object = object_of(segments[0]);
	object->path = strdup(object->path);
	if (!object->path)
		return -ENOMEM;
	object->bias = segments[0]->bias;
	object->start = UINT64_MAX;
	for (i = 0; i < nr; i++)
		if (add_segment(object, &room, run, segments[i]))
			return -ENOMEM;
	merge_counts(object, result->text_bytes);
	return 0;
}

static int list_objects(struct result *result, const struct shm *run)
{
	const struct shm_object **segments = sort_segments(run);
	size_t first, next;
	int error = 0;

	result->objects = calloc(run->nr_objects + 1, sizeof(*result->objects));
	if (!segments || !result->objects)
		error = -ENOMEM;
	for (first = 0; !error && first < run->nr_objects; first = next) {
		for (next = first + 1; next < run->nr_objects; next++)
			if (compare_files(segments[first], segments[next]))
				break;
		error = add_object(result, run, segments + first, next - first);
	}
	free(segments);
	return error;
}

int collect_unprofiled(struct result *result, struct unprofiled *unprofiled,
		       const char *program)
{
	const struct unprofiled_program *programs;
	uint64_t rest_ns = MAX_SUM;
	bool was_profiled = false;
	size_t nr, i;

	for (i = 0; i < result->nr_processes; i++) {
		was_profiled |= result->processes[i].pid == result->pid;
		rest_ns -= result->processes[i].cpu_ns;
	}
	unprofiled_finish(unprofiled, result->pid, program, was_profiled, result->program_cpu_ns);
	programs = unprofiled_programs(unprofiled, &nr);
	result->unprofiled = calloc(nr + 1, sizeof(*result->unprofiled));
	if (!result->unprofiled)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		result->unprofiled[i] = (struct result_unprofiled){
			.program = strdup(programs[i].path),
			.processes = programs[i].processes,
			.cpu_ns = limit_sum(&rest_ns, programs[i].cpu_ns),
		};
		if (!result->unprofiled[i].program)
			return -ENOMEM;
		result->nr_unprofiled++;
	}
	return 0;
}

int old_collect_result(struct result *result, const struct shm *run,
		   const struct child_end *end, char *const argv[])
{
	const struct profil_run *header = &run->header;
	int error;

	memset(result, 0, sizeof(*result));
	result->start_time_ns = end->start_time_ns;
	result->elapsed_ns = end->elapsed_ns;
	result->status = end->status;
	result->pid = end->pid;
	if (header->clock <= PROFIL_CLOCK_RANDOM)
		result->clock = header->clock;
	result->text_bytes = PROFIL_RUN_TEXT_BYTES;
	result->program_cpu_ns = end->cpu_ns;
	result->children_cpu_ns = end->children_cpu_ns;
	result->outside = shm_count(run->outside);
	error = copy_argv(result, argv);
	if (!error)
		error = describe_machine(result);
	if (!error)
		error = list_objects(result, run);
	if (!error)
		error = list_processes(result, run);
	if (!error)
		result_find_mean_rate(result);
	return error;
}
