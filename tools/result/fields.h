/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of a result as data. fields.awk makes a table of each message in profil.proto
 * (generated/result_fields.c). What treats all fields alike is a loop over a table. Fields that
 * profil.proto says are packed by hand are in no table.
 */
#ifndef PROFIL_FIELDS_H
#define PROFIL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include <protobuf-c/protobuf-c.h>

/* The type of a field's member in struct result or a structure in it; its type in profil.proto */
enum field_kind {
	FIELD_BOOL,	/* bool; bool */
	FIELD_INT32,	/* int32_t; int32 */
	FIELD_UINT32,	/* uint32_t; uint32 */
	FIELD_INT64,	/* int64_t; sint64 */
	FIELD_UINT64,	/* uint64_t; uint64 */
	FIELD_TEXT,	/* char *, to be freed; bytes. NULL becomes "" */
	FIELD_TEXTS,	/* char **, ended by NULL, all to be freed; repeated bytes. NULL if empty */
	FIELD_LIST,	/* array of structures, to be freed; repeated MESSAGE */
};

/**
 * struct field - a field of a message
 * @name:         its name in profil.proto, and the name of its member
 * @kind:         its types
 * @is_address:   a FIELD_UINT64 that is a link-time address, or a difference of such addresses
 * @is_converted: JSON has it with another name or in another form
 * @member:       offset of its member in the structure
 * @nr_member:    FIELD_LIST: offset of the number of elements, a size_t
 * @packed:       offset of its member in protobuf-c's structure
 * @nr_packed:    FIELD_TEXTS, FIELD_LIST: offset of the number of elements there, a size_t
 * @elements:     FIELD_LIST: the fields of an element
 */
struct field {
	const char *name;
	enum field_kind kind;
	bool is_address;
	bool is_converted;
	size_t member;
	size_t nr_member;
	size_t packed;
	size_t nr_packed;
	const struct field_table *elements;
};

/* The fields of a message */
struct field_table {
	const ProtobufCMessageDescriptor *packed;	/* describes protobuf-c's structure */
	size_t bytes;					/* size of the structure in result.h */
	const struct field *fields;			/* in the order of profil.proto */
	size_t nr_fields;				/* number of fields */
};

extern const struct field_table fields_of_result;
extern const struct field_table fields_of_object;
extern const struct field_table fields_of_process;
extern const struct field_table fields_of_thread;

/* The member at an offset of a structure */
static inline void *field_at(const void *structure, size_t offset)
{
	return (char *)structure + offset;
}

/* The text, texts or list at &struct field.member or &struct field.packed. */
void *field_pointer(const void *structure, size_t offset);

/* Count the elements of a list. Return: the number of elements. */
size_t field_length(const struct field *field, const void *structure);

/*
 * Make a message from a structure. Return: protobuf-c's structure, to be freed by
 * protobuf_c_message_free_unpacked(); NULL: no memory. It has copies of all fields in the tables;
 * the others are unset.
 */
void *fields_pack(const struct field_table *table, const void *from);

/**
 * fields_unpack - fill in a structure from a message
 * @to:    all zero; must be released with fields_release(), even on error
 * @from:  protobuf-c's structure of any message of that type
 * @why:   on -EBADMSG, set to what is wrong
 *
 * Return: 0; -EBADMSG: a text contains a 0; -ENOMEM.
 */
int fields_unpack(const struct field_table *table, void *to, const void *from, const char **why);

/* Free what the fields of a structure point to. */
void fields_release(const struct field_table *table, void *structure);

#endif /* PROFIL_FIELDS_H */
