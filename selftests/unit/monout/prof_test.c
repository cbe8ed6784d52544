// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a mon.out file and its program, both made by the test, to the table of prof(1).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <monout/monout_program.h>
#include <monout/prof_table.h>
#include <symbol/demangle.h>

#include "support/made_monout.h"
#include "support/made_program.h"
#include "support/test.h"

#define START	0x401000
#define TEXT	0x100
#define TITLES	" %Time Seconds Cumsecs  #Calls   msec/call  Name\n"

/* There is padding after f, and a gap before last, which ends the text. */
static const struct made_function functions[] = {
	{ "main", START, 0x20 },
	{ "f", START + 0x20, 0x16 },
	{ "_Z7writteni", START + 0x38, 0x48 },
	{ "last", START + 0xc0, 0x40 },
	{ 0 }
};

static struct made_monout made;
static struct monout monout;
static struct prof prof;
static struct prof_table_options options;
static char *text;
static size_t nr_finds;	/* calls of find() and find_half() */

static int find(void *symbols, size_t object, uint64_t address, struct function *function)
{
	const struct made_function *i;

	assert_int_equal(object, 0);
	nr_finds++;
	for (i = functions; i->name; i++) {
		if (address < i->start || address >= i->start + i->size)
			continue;
		*function = (struct function){
			i->start, i->start + i->size, i->name, (int)strlen(i->name),
		};
		return 1;
	}
	return 0;
}

FIXTURE(begin)
{
	made = (struct made_monout){ .layout = { 8, false } };
	options = (struct prof_table_options){ 0 };
	nr_finds = 0;
	return 0;
}

static void release(void)
{
	free(text);
	text = NULL;
	prof_release(&prof);
	monout_release(&monout);
}

FIXTURE(end)
{
	release();
	return 0;
}

static void parse(void)
{
	const char *why;

	assert_int_equal(monout_parse(made.bytes, made.nr, &made.layout, &monout, &why), 0);
}

/* 32 counters, one for each 8 bytes of text */
static void put_file(const uint64_t *cells, size_t nr_cells, const unsigned int *counters)
{
	put_words(&made, (const uint64_t []){ START, START + TEXT, nr_cells }, 3);
	put_words(&made, cells, 2 * nr_cells);
	put_counters(&made, counters, 32);
	parse();
}

/* Counters: main 0 to 3, f 4 to 6, written(int) 7 to 15, no function 16 to 23, last 24 to 31 */
static const uint64_t cells[] = {
	START + 0x24, 12, START + 1, 1, START + 0xc0, 12345, 0, 7, START + 0x25, 4,
};
static const unsigned int counters[32] = {
	[0] = 2, [3] = 1, [4] = 100, [5] = 65535, [7] = 3, [15] = 4,
};

static void assert_text(const char *expected)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(prof_table_print(out, &prof, 100, &options), 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	text = NULL;
}

static int make_rows(symbols_find_fn *of, void *symbols, symbolize_demangle_fn *names)
{
	const struct prof_functions these = { .find = of, .symbols = symbols, .demangle = names };

	return prof_make(&prof, &monout, 1, &these);
}

static void make(void)
{
	put_file(cells, 5, counters);
	assert_int_equal(make_rows(find, NULL, demangle), 0);
	assert_int_equal(prof.samples, 65645);
}

/* f: 65635 samples and 12 + 4 calls, so 656.35 s, and 41021.875 ms for each call */
TEST_WITH(columns_of_prof, begin, end)
{
	make();
	assert_text(TITLES
		" 100.0  656.35  656.35      16  41021.9     f\n"
		"   0.0    0.07  656.42                      written(int)\n"
		"   0.0    0.03  656.45       1     30.      main\n"
		"   0.0    0.00  656.45   12345      0.0000  last\n");
}

/*
 * The pcs of counters 16 to 23 are in no function, and so are two of the called pcs. There is
 * no time per call, because samples and calls may be of different code.
 */
