// SPDX-License-Identifier: GPL-2.0-only
/*
 * Converting a result to a protobuf message, and back. The message's structures
 * (generated/profil.pb-c.h, from profil.proto) have nearly the same fields as the result's.
 * They point to the result's strings while it is packed. Unpacking copies strings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "generated/profil.pb-c.h"
#include "result/resultpack.h"
#include "util/failure.h"

/*
 * Memory that unpacking may use. An empty object has two bytes in a message and a hundred times
 * as many in memory: without a limit, a small file could exhaust the memory. The limit also
 * bounds what readers of the result allocate: at most 256 bytes per count, which has at least
 * two bytes in a message.
 */
#define MEMORY_BYTES	((size_t)512 << 20)

/* --- packing ------------------------------------------------------------------ */

static ProtobufCBinaryData lend(const char *text)
{
	return (ProtobufCBinaryData){
		.len = strlen(text),
		.data = (uint8_t *)text,
	};
}

/* Allocate the parts of a message, and the array of pointers to them that protobuf-c needs. */
static void *make_parts(size_t nr, size_t each, void ***pointers)
{
	char *parts = calloc(nr + 1, each);
	size_t i;

	*pointers = calloc(nr + 1, sizeof(**pointers));
	if (!parts || !*pointers) {
		free(parts);
		free(*pointers);
		*pointers = NULL;
		return NULL;
	}
	/* the first one is in the array even if there is none, to be freed */
	for (i = 0; i <= nr; i++)
		(*pointers)[i] = parts + i * each;
	return parts;
}

/* Free parts of which there may be none, by the array of pointers to them. */
static void free_parts(void **pointers)
{
	if (pointers)
		free(pointers[0]);
	free(pointers);
}

static int fill_counts(Profil__Object *to, const struct result_object *object)
{
	uint64_t previous = object->start;
	size_t i;

	to->distances = calloc(object->nr_counts + 1, sizeof(*to->distances));
	to->samples = calloc(object->nr_counts + 1, sizeof(*to->samples));
	if (!to->distances || !to->samples)
		return -ENOMEM;
	to->n_distances = to->n_samples = object->nr_counts;
	for (i = 0; i < object->nr_counts; i++) {
		to->distances[i] = object->counts[i].address - previous;
		to->samples[i] = object->counts[i].samples;
		previous = object->counts[i].address;
	}
	return 0;
}

static int fill_functions(Profil__Object *to, const struct result_object *object)
{
	uint64_t previous = object->start;
	Profil__Function *functions;
	size_t i;

	functions = make_parts(object->nr_functions, sizeof(*functions), (void ***)&to->functions);
	if (!functions)
		return -ENOMEM;
	to->n_functions = object->nr_functions;
	for (i = 0; i < object->nr_functions; i++) {
		const struct result_function *from = &object->functions[i];

		profil__function__init(&functions[i]);
		functions[i].name = lend(from->name);
		functions[i].distance = from->start - previous;
		functions[i].bytes = from->end - from->start;
		previous = from->end;
	}
	return 0;
}

static int fill_objects(Profil__Object *to, const struct result *result)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++, to++) {
		const struct result_object *object = &result->objects[i];

		profil__object__init(to);
		to->path = lend(object->path);
		to->build_id.len = object->build_id_bytes;
		to->build_id.data = (uint8_t *)object->build_id;
		to->unread = object->unread;
		to->file_bytes = object->file_bytes;
		to->mtime_ns = object->mtime_ns;
		to->start = object->start;
		to->end = object->end;
		to->bias = object->bias;
		if (fill_counts(to, object) || fill_functions(to, object))
			return -ENOMEM;
	}
	return 0;
}

static void fill_processes(Profil__Process *to, const struct result *result)
{
	size_t i;

	for (i = 0; i < result->nr_processes; i++, to++) {
		const struct result_process *process = &result->processes[i];

		profil__process__init(to);
		to->pid = process->pid;
		to->parent = process->parent;
		to->program = lend(process->program);
		to->is_fork = process->is_fork;
		to->has_ended = process->has_ended;
		to->start_cpu_ns = process->start_cpu_ns;
		to->cpu_ns = process->cpu_ns;
		to->samples = process->samples;
	}
}

