// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unpacks and reads exported pprof profiles: they follow the rules in the comments of the schema,
 * and have the figures of the result.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <export/export.h>
#include <generated/pprof.pb-c.h>
#include <util/escape.h>

#include "support/fake_result.h"
#include "support/golden.h"
#include "support/test.h"

#define ODD_LABEL	"o\"d;d <&>\n\xef\xbf\xbd\xc3\xa9"	/* of ODD_PATH */

static struct result result;
static Pprof__Profile *profile;
static symbols_line_fn *find_line;	/* NULL: no lines are known */
static symbols_frames_fn *find_frames;	/* NULL: no inlined functions are known */

FIXTURE(set_up)
{
	fake_result(&result);
	return 0;
}

FIXTURE(tear_down)
{
	pprof__profile__free_unpacked(profile, NULL);
	profile = NULL;
	find_line = NULL;
	find_frames = NULL;
	return 0;
}

static void write_and_read(void)
{
	static unsigned char message[1 << 16];
	struct symbolized symbolized;
	z_stream inflated = { .next_out = message, .avail_out = sizeof(message) };
	char *file = NULL;
	size_t size;
	FILE *out = open_memstream(&file, &size);

	assert_non_null(out);
	assert_int_equal(symbolize_result(&symbolized, &result, fake_find, NULL, fake_demangle), 0);
	symbolized.find_line = find_line;
	symbolized.find_frames = find_frames;
	assert_int_equal(export_pprof(out, &symbolized), 0);
	symbolized_release(&symbolized);
	fclose(out);

	inflated.next_in = (unsigned char *)file;
	inflated.avail_in = (uInt)size;
	assert_int_equal(inflateInit2(&inflated, 15 + 16), Z_OK);
	assert_int_equal(inflate(&inflated, Z_FINISH), Z_STREAM_END);
	assert_int_equal(inflated.avail_in, 0);
	profile = pprof__profile__unpack(NULL, inflated.total_out, message);
	assert_non_null(profile);
	inflateEnd(&inflated);
	free(file);
}

static const char *string(int64_t index)
{
	assert_true(index >= 0 && (size_t)index < profile->n_string_table);
	return profile->string_table[index];
}

static const Pprof__Mapping *mapping(uint64_t id)
{
	size_t i;

	for (i = 0; i < profile->n_mapping; i++)
		if (profile->mapping[i]->id == id)
			return profile->mapping[i];
	return NULL;
}

static const Pprof__Location *location(uint64_t id)
{
	size_t i;

	for (i = 0; i < profile->n_location; i++)
		if (profile->location[i]->id == id)
			return profile->location[i];
	fail_msg("no location %lu", (unsigned long)id);
	return NULL;
}

static const Pprof__Function *function(uint64_t id)
{
	size_t i;

	for (i = 0; i < profile->n_function; i++)
		if (profile->function[i]->id == id)
			return profile->function[i];
	fail_msg("no function %lu", (unsigned long)id);
	return NULL;
}

/* --- the profile as text ------------------------------------------------------------- */

static void print_text(FILE *out, const char *before, int64_t index)
{
	fputs(before, out);
	escape_octal(out, string(index), "");
}

static void print_type(FILE *out, const Pprof__ValueType *type)
{
	print_text(out, " ", type->type);
	print_text(out, "/", type->unit);
}

static void print_head(FILE *out)
{
	size_t i;

	for (i = 0; i < profile->n_sample_type; i++)
		print_type(out, profile->sample_type[i]);
	print_text(out, "; ", profile->default_sample_type);
	fprintf(out, "; %" PRId64, profile->period);
	print_type(out, profile->period_type);
	fprintf(out, "; %" PRId64 " %" PRId64, profile->time_nanos, profile->duration_nanos);
	for (i = 0; i < profile->n_comment; i++)
		print_text(out, "\n", profile->comment[i]);
}

static void print_mapping(FILE *out, const Pprof__Mapping *of)
{
	fprintf(out, "\n%" PRIu64 " %" PRIx64 "-%" PRIx64 " %" PRIx64, of->id, of->memory_start,
		of->memory_limit, of->file_offset);
	print_text(out, " ", of->filename);
	print_text(out, " id=", of->build_id);
	fprintf(out, "%s%s%s", of->has_functions ? " functions" : "",
		of->has_filenames ? " files" : "", of->has_line_numbers ? " lines" : "");
}

