// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of addresses in real ELF files: position-independent or not, stripped or not.
 */
#define _GNU_SOURCE
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <symbol/symbols.h>
#include <util/objectfile.h>
#include <util/time_ns.h>

#include "support/test.h"

/* The link-time addresses that fixture.c prints */
struct addresses {
	unsigned long exported, hidden, sizeless;
};

static char pie[] = "fixture-pie";
static char fixed[] = "fixture-fixed";
static char pie_stripped[] = "fixture-pie-stripped";
static char fixed_stripped[] = "fixture-fixed-stripped";

static char path[64];
/* the bias must not matter */
static struct result_object object = { .path = path, .bias = 0x7f0000000000 };
static struct result result = { .objects = &object, .nr_objects = 1 };
static struct symbols *symbols;

static struct addresses open_file(const char *fixture)
{
	struct addresses addresses = { 0 };
	FILE *output;

	snprintf(path, sizeof(path), "./%s", fixture);
	symbols = symbols_new(&result, NULL);
	assert_non_null(symbols);
	output = popen(path, "r");
	assert_non_null(output);
	assert_int_equal(fscanf(output, "%lx %lx %lx", &addresses.exported,
				&addresses.hidden, &addresses.sizeless), 3);
	pclose(output);
	return addresses;
}

FIXTURE(close_file)
{
	symbols_free(symbols);
	symbols = NULL;
	return 0;
}

/* @name: NULL: the function has no name */
static void assert_function(uint64_t address, uint64_t start, const char *name)
{
	struct function function;

	assert_int_equal(symbols_find(symbols, 0, address, &function), 1);
	assert_int_equal(function.start, start);
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
	const char *fixture = *state;
	struct addresses at = open_file(fixture);

	assert_function(at.exported, at.exported, "exported");
	assert_function(at.exported + 4, at.exported, "exported");
	assert_function(at.hidden, at.hidden, "hidden");
	assert_function(at.hidden + 20, at.hidden, "hidden");
	assert_function(at.sizeless, at.sizeless, "sizeless");
	assert_function(at.sizeless + 31, at.sizeless, "sizeless");
	assert_null(symbols_problem(symbols, 0));
	assert_int_equal(symbols_are_stripped(symbols, 0), 0);
}
TEST_OF(names_are_found, pie, NULL, close_file, pie)
TEST_OF(names_are_found, fixed, NULL, close_file, fixed)

static void symbols_without_size_end_at_the_next(void **state)
{
	struct addresses at = open_file(*state);
	struct function function;

	assert_int_equal(symbols_find(symbols, 0, at.sizeless + 8, &function), 1);
	assert_int_equal(function.start, at.sizeless);
	assert_int_equal(function.end, at.sizeless + 32);
}
TEST_OF(symbols_without_size_end_at_the_next, pie, NULL, close_file, pie)
TEST_OF(symbols_without_size_end_at_the_next, fixed, NULL, close_file, fixed)

static void stripped_functions_are_not_split(void **state)
{
	const char *fixture = *state;
	struct addresses at = open_file(fixture);
	struct function function;
	uint64_t address;

	assert_function(at.exported + 4, at.exported, "exported");
	/* several unwind rules, but one function */
	for (address = at.hidden; address < at.hidden + 48; address++)
		assert_function(address, at.hidden, NULL);
	/* without symbol and unwind entry, it must not belong to the function before it */
	assert_int_equal(symbols_find(symbols, 0, at.sizeless, &function), 0);
	/* only exported functions have names */
	assert_int_equal(symbols_are_stripped(symbols, 0), 1);
}
TEST_OF(stripped_functions_are_not_split, pie_stripped, NULL, close_file, pie_stripped)
TEST_OF(stripped_functions_are_not_split, fixed_stripped, NULL, close_file, fixed_stripped)

static int find_own_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

TEST_WITH(own_functions_are_found, NULL, close_file)
{
	struct function function;
	uint64_t here, bias;

	dl_iterate_phdr(find_own_bias, &bias);
	here = (uintptr_t)own_functions_are_found - bias;
	snprintf(path, sizeof(path), "/proc/self/exe");
	symbols = symbols_new(&result, NULL);
	assert_non_null(symbols);
	assert_int_equal(symbols_find(symbols, 0, here + 1, &function), 1);
	assert_int_equal(function.start, here);
	assert_memory_equal(function.name, "own_functions_are_found",
			    (size_t)function.length);
}

