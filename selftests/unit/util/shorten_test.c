// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that fit: what gives way, in which order, and that different ones stay different.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <util/shorten.h>
#include <util/terminal.h>

#include "support/test.h"

static void functions_lose_what_matters_least(void **state)
{
	static const struct {
		const char *name;
		int most;
		const char *folded;
	} cases[] = {
		{ "f(int, char)", 12, "f(int, char)" },
		{ "std::map<int, long>::at(int const&) const", 40,
		  "std::map<int, long>::at(...) const" },
		{ "std::_Rb_tree<int, long, less<int> >::_M_insert_(node*, node*)", 40,
		  "std::_Rb_tree<...>::_M_insert_(...)" },
		{ "std::_Rb_tree<int, long, less<int> >::_M_insert_(node*, node*)", 30,
		  "std::_Rb_tree::_M_insert_" },
		{ "std::_Rb_tree<int, long, less<int> >::_M_insert_(node*, node*)", 20,
		  "std::...::_M_insert_" },
		/* brackets that are no lists */
		{ "(anonymous namespace)::work(std::string)", 37,
		  "(anonymous namespace)::work(...)" },
		{ "a::b::operator()(std::string, int) const", 30, "a::b::operator()(...) const" },
		{ "a::b::operator()(std::string, int) const", 17, "a::b::operator()" },
		{ "bool operator< <int, char>(a<int> const&, a<char> const&)", 40,
		  "bool operator< <int, char>(...)" },
		{ "bool operator< <int, char>(a<int> const&, a<char> const&)", 30,
		  "bool operator< <...>(...)" },
		{ "bool operator< <int, char>(a<int> const&, a<char> const&)", 20, "bool operator<" },
		{ "stream& operator<<(stream&, int)", 25, "stream& operator<<(...)" },
		{ "smart<pointer>::operator->(int, int) const", 38,
		  "smart<pointer>::operator->(...) const" },
		{ "smart<pointer>::operator->(int, int) const", 36,
		  "smart<...>::operator->(...) const" },
		{ "<alloc::vec::Vec<u8, A> as core::fmt::Debug>::fmt", 48,
		  "<alloc::vec::Vec<...> as core::fmt::Debug>::fmt" },
		{ "main()::{lambda(int, long)#1}::operator()(int, long) const", 50,
		  "main()::{lambda(...)#1}::operator()(...) const" },
		{ "main()::{lambda(int, long)#1}::operator()(int, long) const", 28,
		  "main::{lambda#1}::operator()" },
		{ "main.(*Type).Method", 15, "main...).Method" },
		/* what the compiler did not close, or nobody opened */
		{ "a<b<c<d<e<f<g<h", 10, "a<...f<g<h" },
		{ "f(a)b)c)d(e(", 10, "fb)c)d(e(" },
		{ "a_name_of_c_that_is_long", 13, "a_n...is_long" },
		/* characters stay whole */
		{ "\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57", 9, "\u6f22...\u6f22\u5b57" },
		{ "ab\033cd\xffgh\033", 12, "ab...gh\033" },
		{ "", 8, "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *folded = shorten_function(cases[i].name, cases[i].most);

		assert_string_equal(folded, cases[i].folded);
		assert_true(terminal_columns(folded) <= cases[i].most);
		free(folded);
	}
}

static void paths_keep_their_end(void **state)
{
	char *folded = shorten_path("/usr/lib/x86_64-linux-gnu/libc.so.6", 20);

	(void)state;
	assert_string_equal(folded, "...nux-gnu/libc.so.6");
	free(folded);
	folded = shorten_path("/bin/sh", 7);
	assert_string_equal(folded, "/bin/sh");
	free(folded);
}

static void alike_names_are_numbered(void **state)
{
	struct shorten_name names[] = {
		{ .whole = "f(char, short)" }, { .whole = "g(char, short)" },
		{ .whole = "f(long, short)" }, { .whole = "f(char, short)" },
	};
	static const char *const folded[] = { "f(...)~1", "g(...)", "f(...)~2", "f(...)~1" };
	size_t i;

	(void)state;
	assert_int_equal(shorten_functions(names, ARRAY_SIZE(names), 13), 3);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(names[i].folded, folded[i]);
		free(names[i].folded);
		names[i] = (struct shorten_name){ .whole = names[i].whole };
	}
	assert_int_equal(shorten_functions(names, ARRAY_SIZE(names), 14), 0);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(names[i].folded, names[i].whole);
		free(names[i].folded);
	}
}

