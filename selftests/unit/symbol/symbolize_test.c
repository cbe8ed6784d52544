// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which function each count of a result belongs to.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <symbol/symbolize.h>

#include "support/fake_result.h"
#include "support/test.h"

static struct result result;
static struct symbolized symbolized;

FIXTURE(set_up)
{
	fake_result(&result);
	return 0;
}

FIXTURE(tear_down)
{
	symbolized_release(&symbolized);
	return 0;
}

static void make(void)
{
	assert_null(result_problem(&result));
	assert_int_equal(symbolize_result(&symbolized, &result, fake_find, NULL, fake_demangle), 0);
}

TEST_F(functions_are_found)
{
	static const struct {
		size_t object;
		uint64_t start;
		const char *symbol, *name;
		uint64_t samples;
		size_t nr_counts;
	} wanted[] = {
		{ ODD, 0x1000, ODD_NAME, ODD_NAME, 3, 1 },
		/* a function without a name */
		{ ODD, 0x1010, NULL, "0x1010", 4, 1 },
		{ ODD, 0x1ff2, ODD_MANGLED, ODD_DEMANGLED, 5, 1 },
		/* no function */
		{ ODD, 0x2000, NULL, "(no symbols)", 6 + 1, 2 },
		/* in two parts */
		{ BIG, 0x401000, "(1) hot", "(1) hot", 65535 + 9 + ((uint64_t)1 << 32) + 5, 3 },
		{ BIG, 0x401004, "cold", "cold", 65536, 1 },
		/* the same name in two objects */
		{ LIB_X, 0x1000, "same", "same", 11, 1 },
		{ OPT_X, 0x1000, "same", "same", 12, 1 },
		{ VDSO, 0, "[vdso]", "[vdso]", 2, 2 },
	};
	size_t i;

	make();
	assert_int_equal(symbolized.nr_functions, ARRAY_SIZE(wanted));
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct symbolized_function *function = &symbolized.functions[i];

		assert_int_equal(function->object, wanted[i].object);
		assert_int_equal(function->start, wanted[i].start);
		if (wanted[i].symbol)
			assert_string_equal(function->symbol, wanted[i].symbol);
		else
			assert_null(function->symbol);
		assert_string_equal(function->name, wanted[i].name);
		assert_int_equal(function->is_rest, !strcmp(function->name, "(no symbols)"));
		assert_int_equal(function->samples, wanted[i].samples);
		assert_int_equal(function->nr_counts, wanted[i].nr_counts);
	}
}

static int find_start_line(void *symbols, size_t object, uint64_t address, struct source_line *line)
{
	line->line = 1;
	return 1;
}

/* The line of its first address is not the first of a function. */
TEST_F(rest_has_no_start_line)
{
	struct source_line line;

	make();
	symbolized.find_line = find_start_line;
	assert_true(symbolized.functions[3].is_rest);
	assert_int_equal(symbolized_start_line(&symbolized, 3, &line), 0);
	assert_int_equal(symbolized_start_line(&symbolized, 2, &line), 1);
	assert_int_equal(symbolized_line(&symbolized, 3, 1, &line), 1);
}

/* The names of made code are as its runtime gives them. */
TEST_F(made_code_has_names)
{
	const struct symbolized_function *functions;
	static char mangled[] = ODD_MANGLED;

	fake_result_made_code(&result);
	result.objects[VDSO].functions[1].name = mangled;
	make();
	functions = &symbolized.functions[symbolized.nr_functions - 2];
	assert_int_equal(functions[0].object, VDSO);
	assert_string_equal(functions[0].name, "[jit]");
	assert_int_equal(functions[0].start, 0);
	assert_int_equal(functions[0].samples, 1);
	assert_int_equal(functions[1].start, 0x900);
	assert_string_equal(functions[1].symbol, ODD_MANGLED);
	assert_string_equal(functions[1].name, ODD_MANGLED);
	assert_int_equal(functions[1].samples, 1);
}

TEST_F(each_count_has_one_function)
{
	size_t object, i, j, nr = 0;
	bool seen[8];

	make();
	for (object = 0; object < result.nr_objects; object++) {
		memset(seen, 0, sizeof(seen));
		for (i = 0; i < symbolized.nr_functions; i++) {
			const struct symbolized_function *function = &symbolized.functions[i];

			for (j = 0; function->object == object && j < function->nr_counts; j++) {
				assert_true(function->counts[j] < result.objects[object].nr_counts);
				assert_false(seen[function->counts[j]]);
				assert_true(!j || function->counts[j] > function->counts[j - 1]);
				seen[function->counts[j]] = true;
				nr++;
			}
		}
	}
	assert_int_equal(nr, 13);
}

TEST_F(names_may_stay_mangled)
{
	assert_int_equal(symbolize_result(&symbolized, &result, fake_find, NULL, NULL), 0);
	assert_string_equal(symbolized.functions[2].name, ODD_MANGLED);
}

TEST_F(order_is_by_samples)
{
	size_t *order, i;

	make();
	order = symbolized_by_samples(&symbolized);
	assert_non_null(order);
	assert_string_equal(symbolized.functions[order[0]].name, "(1) hot");
	assert_string_equal(symbolized.functions[order[1]].name, "cold");
	for (i = 1; i < symbolized.nr_functions; i++)
		assert_true(symbolized.functions[order[i - 1]].samples >=
			    symbolized.functions[order[i]].samples);
	free(order);
}

/* Two addresses of a function have a line, among them its first; the others have none. */
static int find_lines(void *symbols, size_t object, uint64_t address, struct function *function)
{
	if (object != BIG || (address != 0x401000 && address != 0x402000))
		return fake_find(symbols, object, address, function);
	function->start = 0x401000;
	function->name = "hot.c:10";
	function->length = 8;
	return 1;
}

TEST_F(line_and_function_with_the_same_start)
{
	const struct symbolized_function *function;

	assert_int_equal(symbolize_result(&symbolized, &result, find_lines, NULL, NULL), 0);
	function = &symbolized.functions[4];
	assert_string_equal(function->name, "(1) hot");
	assert_int_equal(function->start, 0x401000);
	assert_int_equal(function->samples, 9);
	assert_int_equal(function->nr_counts, 1);
	function++;
	assert_string_equal(function->name, "hot.c:10");
	assert_int_equal(function->start, 0x401000);
	assert_int_equal(function->samples, 65535 + ((uint64_t)1 << 32) + 5);
	assert_int_equal(function->nr_counts, 2);
	function++;
	assert_string_equal(function->name, "cold");
}

static int find_fails(void *symbols, size_t object, uint64_t address, struct function *function)
{
	if (object == LIB_X)
		return -ENOMEM;
	return fake_find(symbols, object, address, function);
}

TEST_F(error_of_find_is_returned)
{
	assert_int_equal(symbolize_result(&symbolized, &result, find_fails, NULL, NULL), -ENOMEM);
}

TEST_F(empty_result)
{
	size_t *order;

	result.nr_objects = 0;
	make();
	assert_int_equal(symbolized.nr_functions, 0);
	order = symbolized_by_samples(&symbolized);
	assert_non_null(order);
	free(order);
}
