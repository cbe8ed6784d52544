// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles with inlined functions: each sample is in one row, and the copies of a function add up.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <profile/profile.h>
#include <symbol/addresses.h>
#include <symbol/demangle.h>
#include <symbol/innermost.h>
#include <symbol/lines.h>

#include "support/test.h"

static char path[64];
static struct result_count counts[1 << 15];
static struct result_object object = { .path = path, .counts = counts };
static struct result result = { .objects = &object, .nr_objects = 1 };
static struct symbols *symbols;
static struct innermost *innermost;
static struct profile profile;

/* Open a fixture, with a sample at each address that is in a function with a name. */
static void open_fixture(const char *name, bool mark)
{
	struct function function;
	uint64_t address;

	if (access(name, F_OK)) {
		print_message("%s: no compiler\n", name);
		skip();
	}
	snprintf(path, sizeof(path), "./%s", name);
	symbols = symbols_new(&result, NULL);
	innermost = innermost_new(symbols, &result, demangle, mark);
	assert_non_null(symbols);
	assert_non_null(innermost);
	object.nr_counts = 0;
	for (address = 0; address < 1 << 16; address++)
		if (symbols_find(symbols, 0, address, &function) == 1 && function.name &&
		    object.nr_counts < ARRAY_SIZE(counts))
			counts[object.nr_counts++] = (struct result_count){ address, 1 };
	object.samples = object.nr_counts;
	assert_in_range(object.nr_counts, 200, ARRAY_SIZE(counts) - 1);
}

FIXTURE(close_fixture)
{
	profile_release(&profile);
	innermost_free(innermost);
	symbols_free(symbols);
	innermost = NULL;
	symbols = NULL;
	return 0;
}

static const struct profile_row *find_row(const char *name)
{
	const struct profile_row *found = NULL;
	size_t i;

	for (i = 0; i < profile.nr_rows; i++) {
		if (strcmp(profile.rows[i].function, name))
			continue;
		if (found)
			fail_msg("two rows %s", name);
		found = &profile.rows[i];
	}
	return found;
}

static uint64_t samples_of(const char *name)
{
	const struct profile_row *row = find_row(name);

	if (!row)
		fail_msg("no row %s", name);
	return row->samples;
}

/* The samples in a function by frames. @inlined: in inlined copies, else in the other one */
static uint64_t samples_in(const char *name, bool inlined)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	uint64_t samples = 0;
	size_t nr, i;

	for (i = 0; i < object.nr_counts; i++)
		if (symbols_frames(symbols, 0, counts[i].address, frames, &nr) == 1 &&
		    (nr > 1) == inlined && frames[0].function &&
		    !strcmp(frames[0].function, name))
			samples++;
	return samples;
}

static uint64_t start_of(const char *name)
{
	struct function function;
	size_t i;

	for (i = 0; i < object.nr_counts; i++)
		if (symbols_find(symbols, 0, counts[i].address, &function) == 1 &&
		    !strncmp(function.name, name, (size_t)function.length) &&
		    strlen(name) == (size_t)function.length)
			return function.start;
	fail_msg("no function %s", name);
	return 0;
}

TEST_WITH(copies_of_a_function_add_up, NULL, close_fixture)
{
	open_fixture("fixture-inline-c", true);
	assert_int_equal(profile_make(&profile, &result, innermost_find, innermost), 0);
	assert_int_equal(profile.samples, object.samples);

	/* inlined into several functions, and into main() */
	assert_true(samples_in("mix", true) > 20);
	assert_int_equal(samples_of("mix (inlined)"), samples_in("mix", true));
	assert_int_equal(samples_of("mix_both (inlined)"), samples_in("mix_both", true));
	/* another function with the same name */
	assert_true(samples_in("mix", false) > 3);
	assert_int_equal(samples_of("mix"), samples_in("mix", false));
	/* both inlined and called */
	assert_true(samples_in("weigh", true) > 3);
	assert_true(samples_in("weigh", false) > 3);
	assert_int_equal(samples_of("weigh (partly inlined)"),
			 samples_in("weigh", true) + samples_in("weigh", false));
	assert_int_equal(find_row("weigh (partly inlined)")->address, start_of("weigh"));
	assert_null(find_row("weigh"));
	/* its file has two paths */
	assert_true(samples_in("_Z6sharedj", true) > 5);
	assert_int_equal(samples_of("shared(unsigned int) (inlined)"),
			 samples_in("_Z6sharedj", true));
	/* never inlined: only the code that is its own */
	assert_int_equal(samples_of("main"), samples_in("main", false));
}

TEST_WITH(mangled_names_are_the_same_in_all_files, NULL, close_fixture)
{
	static const char name[] = "_ZNSt15__new_allocatorIiE10deallocateEPim";
	char *shown = demangle(name), *row;

	open_fixture("fixture-inline-c++", true);
	assert_int_equal(profile_make(&profile, &result, innermost_find, innermost), 0);
	assert_int_equal(profile.samples, object.samples);
	assert_true(samples_in(name, true) > 10);
	assert_int_not_equal(asprintf(&row, "%s (inlined)", shown), -1);
	assert_int_equal(samples_of(row), samples_in(name, true));
	free(row);
	free(shown);
}

TEST_WITH(lines_name_the_innermost_function, NULL, close_fixture)
{
	struct lines *lines;
	uint64_t samples = 0;
	size_t i;

	open_fixture("fixture-inline-c", false);
	lines = lines_new(symbols, innermost_find, innermost, NULL);
	assert_non_null(lines);
	assert_int_equal(profile_make(&profile, &result, lines_find, lines), 0);
	assert_int_equal(profile.samples, object.samples);
	for (i = 0; i < profile.nr_rows; i++) {
		const char *place = strstr(profile.rows[i].function, " (mix)");

		if (place && !strncmp(profile.rows[i].function, "fixture_inline.c:", 17))
			samples += profile.rows[i].samples;
	}
	assert_int_equal(samples, samples_in("mix", true));
	lines_free(lines);
}

TEST_WITH(addresses_name_the_innermost_function, NULL, close_fixture)
{
	struct addresses *addresses;
	uint64_t samples = 0;
	size_t i;

	open_fixture("fixture-inline-c", false);
	addresses = addresses_new(innermost_find, innermost, NULL);
	assert_non_null(addresses);
	assert_int_equal(profile_make(&profile, &result, addresses_find, addresses), 0);
	for (i = 0; i < profile.nr_rows; i++)
		if (strstr(profile.rows[i].function, " mix_both"))
			samples++;
	assert_int_equal(samples, samples_in("mix_both", true));
	addresses_free(addresses);
}

TEST_WITH(without_debug_information, NULL, close_fixture)
{
	open_fixture("fixture-pie-stripped", true);
	assert_int_equal(profile_make(&profile, &result, innermost_find, innermost), 0);
	assert_int_equal(profile.samples, object.samples);
	assert_true(samples_of("exported") > 3);
}
