// SPDX-License-Identifier: GPL-2.0-only
/*
 * No field of profil.proto is forgotten when a result is packed or unpacked. What is refused is
 * tested with files (resultfile_test.c).
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <generated/profil.pb-c.h>
#include <result/resultpack.h>

#include "support/filled_result.h"
#include "support/test.h"

static struct result result;
static unsigned char *packed;
static size_t packed_bytes;

FIXTURE(set_up)
{
	fill_result(&result);
	return resultpack_pack(&result, &packed, &packed_bytes);
}

FIXTURE(tear_down)
{
	result_release(&result);
	free(packed);
	return 0;
}

static size_t bytes_of(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_BOOL:
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_UINT32:
		return sizeof(uint32_t);
	default:
		return sizeof(uint64_t);
	}
}

/* Check that a value of a field is not 0. */
static void assert_set(const ProtobufCFieldDescriptor *field, const char *value)
{
	static const char zeros[sizeof(uint64_t)];

	if (field->type == PROTOBUF_C_TYPE_BYTES) {
		if (((const ProtobufCBinaryData *)value)->len)
			return;
	} else if (memcmp(value, zeros, bytes_of(field))) {
		return;
	}
	fail_msg("%s is not packed", field->name);
}

/* Check each field, by protobuf-c's description of the message instead of the tables. */
static void assert_all_set(const ProtobufCMessage *message)
{
	unsigned int i;
	size_t j;

	for (i = 0; i < message->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
		const char *value = (const char *)message + field->offset;
		size_t nr;

		if (field->label != PROTOBUF_C_LABEL_REPEATED) {
			assert_set(field, value);
			continue;
		}
		nr = *(const size_t *)((const char *)message + field->quantifier_offset);
		if (!nr)
			fail_msg("%s is not packed", field->name);
		if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
			for (j = 0; j < nr; j++)
				assert_all_set((*(ProtobufCMessage **const *)value)[j]);
		} else {
			/* of a first frame, the caller is 0 */
			assert_set(field, *(const char *const *)value + (nr - 1) * bytes_of(field));
		}
	}
}

TEST_F(each_field_is_packed)
{
	Profil__Result *message = profil__result__unpack(NULL, packed_bytes, packed);

	assert_non_null(message);
	assert_all_set(&message->base);
	profil__result__free_unpacked(message, NULL);
}

TEST_F(each_field_is_read_as_packed)
{
	struct result read_back;
	const char *why = "";

	assert_int_equal(resultpack_unpack(packed, packed_bytes, &read_back, &why), 0);
	assert_same_result(&read_back, &result);
	result_release(&read_back);
}

/* Of all texts of fill_result(), those of command lines are in no message any more. */
TEST_F(command_lines_are_dropped)
{
	char *of_run = strdup(result.argv[1]), *of_process = strdup(result.processes[1].argv[0]);

	assert_non_null(memmem(packed, packed_bytes, of_process, strlen(of_process)));
	assert_int_equal(result_drop_arguments(&result), 0);
	assert_string_equal(result.argv[0], result.processes[0].program);
	assert_null(result_problem(&result));
	free(packed);
	assert_int_equal(resultpack_pack(&result, &packed, &packed_bytes), 0);
	assert_null(memmem(packed, packed_bytes, of_run, strlen(of_run)));
	assert_null(memmem(packed, packed_bytes, of_process, strlen(of_process)));
	free(of_process);
	free(of_run);
}
