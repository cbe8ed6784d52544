// SPDX-License-Identifier: GPL-2.0-only
/*
 * The export to pprof, unpacked and read back: that it is by the rules of its schema's
 * comments, and has the result's figures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <export.h>
#include <generated/pprof.pb-c.h>

#include "odd_result.h"
#include "test.h"

static struct result result;
static Pprof__Profile *profile;

static int set_up(void **state)
{
	(void)state;
	odd_result(&result);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	pprof__profile__free_unpacked(profile, NULL);
	profile = NULL;
	return 0;
}

static void write_and_read(void)
{
	static unsigned char message[1 << 16];
	struct attribution attribution;
	z_stream inflated = { .next_out = message, .avail_out = sizeof(message) };
	char *file = NULL;
	size_t size;
	FILE *out = open_memstream(&file, &size);

	assert_non_null(out);
	assert_int_equal(attribution_make(&attribution, &result, odd_find, NULL,
					  odd_demangle), 0);
	assert_int_equal(export_pprof(out, &attribution), 0);
	attribution_release(&attribution);
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

static void head(void **state)
{
	(void)state;
	write_and_read();
	assert_string_equal(string(0), "");
	assert_int_equal(profile->n_sample_type, 2);
	assert_string_equal(string(profile->sample_type[0]->type), "samples");
	assert_string_equal(string(profile->sample_type[0]->unit), "count");
	assert_string_equal(string(profile->sample_type[1]->type), "cpu");
	assert_string_equal(string(profile->sample_type[1]->unit), "nanoseconds");
	assert_string_equal(string(profile->default_sample_type), "cpu");
	assert_string_equal(string(profile->period_type->type), "cpu");
	assert_string_equal(string(profile->period_type->unit), "nanoseconds");
	assert_int_equal(profile->period, 1003009);
	assert_int_equal(profile->time_nanos, 1790000000012345678);
	assert_int_equal(profile->duration_nanos, 4500000000);
	assert_string_equal(string(profile->comment[0]),
			    "/bin/odd a  b\n \xef\xbf\xbd\"<&>\\");
	assert_string_equal(string(profile->comment[1]), "ho\"st");
}

static void program_is_the_first_mapping(void **state)
{
	const Pprof__Mapping *first, *big;

	(void)state;
	write_and_read();
	/* all objects but the one without samples */
	assert_int_equal(profile->n_mapping, NR_ODD_OBJECTS - 1);
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

static void program_comes_before_earlier_objects(void **state)
{
	(void)state;
	result.processes[0].program = (char *)"/lib/x.so";
	write_and_read();
	assert_string_equal(string(profile->mapping[0]->filename), "/lib/x.so");
	assert_int_equal(profile->n_mapping, NR_ODD_OBJECTS - 1);
	tear_down_and_set_up();
	/* a script's interpreter by another path: what has most samples */
	result.processes[0].program = (char *)"/bin/script";
	write_and_read();
	assert_string_equal(string(profile->mapping[0]->filename), "/lib/big.so");
}

static void objects_without_names_say_so(void **state)
{
	static struct result_count counts[] = { { 0x2000, 1 } };

	(void)state;
	result.objects[ODD].counts = counts;
	result.objects[ODD].nr_counts = 1;
	result.objects[ODD].samples = 1;
	write_and_read();
	assert_false(mapping(ODD + 1)->has_functions);
	assert_true(mapping(BIG + 1)->has_functions);
}

/* Samples by object and address, and what they lead to */
static void samples_have_figures_and_names(void **state)
{
	static const struct {
		size_t object;
		uint64_t address;
		int64_t samples, ns;
		const char *name, *system_name;
	} wanted[] = {
		{ ODD, 0x1000, 3, 3009027, "f;\"g\"\\\t<h&i>\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9 1", NULL },
		{ ODD, 0x1010, 4, 4012036, NULL, NULL },
		{ ODD, 0x1ff0, 5, 5015045, ODD_DEMANGLED, ODD_MANGLED },
		{ ODD, 0x2000, 6, 6018054, NULL, NULL },
		{ ODD, 0x2ffc, 1, 1003009, NULL, NULL },
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

	(void)state;
	write_and_read();
	assert_int_equal(profile->n_sample, ARRAY_SIZE(wanted));
	assert_int_equal(profile->n_location, ARRAY_SIZE(wanted));
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		const Pprof__Sample *sample = profile->sample[i];
		const Pprof__Location *at;
		const Pprof__Function *in;

		assert_int_equal(sample->n_location_id, 1);
		assert_int_equal(sample->n_value, 2);
		assert_int_equal(sample->value[0], wanted[i].samples);
		assert_int_equal(sample->value[1], wanted[i].ns);
		at = location(sample->location_id[0]);
		assert_int_equal(at->mapping_id, wanted[i].object + 1);
		assert_int_equal(at->address, wanted[i].address);
		assert_int_equal(at->n_line, wanted[i].name != NULL);
		if (!wanted[i].name)
			continue;
		in = function(at->line[0]->function_id);
		assert_string_equal(string(in->name), wanted[i].name);
		assert_string_equal(string(in->system_name), wanted[i].system_name ?
				    wanted[i].system_name : wanted[i].name);
	}
}

static void nothing_is_a_profile_too(void **state)
{
	(void)state;
	result.nr_objects = 0;
	result.outside = 0;
	write_and_read();
	assert_int_equal(profile->n_sample_type, 2);
	assert_int_equal(profile->n_sample, 0);
	assert_int_equal(profile->n_mapping, 0);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(head),
		TEST(program_is_the_first_mapping),
		TEST(program_comes_before_earlier_objects),
		TEST(objects_without_names_say_so),
		TEST(samples_have_figures_and_names),
		TEST(nothing_is_a_profile_too),
	};

	return cmocka_run_group_tests_name("pprof", tests, NULL, NULL);
}
