// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which symbols name code: names of all forms and types, labels in assembler, files without
 * section headers, and stripped Go programs.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <symbol/symbols.h>

#include "support/test.h"

static char path[64];
static struct result_object object = { .path = path };
static struct result result = { .objects = &object, .nr_objects = 1 };
static struct symbols *symbols;

static void open_file(const char *file)
{
	snprintf(path, sizeof(path), "./%s", file);
	symbols_free(symbols);
	symbols = symbols_new(&result, NULL);
	assert_non_null(symbols);
}

FIXTURE(close_file)
{
	symbols_free(symbols);
	symbols = NULL;
	return 0;
}

/* The address that a command prints, a line of nm or readelf that begins with it */
static uint64_t read_address(const char *command)
{
	FILE *output = popen(command, "r");
	unsigned long address;

	assert_non_null(output);
	if (fscanf(output, "%lx", &address) != 1)
		fail_msg("no address: %s", command);
	pclose(output);
	return address;
}

static uint64_t address_of(const char *file, const char *symbol)
{
	char command[256];

	snprintf(command, sizeof(command), "nm %s | grep -F ' %s' | grep -E ' [tTdD] [^ ]{%zu}$'",
		 file, symbol, strlen(symbol));
	return read_address(command);
}

/* @name: NULL: no function; "": a function without a name */
static void assert_name(uint64_t address, const char *name)
{
	struct function function;
	int found = symbols_find(symbols, 0, address, &function);

	if (!name) {
		assert_int_equal(found, 0);
		return;
	}
	if (found != 1)
		fail_msg("no function at 0x%lx, expected %s: %s", (unsigned long)address, name,
			 symbols_problem(symbols, 0));
	if (!*name) {
		assert_null(function.name);
		return;
	}
	if (!function.name || function.length != (int)strlen(name) ||
	    memcmp(function.name, name, strlen(name)))
		fail_msg("0x%lx is in %.*s, expected %s", (unsigned long)address,
			 function.length, function.name, name);
}

/* The symbol @at of fixture-names, and the code after it, are in the function @name. */
static void assert_label(const char *at, const char *name)
{
	const uint64_t address = address_of("fixture-names", at);

	assert_name(address, name);
	assert_name(address + 4, name);
}

TEST_WITH(any_characters_may_begin_a_name, NULL, close_file)
{
	open_file("fixture-names");
	assert_label(".omp_outlined.", ".omp_outlined.");
	assert_label("$dollar", "$dollar");
}

TEST_WITH(data_is_no_function, NULL, close_file)
{
	open_file("fixture-names");
	assert_label("no_code", NULL);
}

TEST_WITH(labels_belong_to_functions, NULL, close_file)
{
	open_file("fixture-names");
	assert_label("in_sized", "sized");
	assert_label("no_cfi", "no_cfi");
	assert_label("in_no_cfi", "no_cfi");
	assert_label(".Lin_no_cfi", "no_cfi");
	assert_label("no_cfi.tail", "no_cfi");
	assert_label("next_global", "next_global");
}

/* As in a library in assembler that has lost its symbol table */
TEST_WITH(labels_without_a_known_end_have_4_KiB, NULL, close_file)
{
	const uint64_t start = address_of("fixture-names", "no_end");
	const uint64_t with_cfi = address_of("fixture-names", "with_cfi");

	open_file("fixture-names");
	assert_name(start + 4095, "no_end");
	/* after the last label that belongs to it */
	assert_name(start + 4000 + 4095, "no_end");
	assert_name(start + 4000 + 4096, NULL);
	assert_name(with_cfi - 1, NULL);
	/* unwind information has the end */
	assert_name(with_cfi, "with_cfi");
	assert_name(with_cfi + 9999, "with_cfi");
	assert_name(with_cfi + 10000, "after_cfi");
}

TEST_WITH(labels_with_the_name_of_a_function_belong_to_it, NULL, close_file)
{
	open_file("fixture-names");
	assert_label("nasm.loop", "nasm");
	/* for jumps; it is no function even after a label without a type */
	assert_label(".Lin_nasm", "nasm");
	assert_label("local", "local");
	assert_label("local.loop", "local");
}

TEST_WITH(labels_in_unwind_information_belong_to_its_function, NULL, close_file)
{
	open_file("fixture-names");
	assert_label("in_cfi", "cfi");
	assert_label("in_cfi_global", "cfi");
	/* it has the type of a function */
	assert_label("entry", "entry");
}

TEST_WITH(symbols_of_data_types_name_code, NULL, close_file)
{
	open_file("fixture-names");
	assert_label("object", "object");
	assert_label("object_no_size", "object_no_size");
	assert_label("in_object_no_size", "object_no_size");
	assert_label("data", "data");
	assert_label("after_data.label", "around_data");
}