/* The functions of a location: ID, first line, line, file, name, name of the system */
static void print_location(FILE *out, const Pprof__Location *at)
{
	size_t i;

	for (i = 0; i < at->n_line; i++) {
		const Pprof__Function *in = function(at->line[i]->function_id);

		fprintf(out, ", %" PRIu64 " %" PRId64 " %" PRId64, in->id, in->start_line,
			at->line[i]->line);
		print_text(out, " [", in->filename);
		print_text(out, "] ", in->name);
		if (in->system_name != in->name)
			print_text(out, " = ", in->system_name);
	}
}

/* The figures, and the locations from the innermost one */
static void print_sample(FILE *out, const Pprof__Sample *sample)
{
	size_t i;

	for (i = 0; i < sample->n_location_id; i++) {
		const Pprof__Location *at = location(sample->location_id[i]);
		size_t j;

		fprintf(out, "\n%s%" PRIu64 " %" PRIx64, i ? "  " : "", at->mapping_id, at->address);
		if (!i)
			putc(':', out);
		for (j = 0; !i && j < sample->n_value; j++)
			fprintf(out, " %" PRId64, sample->value[j]);
		print_location(out, at);
	}
}

static void assert_profile(const char *golden)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	write_and_read();
	print_head(out);
	for (i = 0; i < profile->n_mapping; i++)
		print_mapping(out, profile->mapping[i]);
	for (i = 0; i < profile->n_sample; i++)
		print_sample(out, profile->sample[i]);
	fputc('\n', out);
	fclose(out);
	assert_golden(golden, text);
	free(text);
}

TEST_F(whole_profile)
{
	assert_profile("pprof");
	assert_int_equal(profile->n_location, profile->n_sample);
}

/* The line of the sample at an address */
static const Pprof__Line *line_at(size_t object, uint64_t address)
{
	size_t i;

	for (i = 0; i < profile->n_location; i++)
		if (profile->location[i]->mapping_id == object + 1 &&
		    profile->location[i]->address == address)
			return profile->location[i]->line[0];
	fail_msg("no location at %lx", (unsigned long)address);
	return NULL;
}

static const char *name_at(size_t object, uint64_t address)
{
	return string(function(line_at(object, address)->function_id)->name);
}

static void tear_down_and_set_up(void)
{
	tear_down(NULL);
	set_up(NULL);
}

TEST_F(program_comes_before_earlier_objects)
{
	result.processes[0].program = (char *)"/lib/x.so";
	write_and_read();
	assert_string_equal(string(profile->mapping[0]->filename), "/lib/x.so");
	assert_int_equal(profile->n_mapping, NR_FAKE_OBJECTS - 1);
	tear_down_and_set_up();
	/* the program is not an object: the one with most samples is first */
	result.processes[0].program = (char *)"/bin/script";
	write_and_read();
	assert_string_equal(string(profile->mapping[0]->filename), "/lib/big.so");
}

TEST_F(objects_without_names_are_marked)
{
	static struct result_count counts[] = { { 0x2000, 1 } };

	result.objects[ODD].counts = counts;
	result.objects[ODD].nr_counts = 1;
	result.objects[ODD].samples = 1;
	write_and_read();
	assert_false(mapping(ODD + 1)->has_functions);
	assert_false(mapping(ODD + 1)->has_filenames);
	assert_true(mapping(BIG + 1)->has_functions);
	assert_false(mapping(BIG + 1)->has_filenames);
	assert_false(mapping(BIG + 1)->has_line_numbers);
}

/* Even code at the same address of two objects with the same file name get two names. */
TEST_F(functions_without_names_are_distinct)
{
	static struct result_count count = { 0x2008, 1 };
	size_t i;

	for (i = LIB_X; i <= OPT_X; i++) {
		result.objects[i].end = 0x3000;
		result.objects[i].counts = &count;
		result.objects[i].samples = 1;
	}
	write_and_read();
	assert_string_equal(name_at(LIB_X, 0x2008), "/lib/x.so (no symbols)");
	assert_string_equal(name_at(OPT_X, 0x2008), "/opt/x.so (no symbols)");
}

