// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source lines of addresses in real ELF files: the profile by line, and the annotated source.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <report/annotate.h>
#include <profile/profile.h>
#include <symbol/demangle.h>
#include <symbol/lines.h>

#include "support/cpu_limit.h"
#include "support/test.h"

static char path[64];
static struct result_count counts[64];
static struct result_object object = { .path = path, .counts = counts };
static struct result result = {
	.objects = &object, .nr_objects = 1,
};
static struct symbols *symbols;
static struct lines *lines;
static char *text;
static unsigned long exported, hidden, sizeless, written, last;

static int open_fixture(const char *name)
{
	FILE *output;
	int read;

	snprintf(path, sizeof(path), "./%s", name);
	output = popen(path, "r");
	read = fscanf(output, "%lx %lx %lx %lx %lx", &exported, &hidden, &sizeless, &written,
		      &last);
	pclose(output);
	object.start = 0;
	object.end = 1 << 20;
	object.nr_counts = 0;
	object.samples = 0;
	symbols = symbols_new(&result, NULL);
	lines = lines_new(symbols, symbols_find, symbols, demangle);
	return read == 5 && symbols && lines ? 0 : -1;
}

FIXTURE(set_up)
{
	return open_fixture("fixture-pie");
}

FIXTURE(set_up_relative)
{
	return open_fixture("fixture-relative");
}

/* The program has the line table, a .dwo file all other debug information. */
FIXTURE(set_up_split)
{
	return open_fixture("fixture-split");
}

FIXTURE(set_up_mixed)
{
	return open_fixture("fixture-mixed");
}

/* Its paths are relative to the directory in which it was compiled. */
FIXTURE(set_up_dwarf4)
{
	return open_fixture("fixture-dwarf4");
}

static void tear_down_text(void)
{
	free(text);
	text = NULL;
}

FIXTURE(tear_down)
{
	lines_free(lines);
	symbols_free(symbols);
	tear_down_text();
	return 0;
}

static void count(uint64_t address, uint64_t samples)
{
	counts[object.nr_counts++] = (struct result_count){ address, samples };
	object.samples += samples;
}

/* Number of the first line of fixture.c that contains @part */
static int line_of(const char *part)
{
	FILE *source = fopen("support/fixture.c", "r");
	char line[256];
	int number = 0;

	assert_non_null(source);
	while (fgets(line, sizeof(line), source)) {
		number++;
		if (strstr(line, part)) {
			fclose(source);
			return number;
		}
	}
	fail_msg("no line of fixture.c has %s", part);
	return 0;
}

TEST_F(lines_match_the_source)
{
	struct source_line line;

	assert_int_equal(symbols_line(symbols, 0, exported, &line), 1);
	/* the start of a function is the line of its opening brace */
	assert_int_equal(line.line, line_of("inlined(hidden(n))") - 1);
	assert_non_null(strstr(line.file, "fixture.c"));
	/* assembler code has no lines */
	assert_int_equal(symbols_line(symbols, 0, sizeless, &line), 0);
}
TEST_OF(lines_match_the_source, split, set_up_split, tear_down, NULL)
TEST_OF(lines_match_the_source, mixed, set_up_mixed, tear_down, NULL)

/* The compiler ran in another directory, on "../fixture.c". */
TEST_WITH(relative_paths_begin_in_the_compilers_directory, set_up_dwarf4, tear_down)
{
	struct source_line line;

	assert_int_equal(symbols_line(symbols, 0, exported, &line), 1);
	assert_int_equal(line.file[0], '/');
	assert_int_equal(access(line.file, R_OK), 0);
}

TEST_F(samples_add_up_by_line)
{
	uint64_t all = 0, address;
	struct profile profile;
	char name[64];
	size_t i;

	for (address = hidden; address < hidden + 48; address += 4)
		count(address, 1);
	count(sizeless, 3);
	assert_int_equal(profile_make(&profile, &result, lines_find, lines), 0);
	/* a loop of three lines, each compiled to several pieces of code */
	assert_in_range(profile.nr_rows, 3, 8);
	for (i = 0; i < profile.nr_rows; i++) {
		if (strcmp(profile.rows[i].function, "sizeless"))
			assert_memory_equal(profile.rows[i].function, "fixture.c:", 10);
		else
			assert_int_equal(profile.rows[i].samples, 3);
		all += profile.rows[i].samples;
	}
	assert_int_equal(all, 15);
	snprintf(name, sizeof(name), "fixture.c:%d (hidden)", line_of("sum += rand()"));
	for (i = 0; i < profile.nr_rows; i++)
		if (!strcmp(profile.rows[i].function, name))
			break;
	assert_true(i < profile.nr_rows);
	assert_true(profile.rows[i].samples > 1);
	profile_release(&profile);
}

static long annotate(const char *function, const char *root)
{
	const struct annotate_options options = { .function = function, .root = root };
	size_t size;
	FILE *out = open_memstream(&text, &size);
	long nr = annotate_print(out, &result, symbols, &options);

	fclose(out);
	return nr;
}

