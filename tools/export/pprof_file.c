// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pieces of pprof's format. Readers of protobuf merge concatenated messages of one type into
 * one message with concatenated lists. So the profile is written in pieces, and is never in memory
 * as a whole. Mappings are last, because they state what is known about their functions.
 */
#include <errno.h>
#include <stdlib.h>

#include "export/export.h"
#include "export/pprof.h"
#include "util/escape.h"

#define GZIP_WINDOW	(15 + 16)	/* for deflateInit2(): the largest, with a gzip header */
#define GZIP_MEMORY	8		/* the default of deflateInit2() */

/* With these, pprof uses addresses as link-time addresses: GetBase() in its internal/elfexec. */
#define MAPPING_START	0
#define MAPPING_LIMIT	UINT64_MAX

static void compress_bytes(struct pprof *pprof, uint8_t *bytes, size_t size, int flush)
{
	unsigned char room[16384];

	pprof->deflate.next_in = bytes;
	pprof->deflate.avail_in = (uInt)size;
	do {
		pprof->deflate.next_out = room;
		pprof->deflate.avail_out = sizeof(room);
		deflate(&pprof->deflate, flush);
		fwrite(room, 1, sizeof(room) - pprof->deflate.avail_out, pprof->out);
	} while (!pprof->deflate.avail_out);
}

void pprof_write(struct pprof *pprof, Pprof__Profile *piece, struct pprof_strings *strings)
{
	uint8_t *bytes;
	size_t size, i;

	piece->n_string_table = strings->nr;
	piece->string_table = strings->text;
	if (!pprof->error) {
		size = pprof__profile__get_packed_size(piece);
		bytes = malloc(size + 1);
		if (bytes) {
			pprof__profile__pack(piece, bytes);
			compress_bytes(pprof, bytes, size, Z_NO_FLUSH);
		} else {
			pprof->error = -ENOMEM;
		}
		free(bytes);
	}
	for (i = 0; i < strings->nr; i++)
		free(strings->text[i]);
	strings->nr = 0;
}

int64_t pprof_add_string(struct pprof *pprof, struct pprof_strings *strings, const char *text)
{
	char *copy = escape_utf8(text);

	if (!copy) {
		pprof->error = -ENOMEM;
		return 0;
	}
	strings->text[strings->nr++] = copy;
	return pprof->nr_strings++;
}

static void write_head(struct pprof *pprof)
{
	Pprof__ValueType types[PPROF_NR_VALUES] = {
		PPROF__VALUE_TYPE__INIT, PPROF__VALUE_TYPE__INIT,
		PPROF__VALUE_TYPE__INIT, PPROF__VALUE_TYPE__INIT,
	};
	Pprof__ValueType *type_of[PPROF_NR_VALUES] = {
		&types[PPROF_SAMPLES], &types[PPROF_CPU], &types[PPROF_USER], &types[PPROF_SYSTEM],
	};
	const struct result *result = pprof->result;
	Pprof__Profile head = PPROF__PROFILE__INIT;
	struct pprof_strings strings = { .nr = 0 };
	char *command = export_command_line(result);
	int64_t comments[3];

	if (!command)
		pprof->error = -ENOMEM;
	pprof_add_string(pprof, &strings, "");	/* the first string must be empty */
	types[PPROF_SAMPLES].type = pprof_add_string(pprof, &strings, "samples");
	types[PPROF_SAMPLES].unit = pprof_add_string(pprof, &strings, "count");
	types[PPROF_CPU].type = pprof_add_string(pprof, &strings, "cpu");
	types[PPROF_USER].type = pprof_add_string(pprof, &strings, "user");
	types[PPROF_SYSTEM].type = pprof_add_string(pprof, &strings, "system");
	types[PPROF_CPU].unit = pprof_add_string(pprof, &strings, "nanoseconds");
	types[PPROF_USER].unit = types[PPROF_SYSTEM].unit = types[PPROF_CPU].unit;
	comments[0] = pprof_add_string(pprof, &strings, command ? command : "");
	comments[1] = pprof_add_string(pprof, &strings, result->host);
	comments[2] = pprof_add_string(pprof, &strings, pprof->calls ?
		"made by profil: link-time addresses" :
		"made by profil: samples without callers, link-time addresses");
	head.n_sample_type = PPROF_NR_VALUES;
	head.sample_type = type_of;
	head.default_sample_type = types[PPROF_CPU].type;
	head.period_type = &types[PPROF_CPU];
	head.period = (int64_t)export_ns(result, 1);
	head.time_nanos = (int64_t)result->start_time_ns;
	head.duration_nanos = (int64_t)result->elapsed_ns;
	head.n_comment = sizeof(comments) / sizeof(comments[0]);
	head.comment = comments;
	pprof_write(pprof, &head, &strings);
	free(command);
}

static void write_mapping(struct pprof *pprof, size_t number)
{
	const struct result_object *object = &pprof->symbolized->result->objects[number];
	const struct pprof_known *known = &pprof->known[number];
	char build_id[2 * RESULT_MAX_BUILD_ID + 1] = "";
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mapping_of = &mapping;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct pprof_strings strings = { .nr = 0 };
	size_t i;

	for (i = 0; i < object->build_id_bytes && i < RESULT_MAX_BUILD_ID; i++)
		snprintf(build_id + 2 * i, 3, "%02x", object->build_id[i]);
	mapping.id = number + 1;
	mapping.memory_start = MAPPING_START;
	mapping.memory_limit = MAPPING_LIMIT;
	mapping.filename = pprof_add_string(pprof, &strings, object->path);
	if (build_id[0])
		mapping.build_id = pprof_add_string(pprof, &strings, build_id);
	mapping.has_functions = known->names;
	mapping.has_filenames = known->files;
	mapping.has_line_numbers = known->files;
	piece.n_mapping = 1;
	piece.mapping = &mapping_of;
	pprof_write(pprof, &piece, &strings);
}

/* pprof takes the first mapping for the program. */
static void write_mappings(struct pprof *pprof)
{
	const struct result *result = pprof->symbolized->result;
	const size_t first = export_main_object(pprof->result);
	size_t i;

	if (first < result->nr_objects)
		write_mapping(pprof, first);
	for (i = 0; i < result->nr_objects; i++)
		if (i != first && result->objects[i].nr_counts)
			write_mapping(pprof, i);
}

bool pprof_begin(struct pprof *pprof)
{
	if (deflateInit2(&pprof->deflate, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
			 GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	write_head(pprof);
	return true;
}

void pprof_end(struct pprof *pprof)
{
	write_mappings(pprof);
	compress_bytes(pprof, NULL, 0, Z_FINISH);
	deflateEnd(&pprof->deflate);
}