TEST_WITH(pcs_in_no_function, begin, end)
{
	static const uint64_t calls[] = { START + 0x80, 3, START + TEXT, 4, START, 2 };
	static const unsigned int here[32] = { [2] = 1, [16] = 5, [23] = 4 };

	put_file(calls, 3, here);
	assert_int_equal(make_rows(find, NULL, NULL), 0);
	assert_text(TITLES
		"  90.0    0.09    0.09       7              (in no function)\n"
		"  10.0    0.01    0.10       2      5.      main\n");
}

/*
 * Three counters of 32 bytes each. The second begins in the padding after f, so its samples
 * belong to the function at its end.
 */
TEST_WITH(counters_that_begin_in_no_function, begin, end)
{
	put_words(&made, (const uint64_t []){ START + 0x16, START + 0x76, 0 }, 3);
	put_counters(&made, (const unsigned int []){ 1, 2, 4 }, 3);
	parse();
	assert_int_equal(monout_pc(&monout, 1), START + 0x36);
	assert_int_equal(make_rows(find, NULL, NULL), 0);
	/* main ends at 0x20, f at 0x36, the padding at 0x38 */
	assert_text(TITLES
		"  85.7    0.06    0.06                      _Z7writteni\n"
		"  14.3    0.01    0.07                      main\n");
}

/* Too few counters for profil(): the scale is 1 or 0, so profiling was off. */
TEST_WITH(counters_without_pcs, begin, end)
{
	uint32_t scale;

	for (scale = 0; scale < 2; scale++) {
		begin(state);
		put_words(&made, (const uint64_t []){
			START, START + 131073 - scale, 1, START, 5,
		}, 5);
		put_counters(&made, (const unsigned int []){ 6 }, 1);
		parse();
		assert_int_equal(monout.scale, scale);
		assert_int_equal(make_rows(find, NULL, NULL), 0);
		assert_text(TITLES
			" 100.0    0.06    0.06                      (in no function)\n"
			"   0.0    0.00    0.06       5      0.      main\n");
		release();
	}
}

TEST_WITH(calls_only, begin, end)
{
	static const uint64_t calls[] = { START + 0x80, 3 };
	static const unsigned int none[32];

	put_file(calls, 1, none);
	assert_int_equal(make_rows(find, NULL, NULL), 0);
	assert_text(TITLES
		"   0.0    0.00    0.00       3              (in no function)\n");
}

static int find_nameless(void *symbols, size_t object, uint64_t address, struct function *function)
{
	int found = find(symbols, object, address, function);

	function->name = NULL;
	return found;
}

TEST_WITH(functions_without_a_name, begin, end)
{
	put_file(cells, 0, counters);
	assert_int_equal(make_rows(find_nameless, NULL, demangle), 0);
	options.table.top = 1;
	assert_text(TITLES
		" 100.0  656.35  656.35                      0x401020\n"
		"# 2 more rows with 0.0 percent\n");
}

static int find_fails(void *symbols, size_t object, uint64_t address, struct function *function)
{
	return -ENOMEM;
}

TEST_WITH(errors_of_find_are_returned, begin, end)
{
	static const unsigned int none[32];

	put_file(cells, 0, counters);
	assert_int_equal(make_rows(find_fails, NULL, NULL), -ENOMEM);
	release();
	made = (struct made_monout){ .layout = { 4, false } };
	put_file(cells, 5, none);
	assert_int_equal(make_rows(find_fails, NULL, NULL), -ENOMEM);
}

static size_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	assert_int_equal(fscanf(file, "%zu", &pages), 1);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

#define MANY	((size_t)1 << 22)

/* Two functions, each with half of the text */
static int find_half(void *symbols, size_t object, uint64_t address, struct function *function)
{
	nr_finds++;
	*function = (struct function){
		.start = address < START + MANY ? START : START + MANY, .name = "half", .length = 4,
	};
	return 1;
}

