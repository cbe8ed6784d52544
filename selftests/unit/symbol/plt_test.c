// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of stubs, as several linkers make them.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <symbol/plt.h>
#include <symbol/symbols.h>

#include "support/test.h"

/* The functions that fixture_plt.c calls */
static const char *const called[] = { "alpha@plt", "beta@plt", "pointed_to@plt", "second@plt",
				      "chosen@plt" };

static char path[64];
static struct result_object object = { .path = path };
static struct result result = { .objects = &object, .nr_objects = 1 };
static struct symbols *symbols;

FIXTURE(close_file)
{
	symbols_free(symbols);
	symbols = NULL;
	return 0;
}

/* Return: index of the function that the stub at an address calls; -1: it is no stub. */
static int find_called(uint64_t address, struct function *function)
{
	size_t i;

	if (symbols_find(symbols, 0, address, function) != 1 || !function->name)
		return -1;
	for (i = 0; i < ARRAY_SIZE(called); i++)
		if ((size_t)function->length == strlen(called[i]) &&
		    !memcmp(function->name, called[i], strlen(called[i])))
			return (int)i;
	return -1;
}

/* Each address in the sections of stubs: all functions are called there, each from one place. */
static void look_at_all(uint64_t starts[ARRAY_SIZE(called)])
{
	unsigned long start, size;
	struct function function;
	char command[128];
	FILE *sections;

	snprintf(command, sizeof(command),
		 "readelf -SW %s | sed -n 's/.* \\.i\\?plt[.a-z]*  *PROGBITS//p'", path);
	sections = popen(command, "r");
	assert_non_null(sections);
	while (fscanf(sections, "%lx %*x %lx%*[^\n]", &start, &size) == 2) {
		for (uint64_t at = start; at < start + size; at++) {
			int i = find_called(at, &function);

			if (i < 0) {
				/* the code that calls the dynamic linker */
				assert_int_equal(symbols_find(symbols, 0, at, &function), 1);
				assert_int_equal(function.name[0], '[');
				continue;
			}
			assert_true(!starts[i] || starts[i] == function.start);
			assert_true(function.start <= at && at < function.end);
			assert_true(function.end - function.start <= 24);
			/* with what is before the jump */
			assert_int_equal((function.start - start) % 8, 0);
			assert_true(start <= function.start && function.end <= start + size);
			starts[i] = function.start;
		}
	}
	pclose(sections);
}

/* What objdump says of the stubs that it knows. Return: how many these are. */
static size_t compare_with_objdump(const uint64_t starts[ARRAY_SIZE(called)])
{
	char command[192], name[64];
	unsigned long start;
	size_t nr = 0, i;
	FILE *stubs;

	snprintf(command, sizeof(command),
		 "objdump -d %s 2>&1 | sed -n 's/^\\([0-9a-f]*\\) <\\(.*@plt\\)>:$/\\1 \\2/p'", path);
	stubs = popen(command, "r");
	assert_non_null(stubs);
	while (fscanf(stubs, "%lx %63s", &start, name) == 2)
		for (i = 0; i < ARRAY_SIZE(called); i++) {
			if (strcmp(name, called[i]))
				continue;
			assert_int_equal(starts[i], start);
			nr++;
		}
	pclose(stubs);
	return nr;
}

static void stubs_have_the_names_of_functions(void **state)
{
	uint64_t starts[ARRAY_SIZE(called)] = { 0 };
	const char *fixture = *state;
	size_t i;

	snprintf(path, sizeof(path), "./fixture-plt-%s", fixture);
	if (access(path, R_OK))
		skip();
	symbols = symbols_new(&result, NULL);
	assert_non_null(symbols);
	look_at_all(starts);
	/* a static program has only the one that it computes, of which objdump has no name */
	i = strstr(fixture, "static") ? ARRAY_SIZE(called) - 1 : 0;
	for (; i < ARRAY_SIZE(called); i++)
		assert_true(starts[i]);
	/* objdump of this machine does not know arm64, nor the stubs of mold */
	if (!strstr(fixture, "static") && !strstr(fixture, "arm64") && strcmp(fixture, "mold"))
		assert_int_equal(compare_with_objdump(starts), 4);
}
static char lazy[] = "lazy", now[] = "now", ibt[] = "ibt", gold[] = "gold", lld[] = "lld",
	    lld_ibt[] = "lld-ibt", mold[] = "mold", static_pie[] = "static-pie",
	    x86[] = "i386", x86_ibt[] = "i386-ibt", x86_static[] = "i386-static",
	    arm64[] = "arm64", arm64_bti[] = "arm64-bti";
TEST_OF(stubs_have_the_names_of_functions, lazy, NULL, close_file, lazy)
TEST_OF(stubs_have_the_names_of_functions, now, NULL, close_file, now)
TEST_OF(stubs_have_the_names_of_functions, ibt, NULL, close_file, ibt)
TEST_OF(stubs_have_the_names_of_functions, gold, NULL, close_file, gold)
TEST_OF(stubs_have_the_names_of_functions, lld, NULL, close_file, lld)
TEST_OF(stubs_have_the_names_of_functions, lld_ibt, NULL, close_file, lld_ibt)
TEST_OF(stubs_have_the_names_of_functions, mold, NULL, close_file, mold)
TEST_OF(stubs_have_the_names_of_functions, static_pie, NULL, close_file, static_pie)
TEST_OF(stubs_have_the_names_of_functions, i386, NULL, close_file, x86)
TEST_OF(stubs_have_the_names_of_functions, i386_ibt, NULL, close_file, x86_ibt)
TEST_OF(stubs_have_the_names_of_functions, i386_static, NULL, close_file, x86_static)
TEST_OF(stubs_have_the_names_of_functions, arm64, NULL, close_file, arm64)
TEST_OF(stubs_have_the_names_of_functions, arm64_bti, NULL, close_file, arm64_bti)

TEST(names_of_stubs_are_known)
{
	assert_true(plt_has_name("memcmp@plt"));
	assert_true(plt_has_name("[.plt.sec]"));
	assert_false(plt_has_name("memcmp@GLIBC_2.2.5"));
	assert_false(plt_has_name("@plt"));
}
