// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof's format. Readers of protobuf merge concatenated messages of one type into one message
 * with concatenated lists. So the profile is written in pieces, function by function, and is
 * never in memory as a whole. Mappings are last, because they state what is known about their
 * functions.
 *
 * A location has a line for each function that is inlined there, and a last one for the function
 * that has the code. The line is in the file of its function. If it is in another file, because the
 * debug information lacks what is inlined, another Function with that file is added.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "export/export.h"
#include "generated/pprof.pb-c.h"
#include "profile/namesakes.h"
#include "util/escape.h"
#include "util/text_tree.h"

#define GZIP_WINDOW	(15 + 16)	/* for deflateInit2(): the largest, with a gzip header */
#define GZIP_MEMORY	8		/* the default of deflateInit2() */

/* With these, pprof uses addresses as link-time addresses: GetBase() in its internal/elfexec. */
#define MAPPING_START	0
#define MAPPING_LIMIT	UINT64_MAX

enum { SAMPLES, CPU, USER, SYSTEM, NR_VALUES };

/* The name of an inlined function that has none */
static const char unknown[] = "(unknown)";

/* A source file, by its path */
struct pprof_file {
	struct text_node path;
	int64_t string;		/* index of the path in the table of strings; 0: not added yet */
	size_t function;	/* the last symbolized function with lines in this file */
	uint64_t id;		/* ID of that function's Function with this file; 0: none yet */
};

/* A function that is inlined somewhere. Equal texts have equal addresses (symbols_frames()). */
struct inlined {
	const char *name;
	const char *file;	/* NULL: unknown */
	uint64_t id;		/* of its Function */
};

/* Whether any function of an object has a name or a file */
struct known {
	bool names;
	bool files;
};

struct pprof {
	FILE *out;
	const struct symbolized *symbolized;
	const char **labels;	/* by object: its short name */
	struct known *known;	/* by object */
	void *sources;		/* tree of struct pprof_file */
	void *inlined;		/* tree of struct inlined */
	z_stream deflate;
	int64_t nr_strings;	/* in the table so far */
	uint64_t nr_locations;
	uint64_t nr_functions;
	int error;		/* 0; or -errno, and nothing more is written */
};

/* Where the samples of a count belong */
struct place {
	uint64_t mapping;	/* ID, or 0 */
	struct {
		uint64_t function;	/* ID */
		int line;		/* 0: unknown */
	} lines[SYMBOLS_MAX_FRAMES];	/* innermost function first */
	size_t nr;
};

/* Strings that a piece adds to the table. There is room for those of the head, the most. */
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

/* Write a piece with its strings, which are freed. */
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

/* Return: the index of the string in the table. */
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
		PPROF__VALUE_TYPE__INIT, PPROF__VALUE_TYPE__INIT,
	};
	Pprof__ValueType *type_of[NR_VALUES] = {
		&types[SAMPLES], &types[CPU], &types[USER], &types[SYSTEM],
	};
	Pprof__Profile head = PPROF__PROFILE__INIT;
	struct strings strings = { .nr = 0 };
	char *command = export_command_line(result);
	int64_t comments[3];

	if (!command)
		pprof->error = -ENOMEM;
	add_string(pprof, &strings, "");	/* the first string must be empty */
	types[SAMPLES].type = add_string(pprof, &strings, "samples");
	types[SAMPLES].unit = add_string(pprof, &strings, "count");
	types[CPU].type = add_string(pprof, &strings, "cpu");
	types[USER].type = add_string(pprof, &strings, "user");
	types[SYSTEM].type = add_string(pprof, &strings, "system");
	types[CPU].unit = add_string(pprof, &strings, "nanoseconds");
	types[USER].unit = types[SYSTEM].unit = types[CPU].unit;
	comments[0] = add_string(pprof, &strings, command ? command : "");
	comments[1] = add_string(pprof, &strings, result->host);
	comments[2] = add_string(pprof, &strings,
				 "made by profil: samples without callers, link-time addresses");
	head.n_sample_type = NR_VALUES;
	head.sample_type = type_of;
	head.default_sample_type = types[CPU].type;
	head.period_type = &types[CPU];
	head.period = (int64_t)export_ns(result, 1);
	head.time_nanos = (int64_t)result->start_time_ns;
	head.duration_nanos = (int64_t)result->elapsed_ns;
	head.n_comment = sizeof(comments) / sizeof(comments[0]);
	head.comment = comments;
	write_piece(pprof, &head, &strings);
	free(command);
}

static void write_mapping(struct pprof *pprof, size_t number)
{
	const struct result_object *object = &pprof->symbolized->result->objects[number];
	const struct known *known = &pprof->known[number];
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
	mapping.has_functions = known->names;
	mapping.has_filenames = known->files;
	mapping.has_line_numbers = known->files;
	piece.n_mapping = 1;
	piece.mapping = &mapping_of;
	write_piece(pprof, &piece, &strings);
}