/*
 * With 4 million counters and as many calls, 16 MiB of memory are enough: less than 4 bytes for
 * each.
 */
TEST_WITH(memory_grows_with_functions_only, begin, end)
{
	struct rlimit limit, less;
	size_t i;

	put_words(&made, (const uint64_t []){ START, START + 2 * MANY, 0 }, 3);
	made.bytes = realloc(made.bytes, made.nr + 2 * MANY);
	memset(made.bytes + made.nr, 1, 2 * MANY);
	made.nr += 2 * MANY;
	parse();
	monout.calls = reallocarray(monout.calls, MANY, sizeof(*monout.calls));
	for (i = 0; i < MANY; i++)
		monout.calls[monout.nr_calls++] = (struct monout_calls){ START + 2 * i, 1 };
	assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
	less = limit;
	less.rlim_cur = address_space() + (16 << 20);
	setrlimit(RLIMIT_AS, &less);
	assert_int_equal(make_rows(find_half, NULL, NULL), 0);
	setrlimit(RLIMIT_AS, &limit);
	assert_int_equal(prof.samples, MANY * 0x101);
	assert_int_equal(prof.nr_rows, 2);
	assert_int_equal(nr_finds, 2 * MANY);
}

/* The whole way from a file and its program to the table, for each word size */
TEST_WITH(word_sizes, begin, end)
{
	static const int classes[] = { ELFCLASS32, ELFCLASS64 };
	char path[] = "made.XXXXXX";
	struct result_object object = { .path = path };
	const struct result result = { .objects = &object, .nr_objects = 1 };
	struct monout_program program;
	const char *why;
	size_t i;

	close(mkstemp(path));
	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		struct symbols *symbols;

		begin(state);
		assert_true(made_program_write(path, classes[i], START, TEXT, functions, false));
		assert_int_equal(monout_program_read(path, &program, &why), 0);
		assert_int_equal(program.layout.word_bytes, classes[i] == ELFCLASS32 ? 4 : 8);
		assert_int_equal(program.start, START);
		assert_int_equal(program.end, START + TEXT);
		symbols = symbols_new(&result, NULL);
		assert_int_equal(symbols_are_stripped(symbols, 0), 0);
		made.layout = program.layout;
		put_file(cells, 5, counters);
		assert_int_equal(make_rows(symbols_find, symbols, demangle), 0);
		assert_text(TITLES
			" 100.0  656.35  656.35      16  41021.9     f\n"
			"   0.0    0.07  656.42                      written(int)\n"
			"   0.0    0.03  656.45       1     30.      main\n"
			"   0.0    0.00  656.45   12345      0.0000  last\n");
		symbols_free(symbols);
		release();
	}
	unlink(path);
}

TEST_WITH(unusable_programs, begin, end)
{
	char path[] = "made.XXXXXX";
	struct result_object object = { .path = path };
	const struct result result = { .objects = &object, .nr_objects = 1 };
	struct monout_program program;
	struct symbols *symbols;
	const char *why;

	close(mkstemp(path));
	assert_true(made_program_write(path, ELFCLASS64, START, TEXT, functions, true));
	assert_int_equal(monout_program_read(path, &program, &why), 0);
	symbols = symbols_new(&result, NULL);
	assert_int_equal(symbols_are_stripped(symbols, 0), 1);
	assert_null(symbols_problem(symbols, 0));
	symbols_free(symbols);
	unlink(path);
	symbols = symbols_new(&result, NULL);
	assert_int_equal(symbols_are_stripped(symbols, 0), 1);
	assert_non_null(symbols_problem(symbols, 0));
	symbols_free(symbols);
	assert_int_equal(monout_program_read(path, &program, &why), -ENOENT);
	assert_int_equal(monout_program_read("monout/prof_test.c", &program, &why), -ENOEXEC);
	assert_string_equal(why, "not an ELF file");
	/* an object file has no segments */
	assert_int_equal(monout_program_read("monout/prof_test.o", &program, &why), -ENOEXEC);
	assert_string_equal(why, "no executable segment");
}