static void assert_unreadable(const char *name)
{
	struct function function;

	snprintf(path, sizeof(path), "%s", name);
	symbols = symbols_new(&result, NULL);
	assert_non_null(symbols);
	assert_int_equal(symbols_find(symbols, 0, 0x1000, &function), 0);
	assert_non_null(symbols_problem(symbols, 0));
	close_file(NULL);
}

TEST_WITH(unreadable_files_are_reported, NULL, close_file)
{
	assert_unreadable("./no such file");
	assert_unreadable("/");
	assert_unreadable("/dev/null");
	assert_unreadable("Makefile");
	/* elfutils reads what is in it, which may be a million times as long */
	assert_int_equal(system("gzip -c fixture-pie >zipped"), 0);
	assert_unreadable("./zipped");
	unlink("zipped");
	/* opening a FIFO without a writer would block */
	unlink("fifo");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_unreadable("./fifo");
	unlink("fifo");
}

/* Read the build-id of the file at @path. Return: its length in bytes. */
static size_t read_build_id(unsigned char *id, size_t room)
{
	const char *problem;
	int fd = objectfile_open(path, &problem);
	size_t bytes;
	Elf *elf;

	assert_true(fd >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(elf);
	bytes = objectfile_build_id(elf, id, room);
	elf_end(elf);
	close(fd);
	return bytes;
}

/* The file was replaced by another build, whose symbols are of other code. */
TEST_WITH(file_with_another_build_id_is_not_used, NULL, close_file)
{
	struct addresses at = open_file("fixture-pie");
	struct function function;

	close_file(NULL);
	object.build_id_bytes = read_build_id(object.build_id, sizeof(object.build_id));
	assert_int_equal(object.build_id_bytes, 20);
	symbols = symbols_new(&result, NULL);
	assert_function(at.exported, at.exported, "exported");
	assert_null(symbols_problem(symbols, 0));
	close_file(NULL);

	object.build_id[19] ^= 1;
	symbols = symbols_new(&result, NULL);
	assert_int_equal(symbols_find(symbols, 0, at.exported, &function), 0);
	assert_non_null(strstr(symbols_problem(symbols, 0), "build-id differs"));
	/* not all commands have this option */
	assert_null(strstr(symbols_problem(symbols, 0), "--root"));
	close_file(NULL);
	object.build_id[19] ^= 1;

	object.build_id_bytes = 19;
	symbols = symbols_new(&result, NULL);
	assert_int_equal(symbols_find(symbols, 0, at.exported, &function), 0);
	object.build_id_bytes = 0;
}

/* Without a build-id, size and time tell whether the file was replaced. */
TEST_WITH(modified_file_is_not_used, NULL, close_file)
{
	struct addresses at = open_file("fixture-pie");
	struct function function;
	struct stat info;
	char *here = realpath(".", NULL);

	assert_int_equal(stat("fixture-pie", &info), 0);
	close_file(NULL);
	object.file_bytes = (uint64_t)info.st_size;
	object.mtime_ns = time_stat_ns(&info.st_mtim);
	symbols = symbols_new(&result, NULL);
	assert_function(at.exported, at.exported, "exported");
	close_file(NULL);

	object.mtime_ns++;
	symbols = symbols_new(&result, NULL);
	assert_int_equal(symbols_find(symbols, 0, at.exported, &function), 0);
	assert_non_null(strstr(symbols_problem(symbols, 0), "has been modified"));
	close_file(NULL);
	/* a copy has another time */
	snprintf(path, sizeof(path), "/fixture-pie");
	symbols = symbols_new(&result, here);
	assert_function(at.exported, at.exported, "exported");
	close_file(NULL);

	object.file_bytes++;
	symbols = symbols_new(&result, here);
	assert_int_equal(symbols_find(symbols, 0, at.exported, &function), 0);
	object.file_bytes = 0;
	object.mtime_ns = 0;
	free(here);
}

/* Its addresses are offsets, and the file that is there now is another one. */
TEST_WITH(unread_file_has_no_names, NULL, close_file)
{
	struct addresses at = open_file("fixture-pie");
	struct function function;
	char *text;

	close_file(NULL);
	object.unread = true;
	symbols = symbols_new(&result, NULL);
	assert_int_equal(symbols_find(symbols, 0, at.exported, &function), 0);
	text = symbols_explain(symbols, 0, "--root");
	assert_non_null(strstr(text, "could not be read while"));
	/* which would not help */
	assert_null(strstr(text, "--root"));
	free(text);
	object.unread = false;
}

/* Make a file whose symbols are only in .gnu_debugdata, which has what @contents prints. */
static void make_compressed(const char *contents)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "objcopy -S fixture-pie packed && { %s; } >packed.data && objcopy --add-section "
		 ".gnu_debugdata=packed.data packed && rm packed.data", contents);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "./packed");
	symbols = symbols_new(&result, NULL);
}

