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

static int pack_counts(Profil__Object *to, const struct result_object *object)
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

static void pack_functions(Profil__Object *to, const struct result_object *object)
{
	uint64_t previous = object->start;
	size_t i;

	for (i = 0; i < object->nr_functions; i++) {
		to->functions[i]->distance = object->functions[i].start - previous;
		to->functions[i]->bytes = object->functions[i].end - object->functions[i].start;
		previous = object->functions[i].end;
	}
}

int resultpack_pack(const struct result *result, unsigned char **message, size_t *bytes)
{
	Profil__Result *to = fields_pack(&fields_of_result, result);
	int error = to ? 0 : -ENOMEM;
	size_t i;

	*message = NULL;
	for (i = 0; i < result->nr_objects && !error; i++) {
		error = pack_build_id(to->objects[i], &result->objects[i]);
		if (!error)
			error = pack_counts(to->objects[i], &result->objects[i]);
		if (!error)
			pack_functions(to->objects[i], &result->objects[i]);
	}
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
static int unpack_counts(struct result_object *object, const Profil__Object *from,
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

static int unpack_functions(struct result_object *object, const Profil__Object *from,
			    const char **why)
{
	uint64_t address = from->start;
	size_t i;

	for (i = 0; i < from->n_functions; i++) {
		struct result_function *function = &object->functions[i];

		if (__builtin_add_overflow(address, from->functions[i]->distance,
					   &function->start) ||
		    __builtin_add_overflow(function->start, from->functions[i]->bytes,
					   &function->end))
			return failure_refuse(why, "the address of a function overflows");
		address = function->end;
	}
	return 0;
}

static int unpack_result(struct result *result, const Profil__Result *from, const char **why)
{
	size_t i;
	int error;

	if (from->n_objects > RESULT_MAX_OBJECTS)
		return failure_refuse(why, "more objects than a run can have");
	error = fields_unpack(&fields_of_result, result, from, why);
	for (i = 0; i < from->n_objects && !error; i++) {
		error = unpack_build_id(&result->objects[i], from->objects[i], why);
		if (!error)
			error = unpack_counts(&result->objects[i], from->objects[i], why);
		if (!error)
			error = unpack_functions(&result->objects[i], from->objects[i], why);
	}
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
	result_find_mean_rate(result);
	return 0;
}
