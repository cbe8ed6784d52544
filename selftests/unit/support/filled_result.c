// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filling and comparing by the tables of fields; by hand what is in no table.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/profil.h>

#include <result/fields.h>
#include <result/select.h>

#include "support/filled_result.h"
#include "support/test.h"

#define ELEMENTS	2

static uint64_t last_number;

/* A multiple of 256, so that there is room for code between an object's start and its end */
static uint64_t new_number(void)
{
	return last_number += 256;
}

/* The path of an object is that of a file, which may have all fields. */
static char *new_text(void)
{
	char *text;

	assert_true(asprintf(&text, "/text %06" PRIu64, new_number()) > 0);
	return text;
}

static void fill_fields(const struct field_table *table, void *structure);

static void fill_list(const struct field *field, void *structure)
{
	char *elements = calloc(ELEMENTS, field->elements->bytes);
	size_t i;

	assert_non_null(elements);
	memcpy(field_at(structure, field->member), &elements, sizeof(elements));
	*(size_t *)field_at(structure, field->nr_member) = ELEMENTS;
	for (i = 0; i < ELEMENTS; i++)
		fill_fields(field->elements, elements + i * field->elements->bytes);
}

static void fill_fields(const struct field_table *table, void *structure)
{
	size_t i, j;

	for (i = 0; i < table->nr_fields; i++) {
		const struct field *field = &table->fields[i];
		void *member = field_at(structure, field->member);
		char **texts;

		switch (field->kind) {
		case FIELD_BOOL:
			*(bool *)member = true;
			break;
		case FIELD_INT32:
			*(int32_t *)member = (int32_t)new_number();
			break;
		case FIELD_UINT32:
			*(uint32_t *)member = (uint32_t)new_number();
			break;
		case FIELD_INT64:
			*(int64_t *)member = -(int64_t)new_number();
			break;
		case FIELD_UINT64:
			*(uint64_t *)member = new_number() | (uint64_t)1 << 40;
			break;
		case FIELD_TEXT:
			*(char **)member = new_text();
			break;
		case FIELD_TEXTS:
			texts = calloc(ELEMENTS + 1, sizeof(*texts));
			assert_non_null(texts);
			for (j = 0; j < ELEMENTS; j++)
				texts[j] = new_text();
			*(char ***)member = texts;
			break;
		case FIELD_LIST:
			fill_list(field, structure);
			break;
		}
	}
}

static void fill_object(struct result_object *object)
{
	uint64_t address = object->start;
	size_t i;

	object->build_id_bytes = RESULT_MAX_BUILD_ID;
	for (i = 0; i < RESULT_MAX_BUILD_ID; i++)
		object->build_id[i] = (unsigned char)(i + 1);
	object->parts = calloc(ELEMENTS, sizeof(*object->parts));
	object->places = calloc(ELEMENTS, sizeof(*object->places));
	object->frames = calloc(ELEMENTS, sizeof(*object->frames));
	assert_true(object->parts && object->places && object->frames);
	object->nr_parts = object->nr_places = object->nr_frames = ELEMENTS;
	for (i = 0; i < ELEMENTS; i++) {
		object->functions[i].start = address += 5;
		address += 7;
		object->parts[i] = (struct result_part){ address, 3 + i, 1 + i, (uint32_t)i };
		object->places[i] = (struct result_place){ address, (uint32_t)i, (uint32_t)i, 1 };
		object->frames[i] = (struct result_frame){ 1, 1, (uint32_t)(5 + i) };
		object->functions[i].end = address += 11;
		object->functions[i].file = 1;
	}
}

static void fill_outside(struct result *result)
{
	size_t i;

	result->outside_parts = calloc(ELEMENTS, sizeof(*result->outside_parts));
	assert_non_null(result->outside_parts);
	result->nr_outside_parts = ELEMENTS;
	for (i = 0; i < ELEMENTS; i++)
		result->outside_parts[i] = (struct result_part){ 0, 2 + i, 1, (uint32_t)i };
}

/* A stack of an object that the other one has called, and of that one, with an unknown caller */
static void fill_stacks(struct result *result)
{
	size_t i;

	result->nodes = calloc(ELEMENTS + 1, sizeof(*result->nodes));
	result->stack_parts = calloc(ELEMENTS, sizeof(*result->stack_parts));
	assert_true(result->nodes && result->stack_parts);
	result->nr_nodes = ELEMENTS + 1;
	result->nr_stack_parts = ELEMENTS;
	result->nodes[0] = (struct result_node){
		RESULT_NO_NODE, RESULT_NO_OBJECT, RESULT_STACK_CUT,
	};
	for (i = 0; i < ELEMENTS; i++) {
		result->nodes[i + 1] = (struct result_node){
			(uint32_t)i, (uint32_t)i, result->objects[i].start + 6,
		};
		result->stack_parts[i] = (struct result_part){ i + 1, 8 + i, 1 + i, (uint32_t)i };
	}
}