/* Lines of the first function of BIG, in two files, and of a function without a name */
static int find_some_lines(void *symbols, size_t object, uint64_t address, struct source_line *line)
{
	static const struct {
		size_t object;
		uint64_t address;
		struct source_line line;
	} lines[] = {
		{ BIG, 0x401000, { "/src/hot.c", 10 } },
		{ BIG, 0x402000, { "/src/in\xff.h", 3 } },
		{ BIG, 0x401004, { "/src/hot.c", 20 } },
		{ ODD, 0x2000, { "/src/odd.c", 7 } },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (object == lines[i].object && address == lines[i].address) {
			*line = lines[i].line;
			return 1;
		}
	}
	return 0;
}

/*
 * A function has the file of its first line. Code that is inlined from another file is a function of
 * that file.
 */
TEST_F(lines_are_in_the_files_of_functions)
{
	size_t i, nr = 0;

	find_line = find_some_lines;
	assert_profile("pprof.lines");
	for (i = 0; i < profile->n_string_table; i++)
		nr += !strcmp(profile->string_table[i], "/src/hot.c");
	assert_int_equal(nr, 1);
}

/* Inlined functions at two addresses, and the most that there can be at a third one */
static int find_some_frames(void *symbols, size_t object, uint64_t address,
			    struct source_frame *frames, size_t *nr)
{
	static const char mangled[] = ODD_MANGLED, plain[] = "plain", header[] = "/in.h";
	size_t i;

	*nr = 0;
	if (object != BIG)
		return 0;
	if (address == 0x401008) {
		for (i = 0; i < SYMBOLS_MAX_FRAMES; i++)
			frames[i] = (struct source_frame){ plain, header, (int)i };
		*nr = SYMBOLS_MAX_FRAMES;
		return 1;
	}
	if (address != 0x401000 && address != 0x402000)
		return 0;
	frames[0] = (struct source_frame){ mangled, header, 5, 2 };
	frames[1] = (struct source_frame){ NULL, NULL, 0 };
	frames[2] = (struct source_frame){ "ignored", "/src/hot.c", (int)(address >> 12) };
	*nr = 3;
	return 1;
}

TEST_F(inlined_functions_have_lines)
{
	find_line = find_some_lines;
	find_frames = find_some_frames;
	assert_profile("pprof.inlined");
}

/* A sample for each stack. Lines and inlined functions are those of calls, too. */
TEST_F(call_stacks_have_all_locations)
{
	fake_result_stacks(&result);
	find_line = find_some_lines;
	find_frames = find_some_frames;
	assert_profile("pprof.stacks");
}

static int find_fails(void *symbols, size_t object, uint64_t address, struct source_line *line)
{
	return address == 0x402000 ? -ENOMEM : 0;
}

static int find_frames_fails(void *symbols, size_t object, uint64_t address,
			     struct source_frame *frames, size_t *nr)
{
	*nr = 0;
	return address == 0x402000 ? -ENOMEM : 0;
}

static void assert_fails(symbols_line_fn *line, symbols_frames_fn *frames)
{
	struct symbolized symbolized;
	char *file = NULL;
	size_t size;
	FILE *out = open_memstream(&file, &size);

	assert_int_equal(symbolize_result(&symbolized, &result, fake_find, NULL, NULL), 0);
	symbolized.find_line = line;
	symbolized.find_frames = frames;
	assert_int_equal(export_pprof(out, &symbolized), -ENOMEM);
	symbolized_release(&symbolized);
	fclose(out);
	free(file);
}

TEST_F(errors_of_find_line_are_returned)
{
	assert_fails(find_fails, NULL);
}

TEST_F(errors_of_find_frames_are_returned)
{
	assert_fails(NULL, find_frames_fails);
}

TEST_F(empty_result)
{
	result.nr_objects = 0;
	result.outside = 0;
	write_and_read();
	assert_int_equal(profile->n_sample_type, 4);
	assert_int_equal(profile->n_sample, 0);
	assert_int_equal(profile->n_mapping, 0);
}
