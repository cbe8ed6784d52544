// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that are stored in a result: they are those of the file, also when it is gone, and after
 * the result was written and read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <result/resultpack.h>
#include <result/select.h>
#include <symbol/names_write.h>

#include "support/test.h"

#define NR	512	/* addresses from the start of the text, two bytes apart */

static char argument[] = "program", host[] = "host", kernel[] = "kernel";
static char *argv[] = { argument, NULL };
static struct result result;
static struct symbols *files, *stored;

/* A result with samples of a copy of a fixture, at addresses around an exported function. */
static void make_result(const char *fixture)
{
	unsigned long exported;
	char command[128];
	FILE *output;
	size_t i;

	snprintf(command, sizeof(command), "cp -p %s stored-fixture && ./stored-fixture", fixture);
	output = popen(command, "r");
	assert_int_equal(fscanf(output, "%lx", &exported), 1);
	pclose(output);
	result = (struct result){
		.argv = result_copy_argv(argv), .host = strdup(host), .kernel = strdup(kernel),
		.rate = 100,
		.objects = calloc(1, sizeof(*result.objects)), .nr_objects = 1,
		.processes = calloc(1, sizeof(*result.processes)), .nr_processes = 1,
	};
	result.processes[0].program = strdup("stored-fixture");
	result.objects[0] = (struct result_object){
		.path = strdup("./stored-fixture"), .end = 1 << 24,
		.parts = calloc(NR, sizeof(*result.objects->parts)),
	};
	for (i = 0; i < NR; i++)
		result.objects[0].parts[result.objects[0].nr_parts++] = (struct result_part){
			.address = exported - NR + 2 * i, .samples = 1,
			.thread = RESULT_NO_THREAD,
		};
	assert_int_equal(result_sum(&result), 0);
	assert_null(result_problem(&result));
}

/* Write the result, and read it. */
static void write_and_read(void)
{
	unsigned char *message;
	const char *why = NULL;
	size_t bytes;

	assert_int_equal(resultpack_pack(&result, &message, &bytes), 0);
	result_release(&result);
	assert_int_equal(resultpack_unpack(message, bytes, &result, &why), 0);
	free(message);
}

static void store(void)
{
	struct symbols *symbols = symbols_new(&result, NULL);

	assert_int_equal(names_write(&result, symbols), 0);
	symbols_free(symbols);
	assert_null(result_problem(&result));
}

/* The same result without names, so that they are looked up in the file. */
static struct symbols *without_names(void)
{
	static struct result_object object;
	static struct result bare;

	object = result.objects[0];
	object.has_names = false;
	bare = result;
	bare.objects = &object;
	return symbols_new(&bare, NULL);
}

FIXTURE(tear_down)
{
	symbols_free(files);
	symbols_free(stored);
	files = stored = NULL;
	result_release(&result);
	unlink("stored-fixture");
	return 0;
}

static void assert_same_text(const char *got, const char *want)
{
	if (got && want)
		assert_string_equal(got, want);
	else
		assert_ptr_equal(got, want);
}

static void assert_same_line(uint64_t address)
{
	struct source_line got = { 0 }, want = { 0 };

	assert_int_equal(symbols_line(stored, 0, address, &got),
			 symbols_line(files, 0, address, &want));
	assert_same_text(got.file, want.file);
	assert_int_equal(got.line, want.line);
}

static void assert_same_frames(uint64_t address)
{
	struct source_frame got[SYMBOLS_MAX_FRAMES], want[SYMBOLS_MAX_FRAMES];
	size_t nr_got = 0, nr_want = 0, i;

	assert_int_equal(symbols_frames(stored, 0, address, got, &nr_got),
			 symbols_frames(files, 0, address, want, &nr_want));
	assert_int_equal(nr_got, nr_want);
	for (i = 0; i < nr_want; i++) {
		assert_same_text(got[i].function, want[i].function);
		assert_same_text(got[i].file, want[i].file);
		assert_int_equal(got[i].line, want[i].line);
	}
}

