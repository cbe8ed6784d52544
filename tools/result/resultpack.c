// SPDX-License-Identifier: GPL-2.0-only
/*
 * Converting a result to a protobuf message, and back. fields.h converts nearly all fields; here
 * are those that profil.proto says are packed by hand, and the limits of what is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "generated/profil.pb-c.h"
#include "result/fields.h"
#include "result/resultpack.h"
#include "result/select.h"
#include "util/failure.h"

/*
 * Memory that unpacking may use. An empty object has two bytes in a message and a hundred times
 * as many in memory: without a limit, a small file could exhaust the memory. The limit also
 * bounds what readers of the result allocate: at most 256 bytes per count, which has at least
 * two bytes in a message.
 */
#define MEMORY_BYTES	((size_t)512 << 20)

/* --- packing ------------------------------------------------------------------ */

static int pack_build_id(Profil__Object *to, const struct result_object *object)
{
	if (!object->build_id_bytes)
		return 0;
	to->build_id.data = malloc(object->build_id_bytes);
	if (!to->build_id.data)
		return -ENOMEM;
	to->build_id.len = object->build_id_bytes;
	memcpy(to->build_id.data, object->build_id, object->build_id_bytes);
	return 0;
}

/* Threads are packed as their index plus 1, and 0 for RESULT_NO_THREAD. */
static uint32_t pack_thread(uint32_t thread)
{
	return thread + 1;
}

static int pack_parts(Profil__Object *to, const struct result_object *object)
{
	const size_t nr = object->nr_parts;
	uint64_t previous = object->start;
	size_t i;

	to->distances = calloc(nr + 1, sizeof(*to->distances));
	to->samples = calloc(nr + 1, sizeof(*to->samples));
	to->system = calloc(nr + 1, sizeof(*to->system));
	to->sample_threads = calloc(nr + 1, sizeof(*to->sample_threads));
	if (!to->distances || !to->samples || !to->system || !to->sample_threads)
		return -ENOMEM;
	to->n_distances = to->n_samples = to->n_system = to->n_sample_threads = nr;
	for (i = 0; i < nr; i++) {
		const struct result_part *part = &object->parts[i];

		to->distances[i] = part->address - previous;
		to->samples[i] = part->samples;
		to->system[i] = part->system;
		to->sample_threads[i] = pack_thread(part->thread);
		previous = part->address;
	}
	return 0;
}

static int pack_outside(Profil__Result *to, const struct result *result)
{
	const size_t nr = result->nr_outside_parts;
	size_t i;

	to->outside_threads = calloc(nr + 1, sizeof(*to->outside_threads));
	to->outside_samples = calloc(nr + 1, sizeof(*to->outside_samples));
	to->outside_system = calloc(nr + 1, sizeof(*to->outside_system));
	if (!to->outside_threads || !to->outside_samples || !to->outside_system)
		return -ENOMEM;
	to->n_outside_threads = to->n_outside_samples = to->n_outside_system = nr;
	for (i = 0; i < nr; i++) {
		const struct result_part *part = &result->outside_parts[i];

		to->outside_threads[i] = pack_thread(part->thread);
		to->outside_samples[i] = part->samples;
		to->outside_system[i] = part->system;
	}
	return 0;
}

static int pack_nodes(Profil__Result *to, const struct result *result)
{
	const size_t nr = result->nr_nodes;
	size_t i;

	to->node_parents = calloc(nr + 1, sizeof(*to->node_parents));
	to->node_objects = calloc(nr + 1, sizeof(*to->node_objects));
	to->node_addresses = calloc(nr + 1, sizeof(*to->node_addresses));
	if (!to->node_parents || !to->node_objects || !to->node_addresses)
		return -ENOMEM;
	to->n_node_parents = to->n_node_objects = to->n_node_addresses = nr;
	for (i = 0; i < nr; i++) {
		const struct result_node *node = &result->nodes[i];

		if (node->parent != RESULT_NO_NODE)
			to->node_parents[i] = (uint32_t)i - node->parent;
		/* RESULT_NO_OBJECT becomes 0 */
		to->node_objects[i] = node->object + 1;
		to->node_addresses[i] = node->address;
		if (node->object != RESULT_NO_OBJECT)
			to->node_addresses[i] -= result->objects[node->object].start;
	}
	return 0;
}