static void fill_unprofiled(Profil__Unprofiled *to, const struct result *result)
{
	size_t i;

	for (i = 0; i < result->nr_unprofiled; i++, to++) {
		profil__unprofiled__init(to);
		to->program = lend(result->unprofiled[i].program);
		to->processes = result->unprofiled[i].processes;
		to->cpu_ns = result->unprofiled[i].cpu_ns;
	}
}

static void fill_figures(Profil__Result *to, const struct result *result)
{
	to->host = lend(result->host);
	to->kernel = lend(result->kernel);
	to->start_time_ns = result->start_time_ns;
	to->elapsed_ns = result->elapsed_ns;
	to->status = result->status;
	to->pid = result->pid;
	to->clock = result->clock;
	to->rate = result->rate;
	to->requested_rate = result->requested_rate;
	to->program_cpu_ns = result->program_cpu_ns;
	to->children_cpu_ns = result->children_cpu_ns;
	to->outside = result->outside;
	to->lost = result->lost;
	to->fork_failures = result->fork_failures;
	to->unlisted_processes = result->unlisted_processes;
	to->lost_records = result->lost_records;
	to->skipped = result->skipped;
	to->records_filled_log = result->records_filled_log;
	to->log_bytes = result->log_bytes;
	to->wanted_log_bytes = result->wanted_log_bytes;
	to->no_follow = result->no_follow;
	to->unlisted_ended = result->unlisted_ended;
	to->unlisted_cpu_ns = result->unlisted_cpu_ns;
}

static int fill_argv(Profil__Result *to, const struct result *result)
{
	size_t nr = 0, i;

	while (result->argv[nr])
		nr++;
	to->argv = calloc(nr + 1, sizeof(*to->argv));
	if (!to->argv)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		to->argv[i] = lend(result->argv[i]);
	to->n_argv = nr;
	return 0;
}

int resultpack_pack(const struct result *result, unsigned char **message, size_t *bytes)
{
	Profil__Result to = PROFIL__RESULT__INIT;
	Profil__Unprofiled *unprofiled;
	Profil__Process *processes;
	Profil__Object *objects;
	int error = -ENOMEM;
	size_t i;

	*message = NULL;
	objects = make_parts(result->nr_objects, sizeof(*objects),
			     (void ***)&to.objects);
	processes = make_parts(result->nr_processes, sizeof(*processes),
			       (void ***)&to.processes);
	unprofiled = make_parts(result->nr_unprofiled, sizeof(*unprofiled),
				(void ***)&to.unprofiled);
	if (!objects || !processes || !unprofiled || fill_argv(&to, result) ||
	    fill_objects(objects, result))
		goto out;
	to.n_objects = result->nr_objects;
	to.n_processes = result->nr_processes;
	to.n_unprofiled = result->nr_unprofiled;
	fill_processes(processes, result);
	fill_unprofiled(unprofiled, result);
	fill_figures(&to, result);
	*bytes = profil__result__get_packed_size(&to);
	*message = malloc(*bytes + 1);
	if (!*message)
		goto out;
	profil__result__pack(&to, *message);
	error = 0;
out:
	for (i = 0; objects && i < result->nr_objects; i++) {
		free(objects[i].distances);
		free(objects[i].samples);
		free_parts((void **)objects[i].functions);
	}
	free(objects);
	free(processes);
	free(unprofiled);
	free(to.objects);
	free(to.processes);
	free(to.unprofiled);
	free(to.argv);
	return error;
}

/* --- unpacking ---------------------------------------------------------------- */

/* The allocator that protobuf-c uses */
struct budget {
	size_t left;
	int error;	/* of the last allocation that failed */
};

static void *budget_alloc(void *data, size_t bytes)
{
	struct budget *budget = data;
	void *memory;

	if (bytes > budget->left) {
		budget->error = EFBIG;
		return NULL;
	}
	budget->left -= bytes;
	memory = malloc(bytes);
	if (!memory)
		budget->error = ENOMEM;
	return memory;
}

