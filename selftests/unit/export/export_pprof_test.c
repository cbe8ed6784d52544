// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unpacks and reads exported pprof profiles: they follow the rules in the comments of the schema,
 * and have the figures of the result.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <export/export.h>
#include <generated/pprof.pb-c.h>

#include "support/fake_result.h"
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

TEST_F(head)
{
	write_and_read();
	assert_string_equal(string(0), "");
	assert_int_equal(profile->n_sample_type, 4);
	assert_string_equal(string(profile->sample_type[0]->type), "samples");
	assert_string_equal(string(profile->sample_type[0]->unit), "count");
	assert_string_equal(string(profile->sample_type[1]->type), "cpu");
	assert_string_equal(string(profile->sample_type[1]->unit), "nanoseconds");
	assert_string_equal(string(profile->sample_type[2]->type), "user");
	assert_string_equal(string(profile->sample_type[3]->type), "system");
	assert_string_equal(string(profile->sample_type[3]->unit), "nanoseconds");
	assert_string_equal(string(profile->default_sample_type), "cpu");
	assert_string_equal(string(profile->period_type->type), "cpu");
	assert_string_equal(string(profile->period_type->unit), "nanoseconds");
	assert_int_equal(profile->period, 1003009);
	assert_int_equal(profile->time_nanos, 1790000000012345678);
	assert_int_equal(profile->duration_nanos, 4500000000);
	assert_string_equal(string(profile->comment[0]), "/bin/odd  a  b\n \xef\xbf\xbd\"<&>\\");
	assert_string_equal(string(profile->comment[1]), "ho\"st");
}

TEST_F(program_is_the_first_mapping)
{
	const Pprof__Mapping *first, *big;

	write_and_read();
	/* all objects except the one without samples */
	assert_int_equal(profile->n_mapping, NR_FAKE_OBJECTS - 1);
	first = profile->mapping[0];
	assert_string_equal(string(first->filename), "/bin/o\"d;d <&>\n\xef\xbf\xbd\xc3\xa9");
	assert_string_equal(string(first->build_id), ODD_BUILD_ID);
	assert_true(first->has_functions);
	assert_int_equal(first->memory_start, 0);
	assert_int_equal(first->file_offset, 0);
	assert_true(first->memory_limit == UINT64_MAX);
	big = mapping(BIG + 1);
	assert_string_equal(string(big->filename), "/lib/big.so");
	assert_string_equal(string(big->build_id), "");
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

/* Checks each sample, its location and its function. */
TEST_F(samples_have_figures_and_names)
{
	static const struct {
		size_t object;
		uint64_t address;
		int64_t samples, ns;
		const char *name, *system_name;
	} wanted[] = {
		{ ODD, 0x1000, 3, 3009027, "f;\"g\"\\\t<h&i>\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9 1", NULL },
		{ ODD, 0x1010, 4, 4012036, ODD_LABEL "+0x1010", NULL },
		{ ODD, 0x1ff3, 5, 5015045, ODD_DEMANGLED, ODD_MANGLED },
		{ ODD, 0x2000, 6, 6018054, ODD_LABEL " (no symbols)", NULL },
		{ ODD, 0x2ffc, 1, 1003009, ODD_LABEL " (no symbols)", NULL },
		{ BIG, 0x401000, 65535, 65732196590, "(1) hot", NULL },
		{ BIG, 0x401008, 9, 9027081, "(1) hot", NULL },
		{ BIG, 0x402000, 4294967301, 4307890973921765, "(1) hot", NULL },
		{ BIG, 0x401004, 65536, 65733199599, "cold", NULL },
		{ LIB_X, 0x1000, 11, 11033099, "same", NULL },
		{ OPT_X, 0x1000, 12, 12036108, "same", NULL },
		{ VDSO, 0x900, 1, 1003009, "[vdso]", NULL },
		{ VDSO, 0xa00, 1, 1003009, "[vdso]", NULL },
		{ SIZE_MAX, 0, 7, 7021063, RESULT_OUTSIDE, NULL },
	};
	size_t i;

	write_and_read();
	assert_int_equal(profile->n_sample, ARRAY_SIZE(wanted));
	assert_int_equal(profile->n_location, ARRAY_SIZE(wanted));
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		const Pprof__Sample *sample = profile->sample[i];
		const Pprof__Location *at;
		const Pprof__Function *in;

		assert_int_equal(sample->n_location_id, 1);
		assert_int_equal(sample->n_value, 4);
		assert_int_equal(sample->value[0], wanted[i].samples);
		assert_int_equal(sample->value[1], wanted[i].ns);
		/* 1 of 3, 5 of 5 and 2 of 7 samples are in the kernel */
		assert_int_equal(sample->value[3], wanted[i].samples == 3 ? 1003009 :
				 wanted[i].samples == 5 ? 5015045 :
				 wanted[i].samples == 7 ? 2006018 : 0);
		assert_int_equal(sample->value[2], wanted[i].ns - (uint64_t)sample->value[3]);
		at = location(sample->location_id[0]);
		assert_int_equal(at->mapping_id, wanted[i].object + 1);
		assert_int_equal(at->address, wanted[i].address);
		assert_int_equal(at->n_line, 1);
		assert_int_equal(at->line[0]->line, 0);
		in = function(at->line[0]->function_id);
		assert_string_equal(string(in->name), wanted[i].name);
		assert_string_equal(string(in->system_name), wanted[i].system_name ?
				    wanted[i].system_name : wanted[i].name);
		assert_string_equal(string(in->filename), "");
	}
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

TEST_F(lines_are_in_the_files_of_functions)
{
	static const struct {
		size_t object;
		uint64_t address;
		const char *name, *file;
		int64_t line, start_line;
	} wanted[] = {
		{ BIG, 0x401000, "(1) hot", "/src/hot.c", 10, 10 },
		/* no line is known, but the function's file */
		{ BIG, 0x401008, "(1) hot", "/src/hot.c", 0, 10 },
		/* inlined from another file, in which the function has no start line */
		{ BIG, 0x402000, "(1) hot", "/src/in\xef\xbf\xbd.h", 3, 0 },
		{ BIG, 0x401004, "cold", "/src/hot.c", 20, 20 },
		{ ODD, 0x2000, ODD_LABEL " (no symbols)", "/src/odd.c", 7, 0 },
		{ LIB_X, 0x1000, "same", "", 0, 0 },
	};
	size_t i, nr = 0;

	find_line = find_some_lines;
	write_and_read();
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		const Pprof__Line *line = line_at(wanted[i].object, wanted[i].address);
		const Pprof__Function *in = function(line->function_id);

		assert_string_equal(string(in->name), wanted[i].name);
		assert_string_equal(string(in->filename), wanted[i].file);
		assert_int_equal(line->line, wanted[i].line);
		assert_int_equal(in->start_line, wanted[i].start_line);
	}
	assert_true(mapping(BIG + 1)->has_filenames);
	assert_true(mapping(BIG + 1)->has_line_numbers);
	assert_true(mapping(ODD + 1)->has_filenames);
	assert_false(mapping(LIB_X + 1)->has_filenames);
	/*
	 * a Function for each function, one for the inlined code, one for samples
	 * outside, and one for code in no function with a line
	 */
	assert_int_equal(profile->n_function, 9 + 1 + 1 + 1);
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
	frames[0] = (struct source_frame){ mangled, header, 5 };
	frames[1] = (struct source_frame){ NULL, NULL, 0 };
	frames[2] = (struct source_frame){ "ignored", "/src/hot.c", (int)(address >> 12) };
	*nr = 3;
	return 1;
}