/* pprof takes the first mapping for the program. */
static void write_mappings(struct pprof *pprof)
{
	const struct result *result = pprof->symbolized->result;
	const size_t first = export_main_object(result);
	size_t i;

	if (first < result->nr_objects)
		write_mapping(pprof, first);
	for (i = 0; i < result->nr_objects; i++)
		if (i != first && result->objects[i].samples)
			write_mapping(pprof, i);
}

static void write_sample(struct pprof *pprof, const struct result *result,
			 const struct result_count *count, const struct place *place)
{
	Pprof__Location location = PPROF__LOCATION__INIT, *location_of = &location;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *sample_of = &sample;
	Pprof__Line lines[SYMBOLS_MAX_FRAMES], *line_of[SYMBOLS_MAX_FRAMES];
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct strings strings = { .nr = 0 };
	int64_t values[NR_VALUES];
	size_t i;

	for (i = 0; i < place->nr; i++) {
		pprof__line__init(&lines[i]);
		lines[i].function_id = place->lines[i].function;
		lines[i].line = place->lines[i].line;
		line_of[i] = &lines[i];
	}
	location.id = ++pprof->nr_locations;
	location.mapping_id = place->mapping;
	location.address = count->address;
	location.n_line = place->nr;
	location.line = line_of;
	values[SAMPLES] = count->samples < INT64_MAX ? (int64_t)count->samples : INT64_MAX;
	values[CPU] = (int64_t)export_ns(result, count->samples);
	/* they add up */
	values[SYSTEM] = (int64_t)export_ns(result, count->system);
	values[USER] = values[CPU] - values[SYSTEM];
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

/* Find or add a source file. Return: NULL: no memory, and @pprof->error is set. */
static struct pprof_file *find_source(struct pprof *pprof, const char *path)
{
	struct pprof_file *source = text_tree_find(&pprof->sources, path, sizeof(*source));

	if (!source)
		pprof->error = -ENOMEM;
	return source;
}

/* Write a Function. @source: NULL: unknown. Return: the ID of the Function. */
static uint64_t add_function(struct pprof *pprof, const char *name, const char *symbol,
			     struct pprof_file *source, int start_line)
{
	Pprof__Function function = PPROF__FUNCTION__INIT, *function_of = &function;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct strings strings = { .nr = 0 };

	function.id = ++pprof->nr_functions;
	function.name = add_string(pprof, &strings, name);
	function.system_name = strcmp(name, symbol) ?
		add_string(pprof, &strings, symbol) : function.name;
	if (source && !source->string)
		source->string = add_string(pprof, &strings, source->path.text);
	if (source)
		function.filename = source->string;
	function.start_line = start_line;
	piece.n_function = 1;
	piece.function = &function_of;
	write_piece(pprof, &piece, &strings);
	return function.id;
}

/*
 * The name of a function. Without a symbol, it has the object and the address, because pprof
 * merges functions with the same name. Return: a name to be freed with free(); NULL: no memory.
 */
static char *make_name(const struct pprof *pprof, const struct symbolized_function *function)
{
	char *name;

	if (function->symbol)
		return strdup(function->name);
	if (function->is_rest)
		return asprintf(&name, "%s %s", pprof->labels[function->object],
				function->name) < 0 ? NULL : name;
	if (asprintf(&name, "%s+0x%" PRIx64, pprof->labels[function->object], function->start) < 0)
		return NULL;
	return name;
}

/* Return: the ID of the Function for a function and a source file, which is added if necessary. */
static uint64_t function_in_source(struct pprof *pprof, size_t number, const char *name,
				   struct pprof_file *source, int start_line)
{
	const struct symbolized_function *function = &pprof->symbolized->functions[number];

	if (!source->id || source->function != number) {
		source->id = add_function(pprof, name,
					  function->symbol ? function->symbol : name,
					  source, start_line);
		source->function = number;
	}
	pprof->known[function->object].files = true;
	return source->id;
}

static int compare_inlined(const void *va, const void *vb)
{
	const struct inlined *a = va, *b = vb;

	if (a->name != b->name)
		return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : 1;
	return (uintptr_t)a->file < (uintptr_t)b->file ? -1 :
	       (uintptr_t)a->file > (uintptr_t)b->file;
}

/* Write a Function for an inlined function. Return: its ID. */
static uint64_t write_inlined(struct pprof *pprof, const struct inlined *inlined)
{
	const struct symbolized *symbolized = pprof->symbolized;
	char *name = symbolized->demangle ? symbolized->demangle(inlined->name) : NULL;
	struct pprof_file *source = inlined->file ? find_source(pprof, inlined->file) : NULL;
	uint64_t id = add_function(pprof, name ? name : inlined->name, inlined->name, source, 0);

	free(name);
	return id;
}

/* Return: the ID of the Function for an inlined function, which is added if necessary. */
static uint64_t inlined_function(struct pprof *pprof, const char *name, const char *file)
{
	const struct inlined key = { .name = name ? name : unknown, .file = file };
	struct inlined **found = tfind(&key, &pprof->inlined, compare_inlined), *new;

	if (found)
		return (*found)->id;
	new = malloc(sizeof(*new));
	if (new) {
		*new = key;
		new->id = write_inlined(pprof, new);
		if (tsearch(new, &pprof->inlined, compare_inlined))
			return new->id;
		free(new);
	}
	pprof->error = -ENOMEM;
	return 0;
}

/*
 * Find the functions at a count. The lines of all but the last are in files of their own. Return:
 * whether the last one has a line, which is set.
 */
static bool find_functions(struct pprof *pprof, size_t number, size_t count, struct place *place,
			   struct source_line *last)
{
	const size_t object = pprof->symbolized->functions[number].object;
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr, i;
	int found = symbolized_frames(pprof->symbolized, number, count, frames, &nr);

	for (i = 0; found == 1 && i + 1 < nr; i++) {
		place->lines[i].function = inlined_function(pprof, frames[i].function,
							    frames[i].file);
		place->lines[i].line = frames[i].line;
		pprof->known[object].names = true;
		pprof->known[object].files |= !!frames[i].file;
	}
	place->nr = i + 1;
	if (found == 1)
		*last = (struct source_line){ frames[i].file, frames[i].line };
	else if (!found)
		found = symbolized_line(pprof->symbolized, number, count, last);
	if (found < 0)
		pprof->error = found;
	return found == 1 && last->file;
}

/* Write the samples of a function. @id: its ID for counts without a line */
static void write_counts(struct pprof *pprof, size_t number, const char *name, uint64_t id)
{
	const struct symbolized *symbolized = pprof->symbolized;
	const struct symbolized_function *function = &symbolized->functions[number];
	const struct result_object *object = &symbolized->result->objects[function->object];
	size_t i;

	for (i = 0; !pprof->error && i < function->nr_counts; i++) {
		struct place place = { .mapping = function->object + 1 };
		bool has_line;
		struct source_line line;
		struct pprof_file *source;

		has_line = find_functions(pprof, number, i, &place, &line);
		source = has_line ? find_source(pprof, line.file) : NULL;
		place.lines[place.nr - 1].function =
			source ? function_in_source(pprof, number, name, source, 0) : id;
		place.lines[place.nr - 1].line = source ? line.line : 0;
		write_sample(pprof, symbolized->result,
			     &object->counts[function->counts[i]], &place);
	}
}

static void write_function(struct pprof *pprof, size_t number)
{
	const struct symbolized_function *function = &pprof->symbolized->functions[number];
	char *name = make_name(pprof, function);
	struct pprof_file *source = NULL;
	struct source_line line;
	uint64_t id;
	int found;

	if (!name) {
		pprof->error = -ENOMEM;
		return;
	}
	found = symbolized_start_line(pprof->symbolized, number, &line);
	if (found < 0)
		pprof->error = found;
	if (found == 1)
		source = find_source(pprof, line.file);
	if (source)
		id = function_in_source(pprof, number, name, source, line.line);
	else
		id = add_function(pprof, name, function->symbol ? function->symbol : name,
				  NULL, 0);
	if (function->symbol)
		pprof->known[function->object].names = true;
	write_counts(pprof, number, name, id);
	free(name);
}

static void write_outside(struct pprof *pprof, const struct result *result)
{
	const struct result_count count = {
		.samples = result->outside, .system = result->outside_system,
	};
	struct place place = { .nr = 1 };

	if (!result->outside)
		return;
	place.lines[0].function = add_function(pprof, RESULT_OUTSIDE, RESULT_OUTSIDE, NULL, 0);
	write_sample(pprof, result, &count, &place);
}

int export_pprof(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	struct pprof pprof = {
		.out = out,
		.symbolized = symbolized,
		.labels = namesakes_label(result),
		.known = calloc(result->nr_objects + 1, sizeof(*pprof.known)),
		.error = -ENOMEM,
	};
	size_t i;

	if (!pprof.labels || !pprof.known ||
	    deflateInit2(&pprof.deflate, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
			 GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		goto out;
	pprof.error = 0;
	write_head(&pprof, result);
	for (i = 0; !pprof.error && i < symbolized->nr_functions; i++)
		write_function(&pprof, i);
	write_outside(&pprof, result);
	write_mappings(&pprof);
	compress_bytes(&pprof, NULL, 0, Z_FINISH);
	deflateEnd(&pprof.deflate);
out:
	tdestroy(pprof.sources, free);
	tdestroy(pprof.inlined, free);
	free(pprof.labels);
	free(pprof.known);
	return pprof.error;
}
