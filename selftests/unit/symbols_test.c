// SPDX-License-Identifier: GPL-2.0-only
/*
 * From pcs to functions in real files: position-independent and not, with
 * symbols and without.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <symbols.h>

#include "test.h"

/* What fixture.c prints: link-time addresses */
struct addresses {
	unsigned long exported, hidden, sizeless;
};

struct fixture {
	const char *path;
	uint64_t bias;
};

/* A PIE is wherever we say; the other has to be where it was linked */
static struct fixture pie = { "fixture-pie", 0x7f0000000000 };
static struct fixture fixed = { "fixture-fixed", 0 };
static struct fixture pie_stripped = { "fixture-pie-stripped", 0x555555554000 };
static struct fixture fixed_stripped = { "fixture-fixed-stripped", 0 };

static char path[64];
static struct runfile_object object;
static struct runfile run = { .objects = &object, .nr_objects = 1 };
static struct symbols *symbols;

static struct addresses open_file(const struct fixture *fixture)
{
	struct addresses addresses = { 0 };
	FILE *output;

	snprintf(path, sizeof(path), "./%s", fixture->path);
	object.path = path;
	object.bias = fixture->bias;
	symbols = symbols_new(&run);
	assert_non_null(symbols);
	output = popen(path, "r");
	assert_non_null(output);
	assert_int_equal(fscanf(output, "%lx %lx %lx", &addresses.exported,
				&addresses.hidden, &addresses.sizeless), 3);
	pclose(output);
	return addresses;
}

static int close_file(void **state)
{
	(void)state;
	symbols_free(symbols);
	symbols = NULL;
	return 0;
}

/* @address: link-time; @name: NULL: the function has none */
static void assert_function(uint64_t address, uint64_t start, const char *name)
{
	struct function function;

	assert_int_equal(symbols_find(symbols, 0, address + object.bias,
				      &function), 1);
	assert_int_equal(function.start - object.bias, start);
	if (!name) {
		assert_null(function.name);
		return;
	}
	assert_non_null(function.name);
	assert_int_equal(function.length, strlen(name));
	assert_memory_equal(function.name, name, strlen(name));
}

static void names_are_found(void **state)
{
	const struct fixture *fixture = *state;
	struct addresses at = open_file(fixture);

	assert_function(at.exported, at.exported, "exported");
	assert_function(at.exported + 4, at.exported, "exported");
	assert_function(at.hidden, at.hidden, "hidden");
	assert_function(at.hidden + 20, at.hidden, "hidden");
	assert_function(at.sizeless, at.sizeless, "sizeless");
	assert_function(at.sizeless + 31, at.sizeless, "sizeless");
	assert_null(symbols_problem(symbols, 0));
}

static void stripped_functions_stay_whole(void **state)
{
	const struct fixture *fixture = *state;
	struct addresses at = open_file(fixture);
	struct function function;
	uint64_t pc;

	assert_function(at.exported + 4, at.exported, "exported");
	/* across several unwind rules, one function */
	for (pc = at.hidden; pc < at.hidden + 48; pc++)
		assert_function(pc, at.hidden, NULL);
	/* no symbol, no unwind entry: not the exported function before it */
	assert_int_equal(symbols_find(symbols, 0, at.sizeless + object.bias,
				      &function), 0);
}

/* Our own PLT, if this machine's linker made one, by its section's name */
static void plt_is_one_function(void **state)
{
	const struct fixture *fixture = *state;
	unsigned long start = 0, size = 0;
	char command[128];
	FILE *output;

	open_file(fixture);
	snprintf(command, sizeof(command),
		 "readelf -SW %s | sed -n 's/.* \\.plt  *PROGBITS//p'", path);
	output = popen(command, "r");
	assert_non_null(output);
	if (fscanf(output, "%lx %*x %lx", &start, &size) != 2)
		size = 0;
	pclose(output);
	if (size < 8)
		skip();
	assert_function(start, start, "[.plt]");
	assert_function(start + size - 1, start, "[.plt]");
}

static int find_own_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

static void own_functions_are_found(void **state)
{
	struct fixture self = { "symbols_test", 0 };
	struct function function;

	(void)state;
	dl_iterate_phdr(find_own_bias, &self.bias);
	snprintf(path, sizeof(path), "/proc/self/exe");
	object.path = path;
	object.bias = self.bias;
	symbols = symbols_new(&run);
	assert_non_null(symbols);
	assert_int_equal(symbols_find(symbols, 0,
				      (uintptr_t)own_functions_are_found + 1,
				      &function), 1);
	assert_int_equal(function.start, (uintptr_t)own_functions_are_found);
	assert_memory_equal(function.name, "own_functions_are_found",
			    (size_t)function.length);
}

static void assert_unreadable(const char *name)
{
	struct function function;

	snprintf(path, sizeof(path), "%s", name);
	object.path = path;
	object.bias = 0;
	symbols = symbols_new(&run);
	assert_non_null(symbols);
	assert_int_equal(symbols_find(symbols, 0, 0x1000, &function), 0);
	assert_non_null(symbols_problem(symbols, 0));
	close_file(NULL);
}

static void unreadable_files_are_told(void **state)
{
	(void)state;
	assert_unreadable("./no such file");
	assert_unreadable("/");
	assert_unreadable("/dev/null");
	assert_unreadable("Makefile");
	/* without a writer, opening it would wait */
	unlink("fifo");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_unreadable("./fifo");
	unlink("fifo");
}

/* A file cut anywhere is no reason to crash: for valgrind to judge. */
static void cut_files_do_not_crash(void **state)
{
	static char bytes[1 << 16];
	struct function function;
	size_t size, cut;
	FILE *file;

	(void)state;
	file = fopen("fixture-pie", "r");
	assert_non_null(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	for (cut = 0; cut < size; cut += 997) {
		uint64_t pc;

		file = fopen("cut", "w");
		assert_non_null(file);
		assert_int_equal(fwrite(bytes, 1, cut, file), cut);
		fclose(file);
		snprintf(path, sizeof(path), "./cut");
		object.path = path;
		object.bias = 0;
		symbols = symbols_new(&run);
		assert_non_null(symbols);
		for (pc = 0; pc < 0x5000; pc += 64)
			symbols_find(symbols, 0, pc, &function);
		close_file(NULL);
	}
	unlink("cut");
}

#define TEST(name, fixture) \
	{ #name "(" #fixture ")", name, NULL, close_file, &(fixture) }

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_are_found, pie),
		TEST(names_are_found, fixed),
		TEST(stripped_functions_stay_whole, pie_stripped),
		TEST(stripped_functions_stay_whole, fixed_stripped),
		TEST(plt_is_one_function, pie),
		TEST(plt_is_one_function, fixed_stripped),
		cmocka_unit_test_teardown(own_functions_are_found, close_file),
		cmocka_unit_test_teardown(unreadable_files_are_told,
					  close_file),
		cmocka_unit_test_teardown(cut_files_do_not_crash, close_file),
	};

	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
