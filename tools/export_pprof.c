// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof's format. A message of protobuf may be cut into pieces of the same type, whose
 * lists add up when they are read one behind the other: so the profile is written
 * function by function, each piece with what it adds to every list, and never is in
 * memory as a whole.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "escape.h"
#include "export.h"
#include "generated/pprof.pb-c.h"

#define GZIP_WINDOW	(15 + 16)	/* deflateInit2(): the largest, with gzip's head */
#define GZIP_MEMORY	8		/* its default */

/*
 * A mapping at which link-time addresses are addresses: pprof takes this very one for
 * what needs no correction (GetBase() in its internal/elfexec).
 */
#define MAPPING_START	0
#define MAPPING_LIMIT	UINT64_MAX

enum { SAMPLES, CPU, NR_VALUES };

struct pprof {
	FILE *out;
	z_stream deflate;
	int64_t nr_strings;	/* in the table so far */
	uint64_t nr_locations;
	int error;		/* -errno; nothing more is written */
};

/* What a piece adds to the table of strings: as many as the head needs */
struct strings {
	char *text[32];
	size_t nr;
};

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

/* Frees the strings. */
static void write_piece(struct pprof *pprof, Pprof__Profile *piece, struct strings *strings)
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

/* Return: its index in the table. */
static int64_t add_string(struct pprof *pprof, struct strings *strings, const char *text)
{
	char *copy = escape_utf8(text);

	if (!copy) {
		pprof->error = -ENOMEM;
		return 0;
	}
	strings->text[strings->nr++] = copy;
	return pprof->nr_strings++;
}

static void write_head(struct pprof *pprof, const struct result *result)
{
	Pprof__ValueType types[NR_VALUES] = {
		PPROF__VALUE_TYPE__INIT, PPROF__VALUE_TYPE__INIT,
	};
	Pprof__ValueType *type_of[NR_VALUES] = { &types[SAMPLES], &types[CPU] };
	Pprof__Profile head = PPROF__PROFILE__INIT;
	struct strings strings = { .nr = 0 };
	char *command = export_command_line(result);
	int64_t comments[3];

	if (!command)
		pprof->error = -ENOMEM;
	add_string(pprof, &strings, "");	/* the first has to be */
	types[SAMPLES].type = add_string(pprof, &strings, "samples");
	types[SAMPLES].unit = add_string(pprof, &strings, "count");
	types[CPU].type = add_string(pprof, &strings, "cpu");
	types[CPU].unit = add_string(pprof, &strings, "nanoseconds");
	comments[0] = add_string(pprof, &strings, command ? command : "");
	comments[1] = add_string(pprof, &strings, result->host);
	comments[2] = add_string(pprof, &strings,
				 "by profil: samples have no callers; addresses are link-time ones");
	head.n_sample_type = NR_VALUES;
	head.sample_type = type_of;
	head.default_sample_type = types[CPU].type;
	head.period_type = &types[CPU];
	head.period = (int64_t)export_ns(result, 1);
	head.time_nanos = (int64_t)result->began_ns;
	head.duration_nanos = (int64_t)result->elapsed_ns;
	head.n_comment = sizeof(comments) / sizeof(comments[0]);
	head.comment = comments;
	write_piece(pprof, &head, &strings);
	free(command);
}

static void write_mapping(struct pprof *pprof, const struct result_object *object,
			  size_t number, bool has_functions)
{
	char build_id[2 * RESULT_MAX_BUILD_ID + 1] = "";
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mapping_of = &mapping;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct strings strings = { .nr = 0 };
	size_t i;

	for (i = 0; i < object->build_id_bytes && i < RESULT_MAX_BUILD_ID; i++)
		snprintf(build_id + 2 * i, 3, "%02x", object->build_id[i]);
	mapping.id = number + 1;
	mapping.memory_start = MAPPING_START;
	mapping.memory_limit = MAPPING_LIMIT;
	mapping.filename = add_string(pprof, &strings, object->path);
	if (build_id[0])
		mapping.build_id = add_string(pprof, &strings, build_id);
	mapping.has_functions = has_functions;
	piece.n_mapping = 1;
	piece.mapping = &mapping_of;
	write_piece(pprof, &piece, &strings);
}

