// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inlined functions, compared with addr2line of binutils at all addresses of code that compilers
 * made. These differences are accepted:
 *
 *	- addr2line prints the name of any symbol below an address, also if there is no function.
 *	- In C++, if the innermost function has no linkage name, addr2line prints the symbol of the
 *	  code instead, which is that of the outermost function.
 *	- The name of the function that has the code is that of the symbol: with a suffix for a part
 *	  or a copy of a function, with the linkage name if the debug information lacks it, and if
 *	  the compiler merged functions with the same code, the name of another one.
 *
 * addr2line 2.40 reads neither split debug information nor the ranges that clang writes in DWARF 5.
 * So these programs are compared with others that have the same code, and other debug information.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <symbol/symbols.h>
#include <util/folded.h>

#include "support/cpu_limit.h"
#include "support/test.h"

static char path[64];
static struct result_object object = { .path = path };
static struct result result = { .objects = &object, .nr_objects = 1 };

/* Open a fixture. Skips the test if its compiler is missing. */
static struct symbols *open_fixture(const char *name)
{
	struct symbols *symbols;

	if (access(name, F_OK)) {
		print_message("%s: no compiler\n", name);
		skip();
	}
	snprintf(path, sizeof(path), "./%s", name);
	symbols = symbols_new(&result, NULL);
	assert_non_null(symbols);
	return symbols;
}

/* Where the section .text of a file is */
static void find_text(const char *name, uint64_t *start, uint64_t *end)
{
	unsigned long address, bytes;
	char command[256];
	FILE *output;

	snprintf(command, sizeof(command),
		 "readelf -SW %s | sed -n 's/.* \\.text *PROGBITS *//p'", name);
	output = popen(command, "r");
	assert_non_null(output);
	assert_int_equal(fscanf(output, "%lx %*x %lx", &address, &bytes), 2);
	pclose(output);
	*start = address;
	*end = address + bytes;
}

/* A line of addr2line's output without its newline */
static char *read_line(FILE *output, char *line, size_t room)
{
	if (!fgets(line, (int)room, output))
		return NULL;
	line[strcspn(line, "\n")] = 0;
	return line;
}

static void print_frame(char *text, size_t room, const struct source_frame *frame)
{
	char number[16] = "?";

	if (frame->line)
		snprintf(number, sizeof(number), "%d", frame->line);
	snprintf(text, room, "%s:%s", frame->file ? frame->file : "??", number);
}

/* @symbol: the name is from the symbol table, and may be several of folded functions */
static bool is_same_name(const char *theirs, const char *ours, bool symbol)
{
	const char *rest = symbol ? ours : NULL, *name;
	const size_t length = strlen(theirs);
	size_t bytes;

	if (!ours)
		return !strcmp(theirs, "??");
	while ((name = folded_next(&rest, &bytes)))
		if (bytes >= length && !strncmp(theirs, name, length) &&
		    (bytes == length || name[length] == '.'))
			return true;
	return !strcmp(theirs, ours);
}

/* Whether two symbols have the same address. The last answer is kept: they are of one function. */
static bool is_alias(const char *a, const char *b)
{
	static char *last;
	static bool is_same;
	char *command;

	assert_int_not_equal(asprintf(&command, "nm %s | awk '$3 == \"%s\" { a = $1 } $3 == \"%s\" { b = $1 } END { exit !a || a != b }'",
				      path, a, b), -1);
	if (!last || strcmp(command, last))
		is_same = !system(command);
	free(last);
	last = command;
	return is_same;
}

/* Whether a mangled name has a plain one, perhaps with the arguments of a template, inside. */
static bool has_plain_name(const char *mangled, const char *name)
{
	char plain[256];

	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(name, "<"), name);
	return strstr(mangled, plain);
}

static bool is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2);
}

/* Whether a name from addr2line is that of the frame @i. */
static bool has_name(const struct source_frame *frames, size_t nr, size_t i, const char *name)
{
	const char *ours = frames[i].function;
	const bool is_last = i == nr - 1;

	if (is_same_name(name, ours, is_last))
		return true;
	if (!ours)
		return is_last && !i;
	/* the symbol instead of a plain name */
	if (!i && !is_last && !is_mangled(ours))
		return is_same_name(name, frames[nr - 1].function, true);
	return is_last && is_mangled(ours) &&
	       (is_mangled(name) ? is_alias(name, ours) : has_plain_name(ours, name));
}