void fill_result(struct result *result)
{
	size_t i;

	memset(result, 0, sizeof(*result));
	last_number = 0;
	fill_fields(&fields_of_result, result);
	for (i = 0; i < result->nr_objects; i++)
		fill_object(&result->objects[i]);
	fill_outside(result);
	fill_stacks(result);
	/* what must not be just any number */
	result->nr_strings = ELEMENTS;
	result->threads[0].process = 1;
	result->threads[1].process = RESULT_NO_PROCESS;
	result->clock = PROFIL_CLOCK_TIMER;
	result->unlisted_processes = 1002;
	result->unlisted_ended = 1001;
	assert_int_equal(result_sum(result), 0);
	result_find_mean_rate(result);
	assert_string_equal(result_problem(result) ? : "none", "none");
}

static void assert_same_fields(const struct field_table *table, const void *a, const void *b);

static void assert_same_texts(char *const *a, char *const *b)
{
	if (!a || !b) {
		assert_ptr_equal(a, b);
		return;
	}
	for (; *a && *b; a++, b++)
		assert_string_equal(*a, *b);
	assert_ptr_equal(*a, *b);
}

static void assert_same_list(const struct field *field, const void *a, const void *b)
{
	const char *left = field_pointer(a, field->member);
	const char *right = field_pointer(b, field->member);
	const size_t bytes = field->elements->bytes;
	size_t i;

	assert_int_equal(field_length(field, a), field_length(field, b));
	for (i = 0; i < field_length(field, a); i++)
		assert_same_fields(field->elements, left + i * bytes, right + i * bytes);
}

static void assert_same_fields(const struct field_table *table, const void *a, const void *b)
{
	size_t i;

	for (i = 0; i < table->nr_fields; i++) {
		const struct field *field = &table->fields[i];
		const void *left = field_at(a, field->member), *right = field_at(b, field->member);

		switch (field->kind) {
		case FIELD_BOOL:
			assert_int_equal(*(const bool *)left, *(const bool *)right);
			break;
		case FIELD_INT32:
		case FIELD_UINT32:
			assert_int_equal(*(const uint32_t *)left, *(const uint32_t *)right);
			break;
		case FIELD_INT64:
		case FIELD_UINT64:
			assert_int_equal(*(const uint64_t *)left, *(const uint64_t *)right);
			break;
		case FIELD_TEXT:
			/* NULL is packed as "" */
			assert_string_equal(result_text(field_pointer(a, field->member)) ? : "",
					    result_text(field_pointer(b, field->member)) ? : "");
			break;
		case FIELD_TEXTS:
			assert_same_texts(field_pointer(a, field->member),
					  field_pointer(b, field->member));
			break;
		case FIELD_LIST:
			assert_same_list(field, a, b);
			break;
		}
	}
}

static void assert_same_parts(const struct result_part *a, size_t nr_a,
			      const struct result_part *b, size_t nr_b)
{
	size_t i;

	assert_int_equal(nr_a, nr_b);
	for (i = 0; i < nr_a; i++) {
		assert_int_equal(result_compare_parts(&a[i], &b[i]), 0);
		assert_int_equal(a[i].samples, b[i].samples);
		assert_int_equal(a[i].system, b[i].system);
	}
}

void assert_same_result(const struct result *a, const struct result *b)
{
	size_t i, j;

	assert_same_fields(&fields_of_result, a, b);
	assert_memory_equal(&a->mean_rate, &b->mean_rate, sizeof(a->mean_rate));
	assert_same_parts(a->outside_parts, a->nr_outside_parts, b->outside_parts,
			  b->nr_outside_parts);
	assert_int_equal(a->outside, b->outside);
	assert_same_parts(a->stack_parts, a->nr_stack_parts, b->stack_parts, b->nr_stack_parts);
	assert_int_equal(a->nr_nodes, b->nr_nodes);
	assert_memory_equal(a->nodes, b->nodes, a->nr_nodes * sizeof(*a->nodes));
	assert_int_equal(a->nr_strings, b->nr_strings);
	for (i = 0; i < a->nr_threads; i++)
		assert_int_equal(a->threads[i].samples, b->threads[i].samples);
	for (i = 0; i < a->nr_objects; i++) {
		const struct result_object *left = &a->objects[i], *right = &b->objects[i];

		assert_int_equal(left->build_id_bytes, right->build_id_bytes);
		assert_memory_equal(left->build_id, right->build_id, sizeof(left->build_id));
		assert_int_equal(left->samples, right->samples);
		assert_same_parts(left->parts, left->nr_parts, right->parts, right->nr_parts);
		assert_int_equal(left->nr_places, right->nr_places);
		for (j = 0; j < left->nr_places; j++)
			assert_memory_equal(&left->places[j], &right->places[j],
					    offsetof(struct result_place, nr_frames) +
					    sizeof(left->places[j].nr_frames));
		assert_int_equal(left->nr_frames, right->nr_frames);
		for (j = 0; j < left->nr_frames; j++)
			assert_memory_equal(&left->frames[j], &right->frames[j],
					    sizeof(left->frames[j]));
		assert_int_equal(left->nr_counts, right->nr_counts);
		assert_memory_equal(left->counts, right->counts,
				    left->nr_counts * sizeof(*left->counts));
		for (j = 0; j < left->nr_functions; j++) {
			assert_int_equal(left->functions[j].start, right->functions[j].start);
			assert_int_equal(left->functions[j].end, right->functions[j].end);
		}
	}
}