/* As functions of prof(1): f extends to written(int), and so on; the rest is below all of them. */
static int find_until_next(void *symbols, size_t object, uint64_t address,
			   struct function *function)
{
	const struct made_function *i;

	assert_int_equal(object, 0);
	if (address < START) {
		function->end = START;
		return 0;
	}
	for (i = functions; i[1].name && address >= i[1].start; i++)
		;
	*function = (struct function){
		i->start, i[1].name ? i[1].start : UINT64_MAX, i->name, (int)strlen(i->name),
	};
	return 1;
}

static int find_all_but_f(void *symbols, size_t object, uint64_t address, struct function *function)
{
	int found = find_until_next(symbols, object, address, function);

	return found && strcmp(function->name, "f");
}

/*
 * Counters of 64 bytes from 32 below main on. The first covers 32 bytes of no function and the 32
 * of main; the second f with its padding, 24 bytes, and 40 of written(int); the third only that.
 */
TEST_WITH(counters_are_divided, begin, end)
{
	static const uint64_t calls[] = { START + 0x20, 3, START, 2 };
	const struct prof_functions these = {
		.find = find_until_next, .find_called = find_all_but_f, .divide = true,
	};
	size_t i;

	put_words(&made, (const uint64_t []){ START - 32, START + 0xe0, 2 }, 3);
	put_words(&made, calls, 4);
	put_counters(&made, (const unsigned int []){ 4, 8, 6, 0 }, 4);
	parse();
	for (i = 0; i <= 4; i++)
		assert_int_equal(monout_pc(&monout, i), START - 32 + 64 * i);
	assert_int_equal(prof_make(&prof, &monout, 1, &these), 0);
	/* the calls of f are left out */
	assert_text(TITLES
		"  61.1    0.11    0.11                      _Z7writteni\n"
		"  16.7    0.03    0.14                      f\n"
		"  11.1    0.02    0.16       2     10.      main\n"
		"  11.1    0.02    0.18                      (in no function)\n");
	assert_true(prof.samples == 18);
}

/* The only counter covers 43,691 bytes, of which 40,000 were sampled: a sample for each. */
TEST_WITH(text_that_is_not_sampled_gets_nothing, begin, end)
{
	const struct prof_functions these = { .find = find_until_next, .divide = true };

	put_words(&made, (const uint64_t []){ START, START + 40000, 0 }, 3);
	put_counters(&made, (const unsigned int []){ 40000 }, 1);
	parse();
	assert_int_equal(monout_pc(&monout, 1), START + 43691);
	assert_int_equal(prof_make(&prof, &monout, 1, &these), 0);
	assert_text(TITLES
		"  99.5  398.08  398.08                      last\n"
		"   0.3    1.36  399.44                      _Z7writteni\n"
		"   0.1    0.32  399.76                      main\n"
		"   0.1    0.24  400.00                      f\n");
}

/* A function without samples and calls has a row if it always has one. */
TEST_WITH(files_are_summed_up, begin, end)
{
	static const struct function always = { START + 0xc0, START + TEXT, "last", 4 };
	const struct prof_functions these = {
		.find = find, .always = &always, .nr_always = 1,
	};
	struct monout files[2];

	put_file((const uint64_t []){ START, 2 }, 1, (const unsigned int [32]){ [0] = 3 });
	files[0] = monout;
	made = (struct made_monout){ .layout = { 8, false } };
	put_file((const uint64_t []){ START + 1, 5 }, 1,
		 (const unsigned int [32]){ [1] = 4, [4] = 1 });
	files[1] = monout;
	assert_int_equal(prof_make(&prof, files, 2, &these), 0);
	assert_text(TITLES
		"  87.5    0.07    0.07       7     10.      main\n"
		"  12.5    0.01    0.08                      f\n"
		"   0.0    0.00    0.08                      last\n");
	monout_release(&files[0]);
}
