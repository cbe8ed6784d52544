// SPDX-License-Identifier: GPL-2.0-only
/*
 * The result of a run: sums, rates and validation.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/profil.h>

#include "result/fields.h"
#include "result/result.h"

bool result_is_file(const struct result_object *object)
{
	return object->path[0] != '[';
}

uint64_t result_samples(const struct result *result)
{
	uint64_t samples = result->outside;
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		samples += result->objects[i].samples;
	return samples;
}

uint64_t result_unlisted_samples(const struct result *result)
{
	uint64_t rest = result_samples(result);
	size_t i;

	/* a damaged file may have fewer samples than its processes */
	for (i = 0; i < result->nr_processes; i++)
		rest -= result->processes[i].samples < rest ? result->processes[i].samples : rest;
	return result->unlisted_processes ? rest : 0;
}

/* The mean rate of a process, in Hz. The figures of a file may be any. */
static double process_rate(const struct result *result, const struct result_process *process)
{
	double samples = (double)process->samples;
	double seconds = (double)process->cpu_ns / 1e9;

	if (!process->has_ended || result->rate >= result->requested_rate ||
	    samples <= result->rate * seconds)
		return result->rate;
	return samples < result->requested_rate * seconds ? samples / seconds :
							    result->requested_rate;
}

/* The mean over the processes is taken for the samples of unlisted processes, too. */
void result_find_mean_rate(struct result *result)
{
	double samples = 0, seconds = 0;
	bool was_lowered = false;
	size_t i;

	for (i = 0; i < result->nr_processes; i++) {
		const struct result_process *process = &result->processes[i];
		double rate = process_rate(result, process);

		was_lowered |= rate > result->rate;
		samples += (double)process->samples;
		seconds += (double)process->samples / rate;
	}
	result->mean_rate = was_lowered ? samples / seconds : 0;
}

double result_rate(const struct result *result)
{
	return result->mean_rate > 0 ? result->mean_rate : result->rate;
}

double result_seconds(const struct result *result, uint64_t samples)
{
	return (double)samples / result_rate(result);
}

int result_compare_objects(const struct result_object *a, const struct result_object *b)
{
	size_t common = a->build_id_bytes < b->build_id_bytes ?
			a->build_id_bytes : b->build_id_bytes;
	int order = strcmp(a->path, b->path);

	if (!order)
		order = memcmp(a->build_id, b->build_id, common);
	if (order)
		return order;
	if (a->build_id_bytes != b->build_id_bytes)
		return a->build_id_bytes < b->build_id_bytes ? -1 : 1;
	if (a->build_id_bytes)
		return 0;
	if (a->unread != b->unread)
		return a->unread - b->unread;
	if (a->file_bytes != b->file_bytes)
		return a->file_bytes < b->file_bytes ? -1 : 1;
	return a->mtime_ns < b->mtime_ns ? -1 : a->mtime_ns > b->mtime_ns;
}

const struct result_function *result_find_function(const struct result_object *object,
						   uint64_t address)
{
	size_t low = 0, high = object->nr_functions;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (object->functions[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < object->nr_functions && object->functions[low].start <= address ?
	       &object->functions[low] : NULL;
}

static const char *functions_problem(const struct result_object *object)
{
	uint64_t end = object->start;
	size_t i;

	if (object->nr_functions && result_is_file(object))
		return "a file has functions that a program has made";
	for (i = 0; i < object->nr_functions; i++) {
		const struct result_function *function = &object->functions[i];

		if (!function->name[0] || strlen(function->name) >= RESULT_MAX_NAME)
			return "the name of a function is empty or too long";
		if (function->start < end || function->end <= function->start ||
		    function->end > object->end)
			return "functions are not in order, overlap, or are outside their object";
		end = function->end;
	}
	return NULL;
}

static const char *object_problem(const struct result_object *object)
{
	const struct result_count *counts = object->counts;
	uint64_t samples = 0;
	size_t i;

	if (!object->path[0])
		return "an object has no path";
	if (strlen(object->path) >= RESULT_MAX_PATH)
		return "the path of an object is too long";
	if (object->build_id_bytes > RESULT_MAX_BUILD_ID)
		return "a build-id is too long";
	if (object->start >= object->end)
		return "an object ends before it starts";
	for (i = 0; i < object->nr_counts; i++) {
		if (counts[i].address < object->start || counts[i].address >= object->end)
			return "samples are outside their object";
		if (i && counts[i].address <= counts[i - 1].address)
			return "counts are not in order";
		if (!counts[i].samples)
			return "a count has no samples";
		if (__builtin_add_overflow(samples, counts[i].samples, &samples))
			return "an object has too many samples";
	}
	if (samples != object->samples)
		return "the samples of an object do not add up";
	return functions_problem(object);
}

static const char *objects_problem(const struct result *result)
{
	uint64_t samples = result->outside;
	size_t i;

	for (i = 0; i < result->nr_objects; i++) {
		const struct result_object *object = &result->objects[i];
		const char *problem = object_problem(object);

		if (problem)
			return problem;
		if (i && result_compare_objects(&object[-1], object) >= 0)
			return "objects are not in order";
		if (__builtin_add_overflow(samples, object->samples, &samples))
			return "too many samples";
	}
	return NULL;
}

static const char *processes_problem(const struct result *result)
{
	uint64_t cpu_ns = 0;
	size_t i;

	if (!result->nr_processes)
		return "no process";
	for (i = 0; i < result->nr_processes; i++) {
		const struct result_process *process = &result->processes[i];
		uint64_t end;

		if (strlen(process->program) >= RESULT_MAX_PATH)
			return "the path of a program is too long";
		if (!process->has_ended && process->cpu_ns)
			return "the CPU time of a process is set but unknown";
		if (__builtin_add_overflow(process->start_cpu_ns, process->cpu_ns, &end) ||
		    __builtin_add_overflow(cpu_ns, process->cpu_ns, &cpu_ns))
			return "CPU times are too long";
	}
	if (result->nr_unprofiled > RESULT_MAX_UNPROFILED)
		return "too many programs without a profile";
	for (i = 0; i < result->nr_unprofiled; i++) {
		if (!result->unprofiled[i].program[0] ||
		    strlen(result->unprofiled[i].program) >= RESULT_MAX_PATH)
			return "the name of a program is empty or too long";
		if (__builtin_add_overflow(cpu_ns, result->unprofiled[i].cpu_ns, &cpu_ns))
			return "CPU times are too long";
	}
	if (result->unlisted_processes > UINT32_MAX)
		return "too many processes";
	if (result->unlisted_ended > result->unlisted_processes)
		return "more processes have ended than there were";
	if (__builtin_add_overflow(cpu_ns, result->unlisted_cpu_ns, &cpu_ns))
		return "CPU times are too long";
	return NULL;
}

const char *result_problem(const struct result *result)
{
	const char *problem;

	if (!result->argv || !result->argv[0])
		return "no command";
	if (!result->rate)
		return "the rate is 0";
	if (result->clock > PROFIL_CLOCK_RANDOM)
		return "unknown clock";
	problem = objects_problem(result);
	return problem ? problem : processes_problem(result);
}

void result_release_object(struct result_object *object)
{
	free(object->counts);
	fields_release(&fields_of_object, object);
	memset(object, 0, sizeof(*object));
}

void result_release(struct result *result)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		free(result->objects[i].counts);
	fields_release(&fields_of_result, result);
	memset(result, 0, sizeof(*result));
}