/* The size is unknown, so the budget is not refilled. Nearly all memory is freed at the end. */
static void budget_free(void *data, void *memory)
{
	(void)data;
	free(memory);
}

/* Return: 0; -EBADMSG: the text contains a 0; -ENOMEM. */
static int copy_text(char **to, const ProtobufCBinaryData *from, const char **why)
{
	if (from->len && memchr(from->data, 0, from->len))
		return failure_refuse(why, "a name contains a null byte");
	*to = malloc(from->len + 1);
	if (!*to)
		return -ENOMEM;
	if (from->len)
		memcpy(*to, from->data, from->len);
	(*to)[from->len] = 0;
	return 0;
}

static int copy_argv(struct result *result, const Profil__Result *from, const char **why)
{
	size_t i;
	int error;

	result->argv = calloc(from->n_argv + 1, sizeof(*result->argv));
	if (!result->argv)
		return -ENOMEM;
	for (i = 0; i < from->n_argv; i++) {
		error = copy_text(&result->argv[i], &from->argv[i], why);
		if (error)
			return error;
	}
	return 0;
}

/* Only errors that result_problem() cannot detect are checked here. */
static int copy_counts(struct result_object *object, const Profil__Object *from,
		       const char **why)
{
	uint64_t address = from->start;
	size_t i;

	if (from->n_distances != from->n_samples)
		return failure_refuse(why, "an object has different numbers of samples and addresses");
	object->counts = calloc(from->n_samples + 1, sizeof(*object->counts));
	if (!object->counts)
		return -ENOMEM;
	object->nr_counts = from->n_samples;
	for (i = 0; i < from->n_samples; i++) {
		if (__builtin_add_overflow(address, from->distances[i], &address) ||
		    __builtin_add_overflow(object->samples, from->samples[i],
					   &object->samples))
			return failure_refuse(why, "a sum of samples or addresses overflows");
		object->counts[i].address = address;
		object->counts[i].samples = from->samples[i];
	}
	return 0;
}

static int copy_functions(struct result_object *object, const Profil__Object *from,
			  const char **why)
{
	uint64_t address = from->start;
	size_t i;
	int error;

	object->functions = calloc(from->n_functions + 1, sizeof(*object->functions));
	if (!object->functions)
		return -ENOMEM;
	for (i = 0; i < from->n_functions; i++) {
		struct result_function *function = &object->functions[i];
		const Profil__Function *other = from->functions[i];

		error = copy_text(&function->name, &other->name, why);
		if (error)
			return error;
		object->nr_functions++;
		if (__builtin_add_overflow(address, other->distance, &function->start) ||
		    __builtin_add_overflow(function->start, other->bytes, &function->end))
			return failure_refuse(why, "the address of a function overflows");
		address = function->end;
	}
	return 0;
}

static int copy_objects(struct result *result, const Profil__Result *from,
			const char **why)
{
	size_t i;
	int error;

	if (from->n_objects > RESULT_MAX_OBJECTS)
		return failure_refuse(why, "more objects than a run can have");
	result->objects = calloc(from->n_objects + 1, sizeof(*result->objects));
	if (!result->objects)
		return -ENOMEM;
	for (i = 0; i < from->n_objects; i++) {
		struct result_object *object = &result->objects[i];
		const Profil__Object *other = from->objects[i];

		result->nr_objects++;
		error = copy_text(&object->path, &other->path, why);
		if (error)
			return error;
		if (other->build_id.len > sizeof(object->build_id))
			return failure_refuse(why, "a build-id is too long");
		object->build_id_bytes = other->build_id.len;
		if (other->build_id.len)
			memcpy(object->build_id, other->build_id.data,
			       other->build_id.len);
		object->unread = other->unread;
		object->file_bytes = other->file_bytes;
		object->mtime_ns = other->mtime_ns;
		object->start = other->start;
		object->end = other->end;
		object->bias = other->bias;
		error = copy_counts(object, other, why);
		if (!error)
			error = copy_functions(object, other, why);
		if (error)
			return error;
	}
	return 0;
}