static void assert_has(const char *part)
{
	if (!strstr(text, part))
		fail_msg("not in the annotation: %s\n%s", part, text);
}

TEST_F(functions_have_several_names)
{
	count(written, 5);
	assert_int_equal(annotate("written(int)", NULL), 1);
	assert_has("# 5 of 5 samples are in written(int)\n");
	tear_down_text();
	assert_int_equal(annotate("written", NULL), 1);
	tear_down_text();
	assert_int_equal(annotate("_Z7writteni", NULL), 1);
	tear_down_text();
	assert_int_equal(annotate("writ", NULL), 0);
	tear_down_text();
	assert_int_equal(annotate("written(", NULL), 0);
}

/* An address in exported() that has a line */
static uint64_t address_of_line(int number)
{
	struct source_line line;
	uint64_t address = exported;

	while (symbols_line(symbols, 0, address, &line) != 1 || line.line != number)
		assert_true(++address < exported + 256);
	return address;
}

TEST_F(source_is_printed_with_its_samples)
{
	const int body = line_of("inlined(hidden(n))"), inlined = line_of("n >> 3");
	char line[512];

	count(hidden, 10);
	count(exported, 25);
	count(address_of_line(inlined), 5);
	assert_int_equal(annotate("exported", NULL), 1);
	assert_has("# 30 of 40 samples are in exported\n");
	/* each with some context, but not the function in between */
	snprintf(line, sizeof(line),
		 "    12.50         5             5 %6d          return (n ^ n >> 3) * 7;\n"
		 "%34s%6d  }\n"
		 "%34s%6d  \n"
		 "%34s%6d  static int __attribute__((noinline)) hidden(int n)\n"
		 "%34s%6d  {\n"
		 "%42s...\n"
		 "%34s%6d          return sum + puts(\"\");\n"
		 "%34s%6d  }\n", inlined, "", inlined + 1, "", inlined + 2, "", inlined + 3, "",
		 inlined + 4, "", "", body - 5, "", body - 4);
	assert_has(line);
	/* the line of the call has the samples of what is inlined there */
	snprintf(line, sizeof(line), "    62.50        25            25 %6d  {\n"
		 "     0.00         0             5 %6d"
		 "          return inlined(hidden(n)) * 5 + rand();\n"
		 "%34s%6d  }\n"
		 "%34s%6d  \n", body - 1, body, "", body + 1, "", body + 2);
	assert_has(line);
	/* the context ends */
	if (strstr(text, "sum +=") || strstr(text, "exported(n) ^ rand()"))
		fail_msg("lines far from samples\n%s", text);
}

/* Put fixture.c below ./sysroot, at the path that the debug information has, through a filter. */
static void make_source(const char *filter)
{
	struct source_line line;
	char command[1024];

	assert_int_equal(symbols_line(symbols, 0, exported, &line), 1);
	snprintf(command, sizeof(command),
		 "file='sysroot%s'; mkdir -p \"${file%%/*}\" && %s support/fixture.c >\"$file\"",
		 line.file, filter);
	assert_int_equal(system(command), 0);
}

static int remove_source(void **state)
{
	int status = system("rm -rf sysroot");

	return tear_down(state) | status;
}

TEST_WITH(source_has_no_control_characters, set_up, remove_source)
{
	count(exported, 30);
	make_source("sed 's/inlined(hidden/\xc2\x9b\x1b&/'");
	assert_int_equal(annotate("exported", "sysroot"), 1);
	assert_has("          return \\302\\233\\033inlined(hidden(n)) * 5 + rand();\n");
}

/* Reproducible builds have relative paths. */
TEST_WITH(relative_source_is_below_the_root, set_up_relative, remove_source)
{
	count(exported, 30);
	assert_int_equal(system("mkdir -p sysroot/src && cp support/fixture.c sysroot/src"), 0);
	assert_int_equal(annotate("exported", "sysroot"), 1);
	assert_has("# src/fixture.c\n");
	assert_has("          return inlined(hidden(n)) * 5 + rand();\n");
}

TEST_F(largest_line_number)
{
	count(last, 30);
	/* if the line number overflows, the loop does not end */
	cpu_limit(10);
	assert_int_equal(annotate("last", "/nonexistent"), 1);
	cpu_limit(0);
	assert_has("   100.00        30 2147483647  \n");
}