TEST_F(inlined_functions_have_lines)
{
	const Pprof__Location *first = NULL, *second = NULL, *deep = NULL;
	const Pprof__Function *in;
	size_t i;

	find_line = find_some_lines;
	find_frames = find_some_frames;
	write_and_read();
	for (i = 0; i < profile->n_location; i++) {
		const Pprof__Location *at = profile->location[i];

		if (at->mapping_id != BIG + 1)
			continue;
		if (at->address == 0x401000)
			first = at;
		else if (at->address == 0x402000)
			second = at;
		else if (at->address == 0x401008)
			deep = at;
		else
			assert_int_equal(at->n_line, 1);
	}
	assert_non_null(first);
	assert_non_null(second);
	assert_non_null(deep);
	assert_int_equal(first->n_line, 3);
	assert_int_equal(second->n_line, 3);
	assert_int_equal(deep->n_line, SYMBOLS_MAX_FRAMES);

	in = function(first->line[0]->function_id);
	assert_string_equal(string(in->name), ODD_DEMANGLED);
	assert_string_equal(string(in->system_name), ODD_MANGLED);
	assert_string_equal(string(in->filename), "/in.h");
	assert_int_equal(first->line[0]->line, 5);
	/* the same Function wherever it is inlined */
	assert_int_equal(second->line[0]->function_id, first->line[0]->function_id);

	in = function(first->line[1]->function_id);
	assert_string_equal(string(in->name), "(unknown)");
	assert_string_equal(string(in->filename), "");
	assert_int_equal(first->line[1]->line, 0);

	/* the last one is the function that has the code */
	in = function(first->line[2]->function_id);
	assert_string_equal(string(in->name), "(1) hot");
	assert_string_equal(string(in->filename), "/src/hot.c");
	assert_int_equal(first->line[2]->line, 0x401);
	assert_int_equal(second->line[2]->function_id, first->line[2]->function_id);
	assert_int_equal(second->line[2]->line, 0x402);
	assert_int_equal(deep->line[SYMBOLS_MAX_FRAMES - 1]->line, SYMBOLS_MAX_FRAMES - 1);
	/* the others have the lines that are known without inlined functions */
	assert_int_equal(line_at(BIG, 0x401004)->line, 20);
}

static int find_fails(void *symbols, size_t object, uint64_t address, struct source_line *line)
{
	return address == 0x402000 ? -ENOMEM : 0;
}

TEST_F(errors_of_find_line_are_returned)
{
	struct symbolized symbolized;
	char *file = NULL;
	size_t size;
	FILE *out = open_memstream(&file, &size);

	assert_int_equal(symbolize_result(&symbolized, &result, fake_find, NULL, NULL), 0);
	symbolized.find_line = find_fails;
	assert_int_equal(export_pprof(out, &symbolized), -ENOMEM);
	symbolized_release(&symbolized);
	fclose(out);
	free(file);
}

static int find_frames_fails(void *symbols, size_t object, uint64_t address,
			     struct source_frame *frames, size_t *nr)
{
	*nr = 0;
	return address == 0x402000 ? -ENOMEM : 0;
}

TEST_F(errors_of_find_frames_are_returned)
{
	struct symbolized symbolized;
	char *file = NULL;
	size_t size;
	FILE *out = open_memstream(&file, &size);

	assert_int_equal(symbolize_result(&symbolized, &result, fake_find, NULL, NULL), 0);
	symbolized.find_frames = find_frames_fails;
	assert_int_equal(export_pprof(out, &symbolized), -ENOMEM);
	symbolized_release(&symbolized);
	fclose(out);
	free(file);
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