/* Whether the frame @i has a name and a place from addr2line. */
static bool is_same(const struct source_frame *frames, size_t nr, size_t i, const char *name,
		    const char *place)
{
	char text[1024];

	print_frame(text, sizeof(text), &frames[i]);
	return !strcmp(text, place) && has_name(frames, nr, i, name);
}

/* What addr2line prints for a function */
struct theirs {
	char name[4096];
	char place[4096];
};

struct comparison {
	struct symbols *symbols;
	FILE *output;		/* of addr2line */
	char next[4096];	/* the line to be read next, the first one of an address */
	size_t nr_inlined;	/* addresses with inlined functions */
	size_t nr_same;		/* addresses that were compared */
	size_t nr_zero;		/* of these, with a file but no line */
	size_t nr_deep;		/* addresses with more functions than are found */
};

static void fail_at(uint64_t address, const struct source_frame *frames, size_t nr, size_t i,
		    const struct theirs *theirs)
{
	char text[1024] = "nothing";

	if (i < nr)
		print_frame(text, sizeof(text), &frames[i]);
	fail_msg("%s 0x%lx: frame %zu of %zu is %s at %s, but %s at %s for addr2line", path,
		 (unsigned long)address, i, nr,
		 i < nr && frames[i].function ? frames[i].function : "??", text, theirs->name,
		 theirs->place);
}

/* Read what addr2line prints for an address. Return: the number of functions. */
static size_t read_address(struct comparison *comparison, struct theirs *theirs, size_t room)
{
	size_t nr;

	for (nr = 0; nr < room; nr++) {
		char *name = theirs[nr].name, *place = theirs[nr].place, *space;

		if (!read_line(comparison->output, name, sizeof(theirs->name)))
			return nr;
		if (!strncmp(name, "0x", 2)) {
			strcpy(comparison->next, name);
			return nr;
		}
		assert_non_null(read_line(comparison->output, place, sizeof(theirs->place)));
		space = strstr(place, " (discriminator");
		if (space)
			*space = 0;
	}
	fail_msg("more than %zu functions", room);
	return 0;
}

/* Compare all frames at an address. */
static void compare(struct comparison *comparison, uint64_t address)
{
	static struct theirs theirs[100];
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr, all, i;
	int found = symbols_frames(comparison->symbols, 0, address, frames, &nr);

	assert_in_range(found, 0, 1);
	assert_int_equal(!found, !nr);
	assert_int_equal(strtoull(comparison->next, NULL, 16), address);
	all = read_address(comparison, theirs, ARRAY_SIZE(theirs));
	if (!nr) {
		/* only the file of the symbol, without its directory */
		assert_int_equal(all, 1);
		if (strcmp(theirs[0].place, "??:0") &&
		    (theirs[0].place[0] == '/' || !strstr(theirs[0].place, ":?")))
			fail_at(address, frames, nr, 0, &theirs[0]);
		return;
	}
	if (all > nr && nr == SYMBOLS_MAX_FRAMES) {
		/* those next to the last one are left out */
		theirs[nr - 1] = theirs[all - 1];
		all = nr;
		comparison->nr_deep++;
	}
	for (i = 0; i < all; i++)
		if (i >= nr || !is_same(frames, nr, i, theirs[i].name, theirs[i].place))
			fail_at(address, frames, nr, i, &theirs[i]);
	assert_int_equal(all, nr);
	comparison->nr_inlined += nr > 1;
	comparison->nr_same += nr > 0;
	comparison->nr_zero += nr && frames[0].file && !frames[0].line;
}

/* Compare each address of .text, or each @step-th, with addr2line. */
static void compare_all(const char *name, uint64_t step, struct comparison *comparison)
{
	uint64_t start, end, address;
	char command[256];

	*comparison = (struct comparison){ .symbols = open_fixture(name) };
	find_text(name, &start, &end);
	snprintf(command, sizeof(command),
		 "seq -f %%.0f %lu %lu %lu | xargs printf '%%x\\n' | addr2line -a -i -f -e %s",
		 (unsigned long)start, (unsigned long)step, (unsigned long)end - 1, name);
	comparison->output = popen(command, "r");
	assert_non_null(comparison->output);
	assert_non_null(read_line(comparison->output, comparison->next, sizeof(comparison->next)));
	for (address = start; address < end; address += step)
		compare(comparison, address);
	pclose(comparison->output);
	symbols_free(comparison->symbols);
}