/* Return: number of addresses in functions with names. */
static size_t assert_same_names(void)
{
	size_t nr_named = 0, i;

	files = without_names();
	stored = symbols_new(&result, NULL);
	for (i = 0; i < NR; i++) {
		const uint64_t address = result.objects[0].parts[i].address;
		struct function got = { 0 }, want = { 0 };

		assert_int_equal(symbols_find(stored, 0, address, &got),
				 symbols_find(files, 0, address, &want));
		assert_int_equal(got.start, want.start);
		assert_int_equal(got.end, want.end);
		assert_same_text(got.name, want.name);
		assert_same_line(address);
		if (want.name) {
			assert_same_line(want.start);
			nr_named++;
		}
		assert_same_frames(address);
	}
	assert_int_equal(symbols_are_stripped(stored, 0), symbols_are_stripped(files, 0));
	return nr_named;
}

TEST_WITH(names_are_those_of_the_file, NULL, tear_down)
{
	make_result("fixture-pie");
	store();
	write_and_read();
	assert_true(result.objects[0].has_names);
	assert_true(assert_same_names() > NR / 4);
	assert_true(result.objects[0].nr_frames > NR / 4);
}

TEST_WITH(file_without_debug_information, NULL, tear_down)
{
	make_result("fixture-pie-stripped");
	store();
	write_and_read();
	assert_true(result.objects[0].is_stripped);
	assert_int_equal(result.objects[0].nr_frames, 0);
	assert_true(assert_same_names() > 0);
}

TEST_WITH(names_stay_when_the_file_is_gone, NULL, tear_down)
{
	struct function function;

	make_result("fixture-pie");
	store();
	unlink("stored-fixture");
	stored = symbols_new(&result, NULL);
	assert_int_equal(symbols_find(stored, 0, result.objects[0].parts[NR / 2].address,
				      &function), 1);
	assert_string_equal(function.name, "exported");
	assert_null(symbols_problem(stored, 0));
	assert_null(symbols_explain(stored, 0, "--root"));
}

/* With a root, the files are read, and the stored names serve if that fails. */
TEST_WITH(root_without_the_file, NULL, tear_down)
{
	struct function function;
	char *note;

	make_result("fixture-pie");
	store();
	unlink("stored-fixture");
	stored = symbols_new(&result, "/nonexistent");
	assert_int_equal(symbols_find(stored, 0, result.objects[0].parts[NR / 2].address,
				      &function), 1);
	assert_string_equal(function.name, "exported");
	note = symbols_explain(stored, 0, "--root");
	assert_non_null(strstr(note, "function names are those of the end of the run"));
	free(note);
}

/* A file that is not there when the profile ends has no names; it may be found later. */
TEST_WITH(file_that_is_gone_at_the_end, NULL, tear_down)
{
	make_result("fixture-pie");
	unlink("stored-fixture");
	store();
	assert_false(result.objects[0].has_names);
	assert_int_equal(result.objects[0].nr_places, 0);
	stored = symbols_new(&result, NULL);
	assert_int_equal(symbols_find(stored, 0, result.objects[0].parts[0].address,
				      &(struct function){ 0 }), 0);
	assert_non_null(symbols_problem(stored, 0));
}

/* Between the addresses with samples, which have no place then */
TEST_WITH(callers_have_the_functions_of_the_file, NULL, tear_down)
{
	struct function got, want;
	size_t nr_named = 0, i;

	make_result("./fixture-pie");
	result.nodes = calloc(NR, sizeof(*result.nodes));
	result.nr_nodes = NR;
	for (i = 0; i < NR; i++)
		result.nodes[i] = (struct result_node){
			.parent = RESULT_NO_NODE, .address = result.objects->parts[i].address + 1,
		};
	/* samples at one address only, in no function of the others */
	result.objects->nr_parts = 1;
	assert_int_equal(result_sum(&result), 0);
	store();
	write_and_read();
	files = without_names();
	stored = symbols_new(&result, NULL);
	for (i = 0; i < NR; i++) {
		const uint64_t address = result.nodes[i].address;
		const int is_known = symbols_find(files, 0, address, &want);

		assert_int_equal(symbols_find(stored, 0, address, &got), is_known);
		if (!is_known)
			continue;
		assert_int_equal(got.start, want.start);
		assert_int_equal(got.length, want.length);
		nr_named += want.name && !memcmp(got.name, want.name, (size_t)want.length);
	}
	assert_true(nr_named > NR / 2);
	assert_int_equal(result.objects->nr_places, 1);
}
