// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of prof(1), character by character.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <monout/prof_table.h>

#include "support/test.h"

#define TITLES	" %Time Seconds Cumsecs  #Calls   msec/call  Name\n"

static struct prof prof;
static struct prof_table_options options;
static uint32_t rate;
static char *text;

FIXTURE(begin)
{
	options = (struct prof_table_options){ 0 };
	rate = 100;
	return 0;
}

FIXTURE(end)
{
	free(text);
	text = NULL;
	prof_release(&prof);
	return 0;
}

static void assert_text(const char *expected)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(prof_table_print(out, &prof, rate, &options), 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	text = NULL;
}

static void set_rows(const struct prof_row *rows, size_t nr)
{
	size_t i;

	prof = (struct prof){ calloc(nr, sizeof(*rows)), nr, 0 };
	for (i = 0; i < nr; i++) {
		prof.rows[i] = rows[i];
		prof.rows[i].name = strdup(rows[i].name);
		prof.rows[i].is_function = true;
		prof.samples += rows[i].samples;
	}
}

static const struct prof_row four[] = {
	{ .name = (char *)"main", .address = 1, .samples = 3, .calls = 1 },
	{ .name = (char *)"f", .address = 2, .samples = 65635, .calls = 16 },
	{ .name = (char *)"written(int)", .address = 3, .samples = 7 },
	{ .name = (char *)"last", .address = 4, .calls = 12345 },
};

/* At 10 kHz, a sample is 0.0001 s. Figures that fill their columns have a blank before them. */
TEST_WITH(other_rates, begin, end)
{
	set_rows(four, ARRAY_SIZE(four));
	rate = 10000;
	options.table.top = 1;
	assert_text(TITLES
		" 100.0  6.5635  6.5635      16    410.2     f\n"
		"# 3 more rows with 0.0 percent\n");
	rate = 1;
	assert_text(TITLES
		" 100.0 65635.00 65635.00      16 4102187.5     f\n"
		"# 3 more rows with 0.0 percent\n");
}

/* The cumulated seconds follow the order of the rows. */
TEST_WITH(orders, begin, end)
{
	set_rows(four, ARRAY_SIZE(four));
	options.table.order = PROFILE_BY_NAME;
	assert_text(TITLES
		" 100.0  656.35  656.35      16  41021.9     f\n"
		"   0.0    0.00  656.35   12345      0.0000  last\n"
		"   0.0    0.03  656.38       1     30.      main\n"
		"   0.0    0.07  656.45                      written(int)\n");
	options.table.order = PROFILE_BY_ADDRESS;
	options.table.top = 3;
	assert_text(TITLES
		"   0.0    0.03    0.03       1     30.      main\n"
		" 100.0  656.35  656.38      16  41021.9     f\n"
		"   0.0    0.07  656.45                      written(int)\n"
		"# 1 more row with 0.0 percent\n");
}

/* With addresses and without titles, as prof(1) prints them on request */
TEST_WITH(addresses_and_bare_rows, begin, end)
{
	set_rows(four, ARRAY_SIZE(four));
	prof.rows[0].address = 0x40101f;
	options.by_calls = true;
	options.address = 'x';
	assert_text("         Address " TITLES
		"               4    0.0    0.00    0.00   12345      0.0000  last\n"
		"               2  100.0  656.35  656.35      16  41021.9     f\n"
		"          40101f    0.0    0.03  656.38       1     30.      main\n"
		"               3    0.0    0.07  656.45                      written(int)\n");
	options.address = 'o';
	options.bare = true;
	options.table.top = 1;
	options.by_calls = false;
	assert_text("               2  100.0  656.35  656.35      16  41021.9     f\n");
	prof_release(&prof);
	assert_text("");
}

TEST_WITH(omitted_rows_are_summed_up, begin, end)
{
	static const struct prof_row rows[] = {
		{ .name = (char *)"f", .samples = 3 }, { .name = (char *)"last", .samples = 2 },
		{ .name = (char *)"main", .samples = 2 }, { .name = (char *)"g", .samples = 1 },
	};

	set_rows(rows, ARRAY_SIZE(rows));
	options.table.min_percent = 25;
	assert_text(TITLES
		"  37.5    0.03    0.03                      f\n"
		"  25.0    0.02    0.05                      last\n"
		"  25.0    0.02    0.07                      main\n"
		"# 1 more row with 12.5 percent\n");
	options.table.min_percent = 0;
	options.table.top = 1;
	options.table.style.color = true;
	assert_text(TITLES
		"\033[31m  37.5\033[m    0.03    0.03                      f\n"
		"# 3 more rows with 62.5 percent\n");
}

TEST_WITH(empty_table, begin, end)
{
	assert_text(TITLES "# no samples and no calls\n");
}

/* Rows with equal samples are sorted by calls. Ten times the calls give one more decimal. */
TEST_WITH(decimals_of_milliseconds_per_call, begin, end)
{
	static const struct prof_row rows[] = {
		{ .name = (char *)"a", .samples = 1, .calls = 9 },
		{ .name = (char *)"b", .samples = 1, .calls = 10 },
		{ .name = (char *)"c", .samples = 1, .calls = 100000 },
		{ .name = (char *)"d", .samples = 1, .calls = 12345678 },
	};

	set_rows(rows, ARRAY_SIZE(rows));
	assert_text(TITLES
		"  25.0    0.01    0.01 12345678      0.0000  d\n"
		"  25.0    0.01    0.02  100000      0.0001  c\n"
		"  25.0    0.01    0.03      10      1.0     b\n"
		"  25.0    0.01    0.04       9      1.      a\n");
}

/* Long names that are shortened to the same text, and one with control characters */
TEST_WITH(names, begin, end)
{
	static const struct prof_row rows[] = {
		{ .name = (char *)"std::map<std::string, std::string>::operator[](std::string const&)",
		  .samples = 2 },
		{ .name = (char *)"std::map<int, std::string, std::less<int> >::operator[](int const&)",
		  .samples = 1 },
		{ .name = (char *)"f\033[2J", .samples = 1 },
	};

	set_rows(rows, ARRAY_SIZE(rows));
	assert_text(TITLES
		"  50.0    0.02    0.02                      std::map<std::string, std::string>::operator[](std::string const&)\n"
		"  25.0    0.01    0.03                      f\\033[2J\n"
		"  25.0    0.01    0.04                      std::map<int, std::string, std::less<int> >::operator[](int const&)\n");
	options.table.style.columns = 80;
	assert_text(TITLES
		"  50.0    0.02    0.02                      std::map<...>::operator[](...)~2\n"
		"  25.0    0.01    0.03                      f\\033[2J\n"
		"  25.0    0.01    0.04                      std::map<...>::operator[](...)~1\n"
		"# names that end in ~N are equal if shortened; --full-names prints full names\n");
	/* names have at least 20 columns */
	options.table.style.columns = 40;
	options.table.top = 1;
	assert_text(TITLES
		"  50.0    0.02    0.02                      std::map::operator[]\n"
		"# 2 more rows with 50.0 percent\n");
}