static const struct {
	const char *about;
} compared[] = {
	{ "fixture-inline-c" }, { "fixture-inline-c-4z" }, { "fixture-inline-c-lto" },
	{ "fixture-inline-c++" }, { "fixture-inline-c++-4" }, { "fixture-inline-clang" },
	{ "fixture-inline-clang-thin" }, { "fixture-inline-rust" },
};

TEST_EACH(functions_are_those_of_addr2line, compared, NULL, NULL)
{
	struct comparison comparison;
	const char *name = *(const char *const *)*state;

	compare_all(name, strcmp(name, "fixture-inline-rust") ? 1 : 7, &comparison);
	/* clang generates code that belongs to no line */
	if (strstr(name, "clang"))
		assert_true(comparison.nr_zero > 0);
	if (strstr(name, "c++") || strstr(name, "clang"))
		assert_true(comparison.nr_deep > 0);
	/* most of the code is covered, and much of it is inlined */
	assert_true(comparison.nr_same > 200);
	assert_true(comparison.nr_inlined > comparison.nr_same / 10);
}

static bool is_equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void compare_programs(const char *name, const char *other)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES], others[SYMBOLS_MAX_FRAMES];
	struct symbols *symbols, *other_symbols;
	size_t nr, other_nr, nr_inlined = 0, i;
	uint64_t start, end, address;
	char command[256];

	other_symbols = open_fixture(other);
	symbols = open_fixture(name);
	/* both were given the same path, so open the other file now */
	snprintf(path, sizeof(path), "./%s", other);
	snprintf(command, sizeof(command),
		 "for file in %s %s; do objcopy -O binary -j .text $file $file.text; done; cmp -s *.text; status=$?; rm -f *.text; exit $status",
		 name, other);
	if (system(command))
		fail_msg("%s and %s have not the same code", name, other);
	find_text(name, &start, &end);
	symbols_frames(other_symbols, 0, start, others, &other_nr);
	snprintf(path, sizeof(path), "./%s", name);
	for (address = start; address < end; address++) {
		int found = symbols_frames(symbols, 0, address, frames, &nr);

		assert_int_equal(symbols_frames(other_symbols, 0, address, others, &other_nr),
				 found);
		if (nr != other_nr)
			fail_msg("%s 0x%lx: %zu frames, not %zu", name, (unsigned long)address, nr,
				 other_nr);
		for (i = 0; i < nr; i++)
			if (!is_equal(frames[i].function, others[i].function) ||
			    !is_equal(frames[i].file, others[i].file) ||
			    frames[i].line != others[i].line)
				fail_msg("%s 0x%lx: frame %zu of %zu is %s at %s:%d, not %s at %s:%d",
					 name, (unsigned long)address, i, nr, frames[i].function,
					 frames[i].file, frames[i].line, others[i].function,
					 others[i].file, others[i].line);
		nr_inlined += nr > 1;
	}
	assert_true(nr_inlined > 1000);
	symbols_free(symbols);
	symbols_free(other_symbols);
}

TEST(dwarf5_of_clang)
{
	compare_programs("fixture-inline-clang-5", "fixture-inline-clang");
}

TEST(split_dwarf)
{
	compare_programs("fixture-inline-c++-split", "fixture-inline-c++");
	compare_programs("fixture-inline-c++-4-split", "fixture-inline-c++-4");
}

TEST(split_dwarf_of_clang)
{
	compare_programs("fixture-inline-clang-split", "fixture-inline-clang");
}

/* The address of a symbol of the open file, found by name among the first functions */
static uint64_t address_of(struct symbols *symbols, const char *name)
{
	struct function function;
	uint64_t address;

	for (address = 0; address < 1 << 20; address++)
		if (symbols_find(symbols, 0, address, &function) == 1 && function.name &&
		    !strcmp(function.name, name))
			return address;
	fail_msg("no function %s in %s", name, path);
	return 0;
}

