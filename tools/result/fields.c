// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packing, unpacking and releasing of structures by the tables of their fields. A structure
 * contains others only in lists, and none contains itself, so that recursion ends.
 *
 * A list is an array of structures here, and an array of pointers to structures in protobuf-c.
 * Pointers are copied by memcpy(), as their types differ from table to table.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "result/fields.h"
#include "util/failure.h"

void *field_pointer(const void *structure, size_t offset)
{
	void *pointer;

	memcpy(&pointer, field_at(structure, offset), sizeof(pointer));
	return pointer;
}

static void set_pointer(void *structure, size_t offset, void *pointer)
{
	memcpy(field_at(structure, offset), &pointer, sizeof(pointer));
}

size_t field_length(const struct field *field, const void *structure)
{
	return *(size_t *)field_at(structure, field->nr_member);
}

/* --- packing ------------------------------------------------------------------ */

static int pack_text(ProtobufCBinaryData *to, const char *text)
{
	if (!text)
		return 0;
	to->len = strlen(text);
	to->data = malloc(to->len + 1);
	if (!to->data)
		return -ENOMEM;
	memcpy(to->data, text, to->len);
	return 0;
}

static int pack_texts(const struct field *field, void *to, char *const *texts)
{
	ProtobufCBinaryData *packed;
	size_t nr = 0, i;
	int error = 0;

	while (texts && texts[nr])
		nr++;
	packed = calloc(nr + 1, sizeof(*packed));
	if (!packed)
		return -ENOMEM;
	set_pointer(to, field->packed, packed);
	*(size_t *)field_at(to, field->nr_packed) = nr;
	for (i = 0; i < nr && !error; i++)
		error = pack_text(&packed[i], texts[i]);
	return error;
}

static int pack_list(const struct field *field, void *to, const void *from)
{
	const char *elements = field_pointer(from, field->member);
	size_t nr = field_length(field, from), i;
	void **packed = calloc(nr + 1, sizeof(*packed));

	if (!packed)
		return -ENOMEM;
	set_pointer(to, field->packed, packed);
	*(size_t *)field_at(to, field->nr_packed) = nr;
	for (i = 0; i < nr; i++) {
		packed[i] = fields_pack(field->elements, elements + i * field->elements->bytes);
		if (!packed[i])
			return -ENOMEM;
	}
	return 0;
}

static int pack_field(const struct field *field, void *to, const void *from)
{
	const void *member = field_at(from, field->member);
	void *packed = field_at(to, field->packed);

	switch (field->kind) {
	case FIELD_BOOL:
		*(protobuf_c_boolean *)packed = *(const bool *)member;
		return 0;
	case FIELD_INT32:
	case FIELD_UINT32:
		memcpy(packed, member, sizeof(uint32_t));
		return 0;
	case FIELD_INT64:
	case FIELD_UINT64:
		memcpy(packed, member, sizeof(uint64_t));
		return 0;
	case FIELD_TEXT:
		return pack_text(packed, field_pointer(from, field->member));
	case FIELD_TEXTS:
		return pack_texts(field, to, field_pointer(from, field->member));
	case FIELD_LIST:
		return pack_list(field, to, from);
	}
	return -EINVAL;
}

void *fields_pack(const struct field_table *table, const void *from)
{
	ProtobufCMessage *to = malloc(table->packed->sizeof_message);
	size_t i;

	if (!to)
		return NULL;
	protobuf_c_message_init(table->packed, to);
	for (i = 0; i < table->nr_fields; i++) {
		if (pack_field(&table->fields[i], to, from)) {
			protobuf_c_message_free_unpacked(to, NULL);
			return NULL;
		}
	}
	return to;
}

/* --- unpacking ---------------------------------------------------------------- */

/* Return: 0; -EBADMSG: the text contains a 0; -ENOMEM. */
static int unpack_text(char **to, const ProtobufCBinaryData *from, const char **why)
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

static int unpack_texts(const struct field *field, void *to, const void *from, const char **why)
{
	const ProtobufCBinaryData *packed = field_pointer(from, field->packed);
	size_t nr = *(size_t *)field_at(from, field->nr_packed), i;
	char **texts;
	int error = 0;

	if (!nr)
		return 0;
	texts = calloc(nr + 1, sizeof(*texts));
	if (!texts)
		return -ENOMEM;
	set_pointer(to, field->member, texts);
	for (i = 0; i < nr && !error; i++)
		error = unpack_text(&texts[i], &packed[i], why);
	return error;
}

static int unpack_list(const struct field *field, void *to, const void *from, const char **why)
{
	void *const *packed = field_pointer(from, field->packed);
	size_t nr = *(size_t *)field_at(from, field->nr_packed), i;
	char *elements = calloc(nr + 1, field->elements->bytes);
	int error = 0;

	if (!elements)
		return -ENOMEM;
	set_pointer(to, field->member, elements);
	*(size_t *)field_at(to, field->nr_member) = nr;
	for (i = 0; i < nr && !error; i++)
		error = fields_unpack(field->elements, elements + i * field->elements->bytes,
				      packed[i], why);
	return error;
}

static int unpack_field(const struct field *field, void *to, const void *from, const char **why)
{
	const void *packed = field_at(from, field->packed);
	void *member = field_at(to, field->member);
	char *text = NULL;
	int error;

	switch (field->kind) {
	case FIELD_BOOL:
		*(bool *)member = *(const protobuf_c_boolean *)packed;
		return 0;
	case FIELD_INT32:
	case FIELD_UINT32:
		memcpy(member, packed, sizeof(uint32_t));
		return 0;
	case FIELD_INT64:
	case FIELD_UINT64:
		memcpy(member, packed, sizeof(uint64_t));
		return 0;
	case FIELD_TEXT:
		error = unpack_text(&text, packed, why);
		set_pointer(to, field->member, text);
		return error;
	case FIELD_TEXTS:
		return unpack_texts(field, to, from, why);
	case FIELD_LIST:
		return unpack_list(field, to, from, why);
	}
	return -EINVAL;
}

int fields_unpack(const struct field_table *table, void *to, const void *from, const char **why)
{
	size_t i;
	int error = 0;

	for (i = 0; i < table->nr_fields && !error; i++)
		error = unpack_field(&table->fields[i], to, from, why);
	return error;
}

/* --- releasing ---------------------------------------------------------------- */

static void release_texts(char **texts)
{
	size_t i;

	for (i = 0; texts && texts[i]; i++)
		free(texts[i]);
}

static void release_list(const struct field *field, const void *structure)
{
	char *elements = field_pointer(structure, field->member);
	size_t nr = field_length(field, structure), i;

	for (i = 0; i < nr; i++)
		fields_release(field->elements, elements + i * field->elements->bytes);
}

void fields_release(const struct field_table *table, void *structure)
{
	size_t i;

	for (i = 0; i < table->nr_fields; i++) {
		const struct field *field = &table->fields[i];

		if (field->kind == FIELD_TEXTS)
			release_texts(field_pointer(structure, field->member));
		if (field->kind == FIELD_LIST)
			release_list(field, structure);
		if (field->kind >= FIELD_TEXT)	/* a pointer */
			free(field_pointer(structure, field->member));
	}
}