static void assert_explained(const struct addresses *at)
{
	char *text;

	assert_function(at->hidden, at->hidden, NULL);
	text = symbols_explain(symbols, 0, NULL);
	assert_non_null(text);
	assert_non_null(strstr(text, ".gnu_debugdata could not be read"));
	free(text);
	close_file(NULL);
}

TEST_WITH(symbols_may_be_compressed, NULL, close_file)
{
	static const char pack[] = "{ cat fixture-pie; head -c 64M /dev/zero; } | xz";
	struct addresses at = open_file("fixture-pie");
	struct rlimit before, limit;
	long pages;
	FILE *statm;

	close_file(NULL);
	if (system("command -v xz >/dev/null"))
		skip();
	make_compressed(pack);
	assert_function(at.hidden, at.hidden, "hidden");
	assert_null(symbols_explain(symbols, 0, NULL));
	close_file(NULL);
	make_compressed("echo damaged");
	assert_explained(&at);
	/* what is in it takes too much memory */
	make_compressed(pack);
	statm = fopen("/proc/self/statm", "r");
	assert_int_equal(fscanf(statm, "%ld", &pages), 1);
	fclose(statm);
	getrlimit(RLIMIT_AS, &before);
	limit = before;
	limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (32 << 20);
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	assert_explained(&at);
	setrlimit(RLIMIT_AS, &before);
	unlink("packed");
}

TEST_WITH(files_are_found_below_a_root, NULL, close_file)
{
	struct addresses at = open_file("fixture-pie");
	char *here = realpath(".", NULL);

	close_file(NULL);
	snprintf(path, sizeof(path), "/fixture-pie");
	symbols = symbols_new(&result, here);
	assert_function(at.exported, at.exported, "exported");
	close_file(NULL);
	/* an object that was loaded by a relative path */
	snprintf(path, sizeof(path), "fixture-pie");
	symbols = symbols_new(&result, here);
	assert_function(at.exported, at.exported, "exported");
	close_file(NULL);
	free(here);
	assert_unreadable("/fixture-pie");
}

#define MANY	4000

/* More objects than descriptors: files are closed, but the names of functions stay valid. */
TEST_WITH(thousands_of_objects, NULL, close_file)
{
	static struct result_object objects[MANY];
	struct result many = { .objects = objects, .nr_objects = MANY };
	struct addresses at = open_file("fixture-pie");
	struct rlimit before, few = { 64, 64 };
	const char *first = NULL;
	struct function function;
	struct source_line line;
	size_t some = 0, i;

	close_file(NULL);
	for (i = 0; i < MANY; i++)
		objects[i].path = path;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	symbols = symbols_new(&many, NULL);
	for (i = 0; i < MANY; i++) {
		if (symbols_find(symbols, i, at.exported, &function) != 1)
			fail_msg("object %zu: %s", i, symbols_problem(symbols, i));
		assert_int_equal(symbols_line(symbols, i, at.exported, &line), 1);
		if (!first)
			first = function.name;
		assert_memory_equal(first, "exported", 8);
		/* memory does not grow with the number of objects */
		if (i == MANY / 4)
			some = mallinfo2().uordblks;
	}
	assert_true(mallinfo2().uordblks <= some + some / 4);
	setrlimit(RLIMIT_NOFILE, &before);
}

/* Files truncated at any offset. Valgrind shows whether memory is used correctly. */
TEST_WITH(truncated_files, NULL, close_file)
{
	static char bytes[1 << 16];
	struct function function;
	size_t size, cut;
	FILE *file;

	file = fopen("fixture-pie", "r");
	assert_non_null(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	for (cut = 0; cut < size; cut += 997) {
		uint64_t address;

		file = fopen("cut", "w");
		assert_non_null(file);
		assert_int_equal(fwrite(bytes, 1, cut, file), cut);
		fclose(file);
		snprintf(path, sizeof(path), "./cut");
		symbols = symbols_new(&result, NULL);
		assert_non_null(symbols);
		for (address = 0; address < 0x5000; address += 64)
			symbols_find(symbols, 0, address, &function);
		close_file(NULL);
	}
	unlink("cut");
}