/* Copy a file, and write a number of 2 bytes into the copy. */
static void copy_changed(const char *from, const char *to, long offset, uint16_t number)
{
	char command[128];
	FILE *file;

	snprintf(command, sizeof(command), "cp %s %s", from, to);
	assert_int_equal(system(command), 0);
	file = fopen(to, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, offset, SEEK_SET), 0);
	assert_int_equal(fwrite(&number, sizeof(number), 1, file), 1);
	fclose(file);
}

TEST_WITH(mapping_symbols_depend_on_the_machine, NULL, close_file)
{
	static const struct {
		uint16_t machine;
		bool is_mapping;
	} cases[] = {
		{ EM_X86_64, false }, { EM_ARM, true }, { EM_AARCH64, true }, { EM_RISCV, true },
		{ EM_CSKY, true }, { EM_S390, false },
	};
	const uint64_t address = address_of("fixture-names", "$d");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		copy_changed("fixture-names", "changed", offsetof(ElfW(Ehdr), e_machine),
			     cases[i].machine);
		open_file("changed");
		assert_name(address, cases[i].is_mapping ? NULL : "$d");
		/* functions are no marks */
		assert_label("$dollar", "$dollar");
	}
	unlink("changed");
}

TEST_WITH(clang_names_parallel_regions, NULL, close_file)
{
	if (access("fixture-omp", F_OK)) {
		print_message("no clang: scripts/deps/install check\n");
		skip();
	}
	open_file("fixture-omp");
	assert_name(address_of("fixture-omp", ".omp_outlined.") + 1, ".omp_outlined.");
}

/* Make a copy without section headers, which ends with the last segment, as by sstrip. */
static void remove_sections(const char *from, const char *to)
{
	static char bytes[1 << 21];
	ElfW(Ehdr) *header = (void *)bytes;
	const ElfW(Phdr) *segments;
	size_t end = 0, i;
	FILE *file;

	file = fopen(from, "r");
	assert_non_null(file);
	assert_in_range(fread(bytes, 1, sizeof(bytes), file), sizeof(*header), sizeof(bytes) - 1);
	fclose(file);
	segments = (const void *)(bytes + header->e_phoff);
	for (i = 0; i < header->e_phnum; i++)
		if (end < segments[i].p_offset + segments[i].p_filesz)
			end = segments[i].p_offset + segments[i].p_filesz;
	header->e_shoff = 0;
	header->e_shnum = 0;
	header->e_shstrndx = 0;
	file = fopen(to, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, end, file), end);
	fclose(file);
}

TEST_WITH(files_without_section_headers_have_functions, NULL, close_file)
{
	const uint64_t exported = address_of("fixture-pie", "exported");
	const uint64_t hidden = address_of("fixture-pie", "hidden");
	struct function function;

	remove_sections("fixture-pie", "changed");
	open_file("changed");
	assert_name(exported + 1, "exported");
	/* it is not exported, but has unwind information */
	assert_name(hidden + 1, "");
	assert_int_equal(symbols_find(symbols, 0, hidden + 1, &function), 1);
	assert_int_equal(function.start, hidden);
	assert_name(address_of("fixture-pie", "sizeless"), NULL);
	unlink("changed");
}

static void assert_go(const char *file, uint64_t hot, uint64_t assembler)
{
	struct function function;

	open_file(file);
	assert_int_equal(symbols_are_stripped(symbols, 0), strcmp(file, "changed") == 0);
	assert_name(hot, "main.hot");
	assert_name(assembler + 4, "runtime.memmove");
	assert_int_equal(symbols_find(symbols, 0, hot + 1, &function), 1);
	assert_int_equal(function.start, hot);
	assert_in_range(function.end, hot + 16, hot + 128);
}

/* Go's linker makes a section for the table of functions; others merge it, or are not static. */
TEST_WITH(stripped_go_programs_have_functions, NULL, close_file)
{
	static const char *const files[] = { "fixture-go", "fixture-go-pie", "fixture-go-external" };
	char command[128];
	size_t i;

	if (access("fixture-go", F_OK)) {
		print_message("no go: scripts/deps/install check\n");
		skip();
	}
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		const uint64_t hot = address_of(files[i], "main.hot");
		const uint64_t assembler = address_of(files[i], "runtime.memmove");

		assert_go(files[i], hot, assembler);
		snprintf(command, sizeof(command), "objcopy --strip-all %s changed", files[i]);
		assert_int_equal(system(command), 0);
		assert_go("changed", hot, assembler);
		remove_sections(files[i], "changed");
		assert_go("changed", hot, assembler);
	}
	unlink("changed");
}
