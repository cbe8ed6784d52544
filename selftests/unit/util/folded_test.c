// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of a folded function.
 */
#include <stdio.h>
#include <string.h>

#include <util/folded.h>

#include "support/test.h"

/* @joined: the same with a bar between the names */
static void assert_parts(const char *names, const char *joined)
{
	char text[256] = "";
	const char *rest = names, *name;
	size_t length;

	while ((name = folded_next(&rest, &length)))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%.*s",
			 *text ? "|" : "", (int)length, name);
	assert_string_equal(text, joined);
	assert_int_equal(folded_has_several(names), !!strchr(joined, '|'));
}

TEST(commas_outside_brackets_are_between_names)
{
	assert_parts("f", "f");
	assert_parts("send_mails, parse_orders", "send_mails|parse_orders");
	assert_parts("f(int, char), g, h<a, b>::i(int, b)", "f(int, char)|g|h<a, b>::i(int, b)");
	assert_parts("f[abi:x, y], main.F[int, string]", "f[abi:x, y]|main.F[int, string]");
	assert_parts("a::{lambda(int, char)#1}::operator()(int, int) const, g",
		     "a::{lambda(int, char)#1}::operator()(int, int) const|g");
}

/* The name of an operator is no bracket. */
TEST(operators)
{
	static const char *const operators[] = {
		"<", ">", "<<", ">>", "<=", ">=", "<=>", "<<=", ">>=", "->", "->*",
	};
	char names[64], parts[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		snprintf(names, sizeof(names), "A::operator%s(A, B), g", operators[i]);
		snprintf(parts, sizeof(parts), "A::operator%s(A, B)|g", operators[i]);
		assert_parts(names, parts);
	}
	assert_parts("operator< <int, int>, g", "operator< <int, int>|g");
	assert_parts("operator,(A, B), g", "operator,(A, B)|g");
	/* a name that only ends like it */
	assert_parts("my_operator<int, char>, g", "my_operator<int, char>|g");
}

TEST(damaged_names)
{
	assert_parts("f(a, b", "f(a, b");
	assert_parts("f), g", "f)|g");
	assert_parts("", "");
}