/* References in loops, and too many levels: the search ends at the function with the code. */
TEST(damaged_debug_information)
{
	struct symbols *symbols = open_fixture("fixture-loops");
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	uint64_t address;
	size_t nr, i;

	/* if there is a loop */
	cpu_limit(20);
	address = address_of(symbols, "sibling");
	assert_int_equal(symbols_frames(symbols, 0, address, frames, &nr), 1);
	assert_int_equal(nr, 1);
	assert_string_equal(frames[0].function, "sibling");

	address = address_of(symbols, "itself");
	assert_int_equal(symbols_frames(symbols, 0, address, frames, &nr), 1);
	assert_int_equal(nr, 1);
	assert_string_equal(frames[0].function, "itself");

	/* it has no code, so what is known of it is at no address */
	address = address_of(symbols, "discarded");
	assert_int_equal(symbols_frames(symbols, 0, address, frames, &nr), 0);

	address = address_of(symbols, "origin");
	for (i = 0; i < 16; i += 4) {
		assert_int_equal(symbols_frames(symbols, 0, address + i, frames, &nr), 1);
		/* inlined functions without a name, for there is only their loop */
		assert_int_equal(nr, i == 4 ? 1 : 2);
		assert_string_equal(frames[nr - 1].function, "origin");
		if (nr > 1)
			assert_null(frames[0].function);
		assert_null(frames[0].file);
		assert_int_equal(frames[0].line, 0);
	}

	address = address_of(symbols, "nested");
	assert_int_equal(symbols_frames(symbols, 0, address, frames, &nr), 1);
	assert_int_equal(nr, 1);
	assert_string_equal(frames[0].function, "nested");
	cpu_limit(0);
	symbols_free(symbols);
}

/* To read a function again for each address would take a billion steps. */
TEST(two_functions_that_alternate)
{
	struct symbols *symbols = open_fixture("fixture-alternate");
	const uint64_t start = address_of(symbols, "alternate");
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	uint64_t i;
	size_t nr;

	cpu_limit(10);
	for (i = 0; i < 2000; i++) {
		assert_int_equal(symbols_frames(symbols, 0, start + i, frames, &nr), 1);
		assert_int_equal(nr, 1);
	}
	cpu_limit(0);
	symbols_free(symbols);
}

/* The file with the split debug information is not a regular one: opening it would block. */
TEST(split_file_is_a_pipe)
{
	struct symbols *symbols;
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	uint64_t address;
	size_t nr;

	symbols_free(open_fixture("fixture-inline-c++-split"));
	/* the name in the program begins with ../ */
	assert_int_equal(system("rm -rf split && mkdir -p split/a && cp fixture-inline-c++-split split/a && mkfifo split/fixture-inline-c++-split-fixture_inline.dwo"),
			 0);
	symbols = open_fixture("split/a/fixture-inline-c++-split");
	address = address_of(symbols, "main");
	assert_int_equal(symbols_frames(symbols, 0, address, frames, &nr), 1);
	/* the line is in the program itself */
	assert_int_equal(nr, 1);
	assert_string_equal(frames[0].function, "main");
	assert_non_null(strstr(frames[0].file, "fixture_inline.cc"));
	assert_true(frames[0].line > 0);
	symbols_free(symbols);
	assert_int_equal(system("rm -r split"), 0);
}

/* libdw would open it outside the root. */
TEST(split_file_is_not_searched_with_a_root)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	struct symbols *symbols;
	uint64_t address;
	size_t nr, deepest = 0;

	symbols_free(open_fixture("fixture-inline-c++-split"));
	assert_int_equal(system("rm -rf split && mkdir split && cp fixture-inline-c++-split split"), 0);
	snprintf(path, sizeof(path), "/fixture-inline-c++-split");
	symbols = symbols_new(&result, "split");
	assert_non_null(symbols);
	for (address = address_of(symbols, "main"); address < 1 << 14; address++)
		if (symbols_frames(symbols, 0, address, frames, &nr) == 1 && nr > deepest)
			deepest = nr;
	assert_int_equal(deepest, 1);
	symbols_free(symbols);
	assert_int_equal(system("rm -r split"), 0);
}

/* A file without debug information, and an address outside of all units */
TEST(no_debug_information)
{
	struct symbols *symbols = open_fixture("fixture-pie-stripped");
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr = 1;

	assert_int_equal(symbols_frames(symbols, 0, address_of(symbols, "exported"), frames, &nr), 0);
	assert_int_equal(nr, 0);
	symbols_free(symbols);
	symbols = open_fixture("fixture-inline-c");
	assert_int_equal(symbols_frames(symbols, 0, address_of(symbols, "_start"), frames, &nr), 0);
	assert_int_equal(symbols_frames(symbols, 0, UINT64_MAX, frames, &nr), 0);
	symbols_free(symbols);
}