/* Compilers generate code that belongs to no line; that of clang says so. */
TEST_F(code_of_no_line)
{
	struct function function;
	struct source_line line;
	uint64_t address = 0;

	if (access("fixture-inline-clang", F_OK)) {
		print_message("no clang++\n");
		skip();
	}
	tear_down(NULL);
	strcpy(path, "./fixture-inline-clang");
	symbols = symbols_new(&result, NULL);
	lines = lines_new(symbols, symbols_find, symbols, demangle);
	while (symbols_line(symbols, 0, address, &line) != 1 || line.line ||
	       !strstr(line.file, "fixture_inline.cc"))
		assert_true(++address < object.end);
	assert_int_equal(lines_find(lines, 0, address, &function), 1);
	assert_memory_equal(function.name, "fixture_inline.cc:? (", 21);
	count(address, 30);
	assert_int_equal(symbols_find(symbols, 0, address, &function), 1);
	assert_int_equal(annotate(function.name, NULL), 1);
	assert_has("fixture_inline.cc\n   100.00        30      ?  (no line)\n");
}

TEST_F(missing_source_is_reported)
{
	char line[128];

	count(exported, 30);
	assert_int_equal(annotate("exported", "/nonexistent"), 1);
	assert_has("fixture.c: No such file or directory: no source text (use --root");
	snprintf(line, sizeof(line), "   100.00        30 %6d  \n",
		 line_of("inlined(hidden(n))") - 1);
	assert_has(line);
}

/* The file may end near the line with samples, far before it, or in the context after it. */
TEST_WITH(shortened_source_is_reported, set_up, remove_source)
{
	int sampled = line_of("inlined(hidden(n))") - 1;
	char filter[64], note[64];

	count(exported, 30);
	snprintf(filter, sizeof(filter), "head -n %d", sampled - 1);
	make_source(filter);
	assert_int_equal(annotate("exported", "sysroot"), 1);
	snprintf(note, sizeof(note), "# the file ends before line %d, so it is not the one", sampled);
	assert_has(note);
	assert_null(strstr(strstr(text, note) + 1, "# the file ends"));
	snprintf(note, sizeof(note), " 100.00        30 %6d  \n", sampled);
	assert_has(note);
	tear_down_text();

	make_source("head -n 1");
	assert_int_equal(annotate("exported", "sysroot"), 1);
	assert_has("# the file ends before line 2, ");
	tear_down_text();

	snprintf(filter, sizeof(filter), "head -n %d", sampled + 1);
	make_source(filter);
	assert_int_equal(annotate("exported", "sysroot"), 1);
	if (strstr(text, "# the file ends"))
		fail_msg("the file has all lines that are printed\n%s", text);
}

TEST_F(function_without_lines_is_reported)
{
	count(sizeless, 7);
	assert_int_equal(annotate("sizeless", NULL), 1);
	assert_has("# 7 of 7 samples are in sizeless\n# 7 of them have no known line");
	tear_down(NULL);
	set_up(NULL);
	assert_int_equal(annotate("exported", NULL), 0);
	assert_string_equal(text, "");
}

/* Make a program from fixture-pie, with a command that gets both names at its end, and open it. */
static void open_made(const char *command)
{
	char whole[256];

	tear_down(NULL);
	snprintf(whole, sizeof(whole), "%s fixture-pie fixture-made 2>/dev/null", command);
	if (system(whole))
		skip();
	assert_int_equal(open_fixture("fixture-made"), 0);
}

static int remove_made(void **state)
{
	unlink("fixture-made");
	return tear_down(state);
}

/* Return: whether there is a line. If there is none, @why is in the explanation, and a remedy. */
static bool line_or_explanation(const char *why)
{
	struct source_line line;
	char *explanation;
	int found;

	count(exported, 30);
	found = symbols_line(symbols, 0, exported, &line);
	explanation = symbols_explain_lines(symbols, 0);
	if (!why || found) {
		assert_null(explanation);
		return found;
	}
	assert_non_null(explanation);
	if (!strstr(explanation, why))
		fail_msg("not '%s': %s", why, explanation);
	free(explanation);
	assert_int_equal(annotate("exported", NULL), 1);
	assert_has("# 30 of them have no known line\n# ");
	assert_has(why);
	return false;
}

TEST_WITH(compression_that_cannot_be_read_is_reported, set_up, remove_made)
{
	open_made("objcopy --compress-debug-sections=zlib");
	assert_true(line_or_explanation(NULL));
	/* elfutils reads it from 0.189 on, if it was built so; binutils writes it from 2.40 on */
	open_made("objcopy --compress-debug-sections=zstd");
	line_or_explanation("compressed with zstd, which");
}

TEST_WITH(damaged_debug_information_is_reported, set_up, remove_made)
{
	open_made("head -c 64 /dev/zero | tr '\\0' '\\377' >bad-section; objcopy --update-section .debug_info=bad-section");
	assert_false(line_or_explanation("invalid DWARF"));
	open_made("objcopy --update-section .debug_line=bad-section");
	assert_false(line_or_explanation("invalid"));
	unlink("bad-section");
}

TEST_WITH(missing_debug_information_is_no_problem, set_up, remove_made)
{
	open_made("objcopy --strip-debug");
	assert_false(line_or_explanation(NULL));
	assert_int_equal(annotate("exported", NULL), 1);
	assert_has("# 30 of them have no known line: compile with -g");
}