static int copy_processes(struct result *result, const Profil__Result *from,
			  const char **why)
{
	size_t i;
	int error;

	result->processes = calloc(from->n_processes + 1, sizeof(*result->processes));
	if (!result->processes)
		return -ENOMEM;
	for (i = 0; i < from->n_processes; i++) {
		struct result_process *process = &result->processes[i];
		const Profil__Process *other = from->processes[i];

		result->nr_processes++;
		error = copy_text(&process->program, &other->program, why);
		if (error)
			return error;
		process->pid = other->pid;
		process->parent = other->parent;
		process->is_fork = other->is_fork;
		process->has_ended = other->has_ended;
		process->start_cpu_ns = other->start_cpu_ns;
		process->cpu_ns = other->cpu_ns;
		process->samples = other->samples;
	}
	return 0;
}

static int copy_unprofiled(struct result *result, const Profil__Result *from,
			   const char **why)
{
	size_t i;
	int error;

	result->unprofiled = calloc(from->n_unprofiled + 1, sizeof(*result->unprofiled));
	if (!result->unprofiled)
		return -ENOMEM;
	for (i = 0; i < from->n_unprofiled; i++) {
		const Profil__Unprofiled *other = from->unprofiled[i];

		error = copy_text(&result->unprofiled[i].program, &other->program, why);
		if (error)
			return error;
		result->nr_unprofiled++;
		result->unprofiled[i].processes = other->processes;
		result->unprofiled[i].cpu_ns = other->cpu_ns;
	}
	return 0;
}

static int copy_figures(struct result *result, const Profil__Result *from,
			const char **why)
{
	int error;

	result->start_time_ns = from->start_time_ns;
	result->elapsed_ns = from->elapsed_ns;
	result->status = from->status;
	result->pid = from->pid;
	result->clock = from->clock;
	result->rate = from->rate;
	result->requested_rate = from->requested_rate;
	result->program_cpu_ns = from->program_cpu_ns;
	result->children_cpu_ns = from->children_cpu_ns;
	result->outside = from->outside;
	result->lost = from->lost;
	result->fork_failures = from->fork_failures;
	result->unlisted_processes = from->unlisted_processes;
	result->lost_records = from->lost_records;
	result->skipped = from->skipped;
	result->records_filled_log = from->records_filled_log;
	result->log_bytes = from->log_bytes;
	result->wanted_log_bytes = from->wanted_log_bytes;
	result->no_follow = from->no_follow;
	result->unlisted_ended = from->unlisted_ended;
	result->unlisted_cpu_ns = from->unlisted_cpu_ns;
	error = copy_text(&result->host, &from->host, why);
	return error ? error : copy_text(&result->kernel, &from->kernel, why);
}

int resultpack_unpack(const unsigned char *message, size_t bytes, struct result *result,
		      const char **why)
{
	struct budget budget = { .left = MEMORY_BYTES };
	ProtobufCAllocator allocator = {
		.alloc = budget_alloc,
		.free = budget_free,
		.allocator_data = &budget,
	};
	Profil__Result *from;
	int error;

	memset(result, 0, sizeof(*result));
	from = profil__result__unpack(&allocator, bytes, message);
	if (!from && budget.error == ENOMEM)
		return -ENOMEM;
	if (!from)
		return failure_refuse(why, budget.error ? "it needs more memory than any result" :
							  "contains no result: run the command again");
	error = copy_argv(result, from, why);
	if (!error)
		error = copy_figures(result, from, why);
	if (!error)
		error = copy_objects(result, from, why);
	if (!error)
		error = copy_processes(result, from, why);
	if (!error)
		error = copy_unprofiled(result, from, why);
	profil__result__free_unpacked(from, &allocator);
	if (error)
		return error;
	*why = result_problem(result);
	if (*why)
		return -EBADMSG;
	result_find_mean_rate(result);
	return 0;
}