static int pack_stacks(Profil__Result *to, const struct result *result)
{
	const size_t nr = result->nr_stack_parts;
	uint64_t previous = 0;
	size_t i;

	to->stack_distances = calloc(nr + 1, sizeof(*to->stack_distances));
	to->stack_threads = calloc(nr + 1, sizeof(*to->stack_threads));
	to->stack_samples = calloc(nr + 1, sizeof(*to->stack_samples));
	to->stack_system = calloc(nr + 1, sizeof(*to->stack_system));
	if (!to->stack_distances || !to->stack_threads || !to->stack_samples || !to->stack_system)
		return -ENOMEM;
	to->n_stack_distances = to->n_stack_threads = to->n_stack_samples = nr;
	to->n_stack_system = nr;
	for (i = 0; i < nr; i++) {
		const struct result_part *part = &result->stack_parts[i];

		to->stack_distances[i] = part->address - previous;
		to->stack_threads[i] = pack_thread(part->thread);
		to->stack_samples[i] = part->samples;
		to->stack_system[i] = part->system;
		previous = part->address;
	}
	return pack_nodes(to, result);
}

/* In a file, a function may start before the first address with samples. */
static uint64_t functions_start(const struct result_object *object)
{
	return result_is_file(object) ? 0 : object->start;
}

static void pack_functions(Profil__Object *to, const struct result_object *object)
{
	uint64_t previous = functions_start(object);
	size_t i;

	for (i = 0; i < object->nr_functions; i++) {
		to->functions[i]->distance = object->functions[i].start - previous;
		to->functions[i]->bytes = object->functions[i].end - object->functions[i].start;
		previous = object->functions[i].start;
	}
}

static int pack_places(Profil__Object *to, const struct result_object *object)
{
	const size_t nr = object->nr_places, nr_frames = object->nr_frames;
	size_t i;

	to->place_functions = calloc(nr + 1, sizeof(*to->place_functions));
	to->place_frames = calloc(nr + 1, sizeof(*to->place_frames));
	to->frame_functions = calloc(nr_frames + 1, sizeof(*to->frame_functions));
	to->frame_files = calloc(nr_frames + 1, sizeof(*to->frame_files));
	to->frame_lines = calloc(nr_frames + 1, sizeof(*to->frame_lines));
	if (!to->place_functions || !to->place_frames || !to->frame_functions ||
	    !to->frame_files || !to->frame_lines)
		return -ENOMEM;
	to->n_place_functions = to->n_place_frames = nr;
	to->n_frame_functions = to->n_frame_files = to->n_frame_lines = nr_frames;
	for (i = 0; i < nr; i++) {
		/* RESULT_NO_FUNCTION becomes 0 */
		to->place_functions[i] = object->places[i].function + 1;
		to->place_frames[i] = object->places[i].nr_frames;
	}
	for (i = 0; i < nr_frames; i++) {
		to->frame_functions[i] = object->frames[i].function;
		to->frame_files[i] = object->frames[i].file;
		to->frame_lines[i] = object->frames[i].line;
	}
	return 0;
}

static int pack_object(Profil__Object *to, const struct result_object *object)
{
	int error = pack_build_id(to, object);

	if (!error)
		error = pack_parts(to, object);
	if (!error)
		error = pack_places(to, object);
	if (!error)
		pack_functions(to, object);
	return error;
}

