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

#include "support/filled_result.h"
#include "support/test.h"

#define ELEMENTS	2

static uint64_t last_number;

/* A multiple of 256, so that there is room for code between an object's start and its end */
static uint64_t new_number(void)
{
	return last_number += 256;
}

/* In brackets: the path of an object that may have functions */
static char *new_text(void)
{
	char *text;

	assert_true(asprintf(&text, "[text %06" PRIu64 "]", new_number()) > 0);
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
	object->counts = calloc(ELEMENTS, sizeof(*object->counts));
	assert_non_null(object->counts);
	object->nr_counts = ELEMENTS;
	for (i = 0; i < ELEMENTS; i++) {
		object->functions[i].start = address += 5;
		object->counts[i].address = address += 7;
		object->counts[i].samples = 3 + i;
		object->samples += 3 + i;
		object->functions[i].end = address += 11;
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
	/* what must not be just any number */
	result->clock = PROFIL_CLOCK_TIMER;
	result->unlisted_processes = 1002;
	result->unlisted_ended = 1001;
	result_find_mean_rate(result);
	assert_null(result_problem(result));
}

static void assert_same_fields(const struct field_table *table, const void *a, const void *b);

static void assert_same_texts(char *const *a, char *const *b)
{
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
			assert_string_equal(field_pointer(a, field->member),
					    field_pointer(b, field->member));
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

void assert_same_result(const struct result *a, const struct result *b)
{
	size_t i, j;

	assert_same_fields(&fields_of_result, a, b);
	assert_memory_equal(&a->mean_rate, &b->mean_rate, sizeof(a->mean_rate));
	for (i = 0; i < a->nr_objects; i++) {
		const struct result_object *left = &a->objects[i], *right = &b->objects[i];

		assert_int_equal(left->build_id_bytes, right->build_id_bytes);
		assert_memory_equal(left->build_id, right->build_id, sizeof(left->build_id));
		assert_int_equal(left->samples, right->samples);
		assert_int_equal(left->nr_counts, right->nr_counts);
		assert_memory_equal(left->counts, right->counts,
				    left->nr_counts * sizeof(*left->counts));
		for (j = 0; j < left->nr_functions; j++) {
			assert_int_equal(left->functions[j].start, right->functions[j].start);
			assert_int_equal(left->functions[j].end, right->functions[j].end);
		}
	}
}
