// SPDX-License-Identifier: GPL-2.0-only
/*
 * Annotated source of functions that are inlined.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <report/annotate.h>
#include <report/source_text.h>
#include <util/time_ns.h>

#include "support/test.h"

static struct result_count counts[1 << 15];
static struct result_object object = {
	.path = "./fixture-inline-c", .counts = counts, .end = ARRAY_SIZE(counts),
};
static struct result result = { .objects = &object, .nr_objects = 1 };
static struct symbols *symbols;
static char *text;

/* A sample at every other address that is in a function */
FIXTURE(set_up)
{
	struct function function;
	uint64_t address;

	symbols = symbols_new(&result, NULL);
	for (address = 0; address < ARRAY_SIZE(counts); address += 2)
		if (symbols_find(symbols, 0, address, &function) == 1)
			counts[object.nr_counts++] = (struct result_count){ address, 1 };
	object.samples = object.nr_counts;
	return symbols && object.nr_counts ? 0 : -1;
}

FIXTURE(tear_down)
{
	symbols_free(symbols);
	return 0;
}

FIXTURE(free_text)
{
	free(text);
	text = NULL;
	return 0;
}

static long annotate(const char *function, bool inlined)
{
	const struct annotate_options options = { .function = function, .inlined = inlined };
	size_t size;
	FILE *out;
	long nr;

	free_text(NULL);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	nr = annotate_print(out, &result, symbols, &options);
	fclose(out);
	return nr;
}

/* Samples in a function by frames. @inlined: where it is inlined, else in code of its own */
static size_t samples_in(const char *name, bool inlined)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t samples = 0, nr, i, j;

	for (i = 0; i < object.nr_counts; i++) {
		if (symbols_frames(symbols, 0, counts[i].address, frames, &nr) != 1)
			continue;
		for (j = 0; j < nr; j++) {
			if (inlined != (j + 1 < nr) || !frames[j].function ||
			    strcmp(frames[j].function, name))
				continue;
			samples++;
			break;
		}
	}
	return samples;
}

static void assert_has(const char *format, size_t samples)
{
	char part[256];

	snprintf(part, sizeof(part), format, samples);
	if (!strstr(text, part))
		fail_msg("not in the annotation: %s\n%s", part, text);
}

TEST_WITH(function_that_is_inlined_everywhere, NULL, free_text)
{
	size_t samples = samples_in("mix_both", true);

	assert_true(samples > 10);
	assert_int_not_equal(annotate("mix_both", false), 0);
	assert_has("# %zu of ", samples);
	assert_has("# %zu of them are in code that is inlined into other functions\n", samples);
	/* with what is inlined into it, but without what it is inlined into */
	assert_has("return mix(b) ^ mix(a + 1);\n", 0);
	assert_has("n *= 0x2c1b3c6d;\n", 0);
	assert_null(strstr(text, "weigh(i)"));
}

TEST_WITH(function_that_is_also_called, NULL, free_text)
{
	size_t own = samples_in("weigh", false), inlined = samples_in("weigh", true);

	assert_true(own > 3);
	assert_true(inlined > 3);
	/* as in the table */
	assert_int_equal(annotate("weigh", false), 1);
	assert_has("# %zu of ", own);
	assert_null(strstr(text, "inlined into other"));
	assert_int_not_equal(annotate("weigh", true), 0);
	assert_has("# %zu of ", own + inlined);
	assert_has("# %zu of them are in code that is inlined into other functions\n", inlined);
}

/* Annotates code of a source below the current directory. */
static void annotate_file(const char *source, const char *root, const char *function,
			  bool instructions)
{
	const struct annotate_options options = {
		.function = function, .root = root, .instructions = instructions,
	};
	size_t size;
	FILE *out;

	free_text(NULL);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_int_equal(annotate_print(out, &result, symbols, &options), 1);
	fclose(out);
	assert_non_null(strstr(text, source));
}

/* The object says when it was linked. */
TEST_WITH(newer_source_is_told, NULL, free_text)
{
	const char *newer = "fixture_inline.c: newer than the program, so its lines may be others";
	struct stat file;
	int instructions;

	assert_int_equal(stat("support/fixture_inline.c", &file), 0);
	object.file_bytes = 1;
	for (instructions = 0; instructions < 2; instructions++) {
		object.mtime_ns = time_stat_ns(&file.st_mtim);
		annotate_file("fixture_inline.c", NULL, "weigh", instructions);
		assert_null(strstr(text, newer));
		object.mtime_ns--;
		annotate_file("fixture_inline.c", NULL, "weigh", instructions);
		assert_has(newer, 0);
		/* once for a file */
		assert_null(strstr(strstr(text, newer) + 1, newer));
	}
	/* a copy that has a time of its own */
	annotate_file("fixture_inline.c", "/", "weigh", false);
	assert_null(strstr(text, "newer"));
	/* an object of an unknown time */
	object.file_bytes = 0;
	annotate_file("fixture_inline.c", NULL, "weigh", false);
	assert_null(strstr(text, "newer"));
}

TEST_WITH(no_function, NULL, free_text)
{
	assert_int_equal(annotate("mix_bot", true), 0);
	assert_string_equal(text, "");
}

