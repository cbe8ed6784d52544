// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which function a word means that is not its name.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmd/functionname.h>

#include "support/test.h"

static struct result_count counts[1 << 15];
static struct result_object object = { .path = "./fixture-inline-c", .counts = counts };
static struct result result = { .objects = &object, .nr_objects = 1 };
static struct symbols *symbols;

/* A sample at each address that is in a function */
FIXTURE(set_up)
{
	struct function function;
	uint64_t address;

	symbols = symbols_new(&result, NULL);
	for (address = 0; address < ARRAY_SIZE(counts); address++)
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

/* @name: NULL: none, and @others are suggested */
static void assert_means(const char *word, const char *name, const char *others)
{
	char *suggested, *found = functionname_find(&result, symbols, word, false, &suggested);

	if (!name) {
		assert_null(found);
		assert_string_equal(suggested, others);
	} else {
		assert_non_null(found);
		assert_string_equal(found, name);
	}
	free(suggested);
	free(found);
}

TEST(beginnings_and_similar_names)
{
	assert_means("app", "apply", NULL);
	assert_means("applx", "apply", NULL);
	assert_means("WEIGH_A", "weigh_all", NULL);
	/* inlined everywhere */
	assert_means("mix_b", "mix_both", NULL);
	assert_means("mix_", NULL, "; did you mean mix_other or mix_both?");
	assert_means("zzzzz", NULL, "");
}

TEST(expressions)
{
	assert_means("^w.*l$", "weigh_all", NULL);
	assert_means("^(app|zzz)", "apply", NULL);
	assert_means("^x", NULL, "");
	assert_means("mix_[bo]", NULL, "; did you mean mix_other or mix_both?");
	/* with "::", as in a shortened name */
	assert_means("^weigh(::x)?_all$", "weigh_all", NULL);
	/* before the parameters, and with them */
	assert_means("^sh.*ed$", "shared", NULL);
	assert_means("^sh.*int\\)$", "shared", NULL);
	/* not an expression */
	assert_means("apply[", "apply", NULL);
}

TEST(shortened_names)
{
	assert_means("we...ll", "weigh_all", NULL);
	assert_means("w...h", "weigh", NULL);
	assert_means("eig...ll", NULL, "");
	/* the number tells functions of a table apart, and not these */
	assert_means("w...h~12", "weigh", NULL);
}

TEST(ends_of_qualified_names)
{
	static const char map[] = "std::_Map_base<int, std::less<int> >::operator[](int&&)";

	assert_true(functionname_has_end(map, "operator[]"));
	assert_true(functionname_has_end(map, "_Map_base::operator[]"));
	assert_true(functionname_has_end(map, "_Map_base<int, std::less<int> >::operator[]"));
	assert_true(functionname_has_end("int App.collatz(long)", "App.collatz"));
	assert_true(functionname_has_end("int App.collatz(long)", "collatz"));
	assert_true(functionname_has_end("std::__cxx11::to_string[abi:cxx11](int)", "to_string"));
	assert_true(functionname_has_end("void std::sort<int*>(int*)", "std::sort"));
	assert_true(functionname_has_end("example.com/x/y.F", "y.F"));
	assert_true(functionname_has_end("<a::B as c::D>::extend", "extend"));
	assert_false(functionname_has_end(map, "base::operator[]"));
	assert_false(functionname_has_end(map, "::operator[]"));
	assert_true(functionname_has_end("f(int)", "f"));
	assert_true(functionname_has_end("std::__cxx11::f[abi:cxx11](int)", "std::f"));
	assert_true(functionname_has_end("std::__1::a<std::__1::b>::c", "std::a::c"));
	assert_false(functionname_has_end("afb", "b"));
	assert_false(functionname_has_end("a::f", ""));
}

TEST(notes_are_cut)
{
	char all[] = "mix (inlined)", some[] = "mix(int) (partly inlined)", none[] = "mix", note[] =
		" (inlined)";

	functionname_cut_note(all);
	assert_string_equal(all, "mix");
	functionname_cut_note(some);
	assert_string_equal(some, "mix(int)");
	functionname_cut_note(none);
	assert_string_equal(none, "mix");
	functionname_cut_note(note);
	assert_string_equal(note, " (inlined)");
}

GROUP(set_up, tear_down)
