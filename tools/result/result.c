// SPDX-License-Identifier: GPL-2.0-only
/*
 * The result of a run: sums, rates and validation.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/profil.h>

#include "result/fields.h"
#include "result/result.h"
#include "result/stacks.h"
#include "util/array.h"

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

uint64_t result_object_system(const struct result_object *object)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < object->nr_counts; i++)
		samples += object->counts[i].system;
	return samples;
}

uint64_t result_system_samples(const struct result *result)
{
	uint64_t samples = result->outside_system;
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		samples += result_object_system(&result->objects[i]);
	return samples;
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

int result_compare_parts(const struct result_part *a, const struct result_part *b)
{
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
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

static int compare_objects(const void *a, const void *b)
{
	return result_compare_objects(a, b);
}

int result_sort_objects(struct result *result)
{
	result_stacks_mark(result);
	if (result->nr_objects)
		qsort(result->objects, result->nr_objects, sizeof(*result->objects), compare_objects);
	return result_stacks_follow(result, result->nr_objects);
}

const struct result_part *result_find_part(const struct result_object *object, uint64_t address)
{
	const size_t low = array_first_not(object->nr_parts, i, object->parts[i].address < address);

	return object->parts + low;
}

static int compare_place(const void *address, const void *place)
{
	const uint64_t wanted = *(const uint64_t *)address;
	const uint64_t at = ((const struct result_place *)place)->address;

	return wanted < at ? -1 : wanted > at;
}

const struct result_place *result_find_place(const struct result_object *object, uint64_t address)
{
	if (!object->nr_places)
		return NULL;
	return bsearch(&address, object->places, object->nr_places, sizeof(*object->places),
		       compare_place);
}

const struct result_function *result_find_function(const struct result_object *object,
						   uint64_t address)
{
	const size_t low = array_first_not(object->nr_functions, i, object->functions[i].end <= address);

	return low < object->nr_functions && object->functions[low].start <= address ?
	       &object->functions[low] : NULL;
}

/* Functions of a file may overlap: one may be within another. */
static const char *functions_problem(const struct result_object *object)
{
	const bool is_file = result_is_file(object);
	uint64_t least = is_file ? 0 : object->start;
	size_t i;

	for (i = 0; i < object->nr_functions; i++) {
		const struct result_function *function = &object->functions[i];

		if (!is_file && (!function->name[0] || strlen(function->name) >= RESULT_MAX_NAME))
			return "the name of a function is empty or too long";
		if (function->start < least || function->end <= function->start ||
		    (!is_file && function->end > object->end))
			return "functions are not in order, overlap, or are outside their object";
		least = is_file ? function->start : function->end;
	}
	return NULL;
}

static bool is_source_line(const struct result *result, uint32_t file, uint32_t line)
{
	return (!file || file < result->nr_strings) && line <= INT32_MAX;
}

static const char *places_problem(const struct result *result, const struct result_object *object)
{
	size_t frames = 0, i;

	if (object->has_names && !result_is_file(object))
		return "what is not a file has names of a file";
	if (!object->has_names && (object->nr_places || (object->nr_functions &&
							 result_is_file(object))))
		return "an object without names has names";
	for (i = 0; i < object->nr_places; i++) {
		const struct result_place *place = &object->places[i];

		if (i && place->address <= place[-1].address)
			return "places are not in order";
		if (place->function >= object->nr_functions &&
		    place->function != RESULT_NO_FUNCTION)
			return "a place is in no function";
		if (place->frame != frames || place->nr_frames > RESULT_MAX_FRAMES)
			return "frames are of no place";
		frames += place->nr_frames;
	}
	if (frames != object->nr_frames)
		return "frames are of no place";
	for (i = 0; i < frames; i++)
		if (object->frames[i].function >= result->nr_strings ||
		    !is_source_line(result, object->frames[i].file, object->frames[i].line))
			return "a frame is wrong";
	for (i = 0; i < object->nr_functions; i++)
		if (!is_source_line(result, object->functions[i].file,
				    object->functions[i].line))
			return "the source line of a function is wrong";
	return NULL;
}

/* @samples: the parts are added */
static const char *parts_problem(const struct result *result, const struct result_part *parts,
				 size_t nr, uint64_t *samples)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (i && result_compare_parts(&parts[i - 1], &parts[i]) >= 0)
			return "samples are not in order";
		if (parts[i].thread >= result->nr_threads && parts[i].thread != RESULT_NO_THREAD)
			return "samples are of no thread";
		if (!parts[i].samples || parts[i].system > parts[i].samples)
			return "a number of samples is wrong";
		if (__builtin_add_overflow(*samples, parts[i].samples, samples))
			return "too many samples";
	}
	return NULL;
}

