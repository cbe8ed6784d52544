/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmocka.h, with the headers that must be included before it; and tests that enter themselves in the
 * list of their program (test_main.c), in the order of their file.
 */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/*
 * TEST(name) { ... } is a test; TEST_F() one with set_up() and tear_down(), TEST_WITH() one with other
 * functions. FIXTURE(name) { ... } is such a function.
 */
#define TEST(name)	TEST_WITH(name, NULL, NULL)
#define TEST_F(name)	TEST_WITH(name, set_up, tear_down)
#define TEST_WITH(name, before, after)							\
	static void name(void **state);							\
	AT_START(name) { test_add(#name, name, before, after, NULL); }			\
	static void name(void **state)
#define FIXTURE(name)	static int name(void **state)

/* TEST_OF() runs a function, also one of TEST(), with something else: *state is @with. */
#define TEST_OF(name, what, before, after, with)					\
	AT_START(name) { test_add(#name "(" #what ")", name, before, after, with); }

/*
 * TEST_EACH(name, array, before, after) { ... } is a test for each element: *state. Its name is the
 * element's member "about".
 */
#define TEST_EACH(name, array, before, after)						\
	static void name(void **state);							\
	AT_START(name)									\
	{										\
		size_t i;								\
											\
		for (i = 0; i < ARRAY_SIZE(array); i++)					\
			test_add((array)[i].about, name, before, after, (void *)&(array)[i]); \
	}										\
	static void name(void **state)

/* GROUP(before, after): before the first test of the program, and after the last one */
#define GROUP(before, after)	AT_START(group) { test_group(before, after); }

#define AT_START(name)		AT_START_(name, __LINE__)
#define AT_START_(name, line)	AT_START__(name, line)
#define AT_START__(name, line)	static void __attribute__((constructor)) add_##name##line(void)

void test_add(const char *name, CMUnitTestFunction test, CMFixtureFunction before,
	      CMFixtureFunction after, void *state);
void test_group(CMFixtureFunction before, CMFixtureFunction after);

#endif /* TEST_H */