/* pprof itself finds names, if it has the object and we do not. */
static bool has_names(const struct attribution *attribution, size_t object)
{
	size_t i;

	for (i = 0; i < attribution->nr_functions; i++)
		if (attribution->functions[i].object == object &&
		    attribution->functions[i].symbol)
			return true;
	return false;
}

/* The first is taken for the program. */
static void write_mappings(struct pprof *pprof, const struct attribution *attribution)
{
	const struct result *result = attribution->result;
	const size_t first = export_main_object(result);
	size_t i;

	if (first < result->nr_objects)
		write_mapping(pprof, &result->objects[first], first,
			      has_names(attribution, first));
	for (i = 0; i < result->nr_objects; i++)
		if (i != first && result->objects[i].samples)
			write_mapping(pprof, &result->objects[i], i,
				      has_names(attribution, i));
}

/*
 * @mapping:  its ID, or 0
 * @function: ID of a function, or 0
 */
static void write_sample(struct pprof *pprof, const struct result *result,
			 const struct result_count *count, uint64_t mapping,
			 uint64_t function)
{
	Pprof__Location location = PPROF__LOCATION__INIT, *location_of = &location;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *sample_of = &sample;
	Pprof__Line line = PPROF__LINE__INIT, *line_of = &line;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct strings strings = { .nr = 0 };
	int64_t values[NR_VALUES];

	location.id = ++pprof->nr_locations;
	location.mapping_id = mapping;
	location.address = count->address;
	line.function_id = function;
	location.n_line = function != 0;
	location.line = &line_of;
	values[SAMPLES] = count->samples < INT64_MAX ? (int64_t)count->samples : INT64_MAX;
	values[CPU] = (int64_t)export_ns(result, count->samples);
	sample.n_location_id = 1;
	sample.location_id = &location.id;
	sample.n_value = NR_VALUES;
	sample.value = values;
	piece.n_location = 1;
	piece.location = &location_of;
	piece.n_sample = 1;
	piece.sample = &sample_of;
	write_piece(pprof, &piece, &strings);
}

static void write_name(struct pprof *pprof, uint64_t id, const char *name,
		       const char *symbol)
{
	Pprof__Function function = PPROF__FUNCTION__INIT, *function_of = &function;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct strings strings = { .nr = 0 };

	function.id = id;
	function.name = add_string(pprof, &strings, name);
	function.system_name = strcmp(name, symbol) ?
		add_string(pprof, &strings, symbol) : function.name;
	piece.n_function = 1;
	piece.function = &function_of;
	write_piece(pprof, &piece, &strings);
}

static void write_function(struct pprof *pprof, const struct attribution *attribution,
			   size_t number)
{
	const struct attribution_function *function = &attribution->functions[number];
	const struct result *result = attribution->result;
	const struct result_object *object = &result->objects[function->object];
	size_t i;

	if (function->symbol)
		write_name(pprof, number + 1, function->name, function->symbol);
	for (i = 0; i < function->nr_counts; i++)
		write_sample(pprof, result, &object->counts[function->counts[i]],
			     function->object + 1, function->symbol ? number + 1 : 0);
}

int export_pprof(FILE *out, const struct attribution *attribution)
{
	const struct result *result = attribution->result;
	const uint64_t outside_id = attribution->nr_functions + 1;
	struct pprof pprof = { .out = out };
	size_t i;

	if (deflateInit2(&pprof.deflate, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
			 GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	write_head(&pprof, result);
	write_mappings(&pprof, attribution);
	for (i = 0; i < attribution->nr_functions; i++)
		write_function(&pprof, attribution, i);
	if (result->outside) {
		const struct result_count count = { .samples = result->outside };

		write_name(&pprof, outside_id, RESULT_OUTSIDE, RESULT_OUTSIDE);
		write_sample(&pprof, result, &count, 0, outside_id);
	}
	compress_bytes(&pprof, NULL, 0, Z_FINISH);
	deflateEnd(&pprof.deflate);
	return pprof.error;
}