/* A linker keeps one copy of functions with the same code. */
TEST_WITH(folded_function_is_found_by_each_name, NULL, free_text)
{
	static const char *const names[] = {
		"send_mails", "parse_orders", "_Z12parse_ordersv", "other",
		"send_mails, parse_orders(), other", "send_mails, _Z12parse_ordersv, other",
		"0x1002",
		/* as in the table */
		"send_mails, parse_orders, other",
	};
	static const char *const none[] = { "parse", "mails", "_Z12parse_orders", ", " };
	struct result_count count = { 0x1000, 7 };
	struct result_function function = {
		0x1000, 0x1010, "send_mails, _Z12parse_ordersv, other",
	};
	struct result_place place = { .address = 0x1000 };
	struct result_object folded = {
		.path = "/none", .counts = &count, .nr_counts = 1, .samples = 7, .has_names = true,
		.functions = &function, .nr_functions = 1, .places = &place, .nr_places = 1,
		.start = 0x1000, .end = 0x2000,
	};
	const struct result of = { .objects = &folded, .nr_objects = 1 };
	struct symbols *own = symbols_new(&of, NULL);
	struct annotate_options options = { 0 };
	size_t i, size;

	for (i = 0; i < ARRAY_SIZE(names) + ARRAY_SIZE(none); i++) {
		const bool is_none = i >= ARRAY_SIZE(names);
		FILE *out;

		free_text(NULL);
		out = open_memstream(&text, &size);
		assert_non_null(out);
		options.function = is_none ? none[i - ARRAY_SIZE(names)] : names[i];
		assert_int_equal(annotate_print(out, &of, own, &options), !is_none);
		fclose(out);
	}
	symbols_free(own);
}

/* Print the annotation of one of three functions with 1, 2 and 4 samples. */
static void annotate_part(const char *const symbols_of[3], const char *function)
{
	struct result_count part_counts[] = { { 0x1000, 1 }, { 0x1010, 2 }, { 0x1020, 4 } };
	struct result_function functions[3];
	struct result_place places[3];
	struct result_object whole = {
		.path = "/none", .counts = part_counts, .nr_counts = 3, .samples = 7,
		.has_names = true, .functions = functions, .nr_functions = 3, .places = places,
		.nr_places = 3, .start = 0x1000, .end = 0x2000,
	};
	const struct result of = { .objects = &whole, .nr_objects = 1 };
	const struct annotate_options options = { .function = function };
	struct symbols *own;
	size_t i, size;
	FILE *out;

	for (i = 0; i < 3; i++) {
		const uint64_t start = 0x1000 + 0x10 * i;

		functions[i] = (struct result_function){
			start, start + 0x10, (char *)symbols_of[i],
		};
		places[i] = (struct result_place){ .address = start, .function = (uint32_t)i };
	}
	own = symbols_new(&of, NULL);
	free_text(NULL);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_int_equal(annotate_print(out, &of, own, &options), 1);
	fclose(out);
	symbols_free(own);
}

/* A compiler moves code that is seldom executed out of a function. */
TEST_WITH(parts_of_a_function_name_each_other, NULL, free_text)
{
	static const char *const c[] = { "serve", "serve.cold", "server" };
	static const char *const cxx[] = { "_Z5servei", "_Z5servei.part.0.cold", "_Z5servel" };
	static const char *const rust[] = {
		"_ZN3app5serve17h0123456789abcdefE", "_ZN3app5serve17hfedcba9876543210E", "main",
	};

	annotate_part(c, "serve");
	assert_non_null(strstr(text, "# 2 more samples are in serve.cold, which is of the "
			       "same source\n"));
	assert_null(strstr(text, "in server"));
	annotate_part(c, "serve.cold");
	assert_non_null(strstr(text, "# 1 more sample is in serve, which"));
	annotate_part(c, "server");
	assert_null(strstr(text, "more sample"));
	annotate_part(cxx, "serve(int)");
	assert_non_null(strstr(text, "# 2 more samples are in serve(int) [clone .part.0] "
			       "[clone .cold], which"));
	assert_null(strstr(text, "serve(long)"));
	/* instances of a generic function */
	annotate_part(rust, "_ZN3app5serve17h0123456789abcdefE");
	assert_null(strstr(text, "more sample"));
}

/* src/fixture.c of a relative build, in the directory of the reader */
TEST(relative_source_is_told)
{
	static const char path[] = "Makefile";
	struct result_object objects[] = { { .path = "./fixture-relative" } };
	const struct result of = { .objects = objects, .nr_objects = 1 };
	struct symbols *own = symbols_new(&of, NULL);
	struct source_text *sources = source_text_new(NULL, &of, own);
	const char *doubt = source_text_doubt_once(sources, path, 0, 0);

	assert_non_null(doubt);
	assert_non_null(strstr(doubt, "relative to the current directory"));
	assert_null(source_text_doubt_once(sources, path, 0, 0));
	assert_non_null(source_text_doubt(sources, path, 0, 0));
	assert_null(source_text_doubt(sources, "none", 0, 0));
	assert_non_null(source_text_problem(sources, "none"));
	source_text_free(sources);
	sources = source_text_new(".", &of, own);
	assert_null(source_text_doubt(sources, path, 0, 0));
	source_text_free(sources);
	symbols_free(own);
}

GROUP(set_up, tear_down)