int resultpack_pack(const struct result *result, unsigned char **message, size_t *bytes)
{
	Profil__Result *to = fields_pack(&fields_of_result, result);
	int error = to ? 0 : -ENOMEM;
	size_t i;

	*message = NULL;
	if (!error)
		error = pack_outside(to, result);
	if (!error)
		error = pack_stacks(to, result);
	for (i = 0; i < result->nr_objects && !error; i++)
		error = pack_object(to->objects[i], &result->objects[i]);
	if (error)
		goto out;
	*bytes = profil__result__get_packed_size(to);
	*message = malloc(*bytes + 1);
	if (*message)
		profil__result__pack(to, *message);
	else
		error = -ENOMEM;
out:
	if (to)
		profil__result__free_unpacked(to, NULL);
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

static int unpack_build_id(struct result_object *object, const Profil__Object *from,
			   const char **why)
{
	if (from->build_id.len > sizeof(object->build_id))
		return failure_refuse(why, "a build-id is too long");
	object->build_id_bytes = from->build_id.len;
	if (from->build_id.len)
		memcpy(object->build_id, from->build_id.data, from->build_id.len);
	return 0;
}

/* Only errors that result_problem() cannot detect are checked here. */
static int unpack_parts(struct result_object *object, const Profil__Object *from,
			const char **why)
{
	const size_t nr = from->n_samples;
	uint64_t address = from->start;
	size_t i;

	if (from->n_distances != nr || from->n_system != nr || from->n_sample_threads != nr)
		return failure_refuse(why, "an object has different numbers of samples and addresses");
	object->parts = calloc(nr + 1, sizeof(*object->parts));
	if (!object->parts)
		return -ENOMEM;
	object->nr_parts = nr;
	for (i = 0; i < nr; i++) {
		if (__builtin_add_overflow(address, from->distances[i], &address))
			return failure_refuse(why, "an address overflows");
		object->parts[i] = (struct result_part){
			.address = address,
			.samples = from->samples[i],
			.system = from->system[i],
			.thread = from->sample_threads[i] - 1,
		};
	}
	return 0;
}

static int unpack_outside(struct result *result, const Profil__Result *from, const char **why)
{
	const size_t nr = from->n_outside_samples;
	size_t i;

	if (from->n_outside_threads != nr || from->n_outside_system != nr)
		return failure_refuse(why, "different numbers of samples and threads are outside all objects");
	result->outside_parts = calloc(nr + 1, sizeof(*result->outside_parts));
	if (!result->outside_parts)
		return -ENOMEM;
	result->nr_outside_parts = nr;
	for (i = 0; i < nr; i++)
		result->outside_parts[i] = (struct result_part){
			.samples = from->outside_samples[i],
			.system = from->outside_system[i],
			.thread = from->outside_threads[i] - 1,
		};
	return 0;
}

static int unpack_nodes(struct result *result, const Profil__Result *from, const char **why)
{
	const size_t nr = from->n_node_parents;
	size_t i;

	if (from->n_node_objects != nr || from->n_node_addresses != nr)
		return failure_refuse(why, "different numbers of nodes and addresses are in stacks");
	result->nodes = calloc(nr + 1, sizeof(*result->nodes));
	if (!result->nodes)
		return -ENOMEM;
	result->nr_nodes = nr;
	for (i = 0; i < nr; i++) {
		struct result_node *node = &result->nodes[i];

		*node = (struct result_node){
			.parent = from->node_parents[i] ? (uint32_t)i - from->node_parents[i] :
							  RESULT_NO_NODE,
			.object = from->node_objects[i] - 1,
			.address = from->node_addresses[i],
		};
		if (node->object < from->n_objects)
			node->address += from->objects[node->object]->start;
	}
	return 0;
}

static int unpack_stacks(struct result *result, const Profil__Result *from, const char **why)
{
	const size_t nr = from->n_stack_samples;
	uint64_t node = 0;
	size_t i;

	if (from->n_stack_distances != nr || from->n_stack_threads != nr ||
	    from->n_stack_system != nr)
		return failure_refuse(why, "different numbers of samples and threads are in stacks");
	result->stack_parts = calloc(nr + 1, sizeof(*result->stack_parts));
	if (!result->stack_parts)
		return -ENOMEM;
	result->nr_stack_parts = nr;
	for (i = 0; i < nr; i++) {
		if (__builtin_add_overflow(node, from->stack_distances[i], &node))
			return failure_refuse(why, "a node of a stack overflows");
		result->stack_parts[i] = (struct result_part){
			.address = node,
			.samples = from->stack_samples[i],
			.system = from->stack_system[i],
			.thread = from->stack_threads[i] - 1,
		};
	}
	return unpack_nodes(result, from, why);
}

static int unpack_functions(struct result_object *object, const Profil__Object *from,
			    const char **why)
{
	uint64_t address = functions_start(object);
	size_t i;

	for (i = 0; i < from->n_functions; i++) {
		struct result_function *function = &object->functions[i];

		if (__builtin_add_overflow(address, from->functions[i]->distance, &address) ||
		    __builtin_add_overflow(address, from->functions[i]->bytes, &function->end))
			return failure_refuse(why, "the address of a function overflows");
		function->start = address;
	}
	return 0;
}

/* Read the addresses of the places from the parts, which may be in no order. */
static int unpack_places(struct result_object *object, const Profil__Object *from,
			 const char **why)
{
	size_t frames = 0, nr = 0, i;

	if (!from->n_place_functions && !from->n_place_frames && !object->has_names)
		return 0;
	object->places = calloc(object->nr_parts + 1, sizeof(*object->places));
	if (!object->places)
		return -ENOMEM;
	for (i = 0; i < object->nr_parts; i++)
		if (!i || object->parts[i].address != object->parts[i - 1].address)
			object->places[nr++].address = object->parts[i].address;
	if (from->n_place_functions != nr || from->n_place_frames != nr)
		return failure_refuse(why, "an object has different numbers of names and addresses");
	object->nr_places = nr;
	for (i = 0; i < nr; i++) {
		object->places[i].function = from->place_functions[i] - 1;
		object->places[i].frame = (uint32_t)frames;
		object->places[i].nr_frames = from->place_frames[i];
		frames += from->place_frames[i];
	}
	return 0;
}

static int unpack_frames(struct result_object *object, const Profil__Object *from,
			 const char **why)
{
	const size_t nr = from->n_frame_lines;
	size_t i;

	if (from->n_frame_functions != nr || from->n_frame_files != nr || nr > UINT32_MAX)
		return failure_refuse(why, "an object has different numbers of lines and files");
	object->frames = calloc(nr + 1, sizeof(*object->frames));
	if (!object->frames)
		return -ENOMEM;
	object->nr_frames = nr;
	for (i = 0; i < nr; i++)
		object->frames[i] = (struct result_frame){
			from->frame_functions[i], from->frame_files[i], from->frame_lines[i],
		};
	return 0;
}

static int unpack_object(struct result_object *object, const Profil__Object *from,
			 const char **why)
{
	int error = unpack_build_id(object, from, why);

	if (!error)
		error = unpack_parts(object, from, why);
	if (!error)
		error = unpack_functions(object, from, why);
	if (!error)
		error = unpack_places(object, from, why);
	return error ? error : unpack_frames(object, from, why);
}

static int unpack_result(struct result *result, const Profil__Result *from, const char **why)
{
	size_t i;
	int error;

	if (from->n_objects > RESULT_MAX_OBJECTS)
		return failure_refuse(why, "more objects than a run can have");
	error = fields_unpack(&fields_of_result, result, from, why);
	if (!error)
		error = unpack_outside(result, from, why);
	if (!error)
		error = unpack_stacks(result, from, why);
	for (i = 0; i < from->n_objects && !error; i++)
		error = unpack_object(&result->objects[i], from->objects[i], why);
	for (i = 0; !error && result->strings && result->strings[i]; i++)
		result->nr_strings++;
	return error;
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
	error = unpack_result(result, from, why);
	profil__result__free_unpacked(from, &allocator);
	if (error)
		return error;
	*why = result_problem(result);
	if (*why)
		return -EBADMSG;
	if (result_sum(result))
		return -ENOMEM;
	result_find_mean_rate(result);
	return 0;
}