static unsigned int seed = 7;

/* Of pieces that matter to folding, and of any bytes */
static void draw_name(char name[256])
{
	static const char *const pieces[] = {
		"(", ")", "<", ">", "operator", "operator<<", "operator()", "->", " const", "::",
		"a", "bc", "std", "\u6f22", "a\u0308", "\033[2J", "\xc2", "\x9b", "\u202e", "~1",
		"()", "<int>", "(int, long)", "<a<b>, c>", "(anonymous namespace)", " ",
	};
	int parts = rand_r(&seed) % 30;

	name[0] = 0;
	while (parts--) {
		char any[2] = { (char)(1 + rand_r(&seed) % 255), 0 };
		size_t piece = (size_t)rand_r(&seed) % (ARRAY_SIZE(pieces) + 4);

		if (strlen(name) < 200)
			strcat(name, piece < ARRAY_SIZE(pieces) ? pieces[piece] : any);
	}
}

static void any_name_fits(void **state)
{
	char name[256];
	int i;

	(void)state;
	for (i = 0; i < 20000; i++) {
		int most = SHORTEN_LEAST + rand_r(&seed) % 100;
		char *function, *path;

		draw_name(name);
		function = shorten_function(name, most);
		path = shorten_path(name, most);
		assert_true(terminal_columns(function) <= most && terminal_columns(path) <= most);
		if (terminal_columns(name) <= most) {
			assert_string_equal(function, name);
			assert_string_equal(path, name);
		}
		free(function);
		free(path);
	}
}

/* Of the few that there are in few columns, each is another */
static void different_names_stay_different(void **state)
{
	static char names[64][256];
	int round;

	(void)state;
	for (round = 0; round < 300; round++) {
		struct shorten_name folded[64] = { 0 };
		int most = 20 + rand_r(&seed) % 10;
		size_t i, j;

		for (i = 0; i < ARRAY_SIZE(names); i++) {
			/* with long heads and tails that are the same */
			draw_name(names[i]);
			if (i % 2 && strlen(names[i]) < 100) {
				memmove(names[i] + 40, names[i], strlen(names[i]) + 1);
				memset(names[i], 'h', 40);
				strcat(names[i], "_a_tail_of_the_name_that_is_long");
			}
			folded[i].whole = names[i];
		}
		assert_true(shorten_functions(folded, ARRAY_SIZE(folded), most) >= 0);
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			assert_true(terminal_columns(folded[i].folded) <= most);
			for (j = 0; j < i; j++)
				assert_int_equal(!strcmp(names[i], names[j]),
						 !strcmp(folded[i].folded, folded[j].folded));
		}
		for (i = 0; i < ARRAY_SIZE(names); i++)
			free(folded[i].folded);
	}
}

/* As a hostile file may have it: in time that grows with its length, not its square */
static void long_names_take_no_time(void **state)
{
	const size_t length = 4000000;
	char *name = malloc(length + 1), *folded;
	size_t i;

	(void)state;
	assert_non_null(name);
	for (i = 0; i < length; i++)
		name[i] = "a<a("[i % 4];
	name[length] = 0;
	folded = shorten_function(name, 40);
	assert_true(terminal_columns(folded) <= 40);
	free(folded);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_lose_what_matters_least),
		cmocka_unit_test(paths_keep_their_end),
		cmocka_unit_test(alike_names_are_numbered),
		cmocka_unit_test(any_name_fits),
		cmocka_unit_test(different_names_stay_different),
		cmocka_unit_test(long_names_take_no_time),
	};

	return cmocka_run_group_tests_name("fold", tests, NULL, NULL);
}