static const char *object_problem(const struct result *result, const struct result_object *object,
				  uint64_t *samples)
{
	const struct result_part *parts = object->parts;
	const size_t nr = object->nr_parts;
	const char *problem;

	if (!object->path[0])
		return "an object has no path";
	if (strlen(object->path) >= RESULT_MAX_PATH)
		return "the path of an object is too long";
	if (object->build_id_bytes > RESULT_MAX_BUILD_ID)
		return "a build-id is too long";
	if (object->start >= object->end)
		return "an object ends before it starts";
	problem = parts_problem(result, parts, nr, samples);
	if (problem)
		return problem;
	if (nr && (parts[0].address < object->start || parts[nr - 1].address >= object->end))
		return "samples are outside their object";
	problem = functions_problem(object);
	return problem ? problem : places_problem(result, object);
}

static const char *objects_problem(const struct result *result)
{
	uint64_t samples = 0;
	const char *problem;
	size_t i;

	problem = parts_problem(result, result->outside_parts, result->nr_outside_parts, &samples);
	for (i = 0; !problem && i < result->nr_objects; i++) {
		const struct result_object *object = &result->objects[i];

		problem = object_problem(result, object, &samples);
		if (!problem && i && result_compare_objects(&object[-1], object) >= 0)
			problem = "objects are not in order";
	}
	return problem;
}

static const char *stacks_problem(const struct result *result)
{
	uint64_t samples = 0;
	const char *problem = parts_problem(result, result->stack_parts, result->nr_stack_parts,
					    &samples);

	return problem ? problem : result_stacks_problem(result);
}

static const char *threads_problem(const struct result *result)
{
	size_t i;

	if (result->nr_threads > RESULT_MAX_THREADS)
		return "too many threads";
	for (i = 0; i < result->nr_threads; i++) {
		const struct result_thread *thread = &result->threads[i];

		if (thread->process >= result->nr_processes &&
		    thread->process != RESULT_NO_PROCESS)
			return "a thread is of no process";
		if (thread->tid < 0)
			return "a thread ID is negative";
		if (thread->name && strlen(thread->name) >= RESULT_MAX_NAME)
			return "the name of a thread is too long";
		if (!thread->has_cpu_ns && thread->cpu_ns)
			return "the CPU time of a thread is set but unknown";
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
	if (!problem)
		problem = processes_problem(result);
	if (!problem)
		problem = stacks_problem(result);
	return problem ? problem : threads_problem(result);
}

void result_free_argv(char **argv)
{
	size_t i;

	for (i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

int result_drop_arguments(struct result *result)
{
	char *const program[] = { result->processes[0].program, NULL };
	char **argv = result_copy_argv(program);
	size_t i;

	if (!argv)
		return -ENOMEM;
	result_free_argv(result->argv);
	result->argv = argv;
	for (i = 0; i < result->nr_processes; i++) {
		result_free_argv(result->processes[i].argv);
		result->processes[i].argv = NULL;
	}
	return 0;
}

char **result_copy_argv(char *const argv[])
{
	size_t nr = 0, i;
	char **copy;

	while (argv[nr])
		nr++;
	copy = calloc(nr + 1, sizeof(*copy));
	for (i = 0; copy && i < nr; i++) {
		copy[i] = strdup(argv[i]);
		if (!copy[i]) {
			result_free_argv(copy);
			return NULL;
		}
	}
	return copy;
}

void result_release_names(struct result_object *object)
{
	size_t i;

	for (i = 0; i < object->nr_functions; i++)
		free(object->functions[i].name);
	free(object->functions);
	free(object->places);
	free(object->frames);
	free(object->names_note);
	free(object->lines_note);
	object->functions = NULL;
	object->places = NULL;
	object->frames = NULL;
	object->names_note = object->lines_note = NULL;
	object->nr_functions = object->nr_places = object->nr_frames = 0;
	object->has_names = object->is_stripped = false;
}

/* Free what is in no table of fields. */
static void release_by_hand(struct result_object *object)
{
	free(object->parts);
	free(object->counts);
	free(object->places);
	free(object->frames);
}

void result_release_object(struct result_object *object)
{
	release_by_hand(object);
	fields_release(&fields_of_object, object);
	memset(object, 0, sizeof(*object));
}

void result_release(struct result *result)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		release_by_hand(&result->objects[i]);
	free(result->outside_parts);
	result_stacks_drop(result);
	fields_release(&fields_of_result, result);
	memset(result, 0, sizeof(*result));
}
