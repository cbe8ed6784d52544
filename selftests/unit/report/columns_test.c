// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables with arbitrary names: no line is wider than the terminal, and no name can control it.
 */
#define _GNU_SOURCE
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include <report/comparison_table.h>
#include <report/report.h>

#include "support/test.h"

static const char *const names[] = {
	"main",
	"std::_Rb_tree<std::string, std::pair<std::string const, int>, std::less<std::string> >::_M_insert_(std::_Rb_tree_node_base*, std::_Rb_tree_node_base*, std::pair<std::string const, int> const&)",
	"std::_Rb_tree<std::string, std::pair<std::string const, long>, std::less<std::string> >::_M_insert_(std::_Rb_tree_node_base*, std::_Rb_tree_node_base*, std::pair<std::string const, long> const&)",
	"<alloc::vec::Vec<T,A> as core::iter::traits::collect::Extend<&T>>::extend::<core::slice::Iter<T>>",
	"0x7fffffffffffffff", "", "a<b<c<d((((e", "\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57",
	"a\u0308o\u0308u\u0308", "\U0001f600\U0001f600\U0001f600",
	"a_function_of_c_with_a_name_of_seventy_columns_that_is_never_shortened",
	"\033]0;title\a\033[2J\x9b" "2J\xc2\x9b" "2J\u202eexe.doc", "trailing \xe6\xbc",
};

static char any_bytes[256], long_name[901];
static struct result_object objects[] = {
	{ .path = (char[]){ "/usr/lib/x86_64-linux-gnu/libstdc++.so.6" } },
	{ .path = any_bytes },
};
static struct result_process processes[6];
static struct profile_row rows[ARRAY_SIZE(names) + 2], more_rows[ARRAY_SIZE(rows)];
static struct profile profile = { rows, ARRAY_SIZE(rows), 0 };
static struct profile more = { more_rows, ARRAY_SIZE(rows), 0 };
static char *argv[] = {
	(char[]){ "a command with blanks" }, (char[]){ "--option=value" }, any_bytes, long_name, NULL,
};
static struct result result = {
	.argv = argv, .host = any_bytes, .kernel = any_bytes, .start_time_ns = 951827696000000000,
	.rate = 997, .requested_rate = 4000, .pid = 7, .lost = 3,
	.program_cpu_ns = 77000000000, .fork_failures = 2,
	.unlisted_processes = 8,
	.objects = objects, .nr_objects = ARRAY_SIZE(objects),
	.processes = processes, .nr_processes = ARRAY_SIZE(processes),
};
static char *text;

static void make_row(size_t i, const char *name)
{
	rows[i] = (struct profile_row){
		.function = (char *)name, .has_name = true, .index = i % 2,
		.object = i % 3 ? "libstdc++.so.6" : any_bytes,
		.samples = i ? 10 * i : 123456789, .percent100 = i ? (unsigned int)i : 9990,
	};
	more_rows[i] = rows[i];
	more_rows[i].samples = 3 * i + 1;
	profile.samples += rows[i].samples;
	more.samples += more_rows[i].samples;
}

FIXTURE(set_up)
{
	size_t i;

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return -1;
	for (i = 0; i < sizeof(any_bytes) - 1; i++)
		any_bytes[i] = (char)(i + 1);
	memset(long_name, 'n', sizeof(long_name) - 1);
	profile.samples = more.samples = 0;
	profile.nr_rows = ARRAY_SIZE(rows);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		make_row(i, names[i]);
	make_row(i, any_bytes);
	make_row(i + 1, long_name);
	result.outside = profile.samples;
	for (i = 0; i < ARRAY_SIZE(processes); i++)
		processes[i] = (struct result_process){
			.pid = (int)(i ? 4194300 + i : 7), .parent = (int)i,
			.program = i % 2 ? (char *)names[i] : any_bytes,
			.is_fork = i == 3, .has_ended = i != 2,
			.samples = 1000 * i, .cpu_ns = 12345678901 * i,
		};
	return 0;
}

FIXTURE(tear_down)
{
	free(text);
	text = NULL;
	return 0;
}

static FILE *begin(void)
{
	static size_t size;

	tear_down(NULL);
	return open_memstream(&text, &size);
}

static void report(enum table_by by, const struct terminal_style *style)
{
	FILE *out = begin();

	assert_int_equal(report_print(out, &(struct report){
		.result = &result,
		.profile = &profile,
		.table = { .by = by, .style = *style },
		.of_file = true,
	}), 0);
	fclose(out);
}

static void compare(enum comparison_of of, const struct terminal_style *style)
{
	const struct comparison_side old = { .result = &result, .profile = &profile };
	const struct comparison_side new = { .result = &result, .profile = &more };
	struct comparison comparison;
	FILE *out = begin();

	assert_int_equal(comparison_make(&comparison, &old, &new, of), 0);
	assert_int_equal(comparison_print(out, &comparison, &(struct comparison_table){
		.decimals = 3, .style = *style,
	}), 0);
	comparison_release(&comparison);
	fclose(out);
}

/* Check the width of all lines, and that they have no control characters, by the C library. */
static void assert_lines(int most)
{
	wchar_t *wide = calloc(strlen(text) + 1, sizeof(*wide)), *line, *rest = NULL, *at;

	assert_non_null(wide);
	if (mbstowcs(wide, text, strlen(text) + 1) == (size_t)-1)
		fail_msg("not UTF-8: %s", text);
	for (at = wide; *at; at++)
		if (*at != L'\n' && (iswcntrl((wint_t)*at) || (*at >= 0x202a && *at <= 0x202e)))
			fail_msg("U+%04x is in the text", (unsigned int)*at);
	for (line = wcstok(wide, L"\n", &rest); line; line = wcstok(NULL, L"\n", &rest)) {
		int width = wcswidth(line, wcslen(line));

		if (width < 0 || (most && width > most))
			fail_msg("%d columns of %d: %ls", width, most, line);
	}
	free(wide);
}

static void assert_all(int most, int bars)
{
	const struct terminal_style style = { .columns = most, .bars = bars };
	enum comparison_of of;
	enum table_by by;

	for (by = TABLE_BY_FUNCTION; by <= TABLE_BY_PROCESS; by++) {
		report(by, &style);
		assert_lines(most);
	}
	for (of = COMPARISON_OF_SECONDS; of <= COMPARISON_OF_SHARES; of++) {
		compare(of, &style);
		assert_lines(most);
	}
}

TEST_F(no_line_is_wider_than_the_terminal)
{
	int columns;

	for (columns = TERMINAL_MIN_COLUMNS; columns <= 200; columns++) {
		assert_all(columns, 0);
		assert_all(columns, 20);
	}
}

TEST_F(largest_figures_fit)
{
	size_t i;

	rows[0].samples = UINT64_MAX / 4;
	more_rows[1].samples = UINT64_MAX / 4;
	profile.samples = more.samples = UINT64_MAX / 2;
	result.outside = UINT64_MAX / 2;
	for (i = 0; i < ARRAY_SIZE(processes); i++) {
		processes[i].samples = processes[i].cpu_ns = UINT64_MAX;
		processes[i].pid = processes[i].parent = INT32_MIN;
	}
	for (i = TERMINAL_MIN_COLUMNS; i <= 200; i += 20)
		assert_all((int)i, 20);
}

TEST_F(names_do_not_control_the_terminal)
{
	assert_all(0, 20);
}

static void assert_has(const char *part)
{
	const char *table = strstr(text, "\n#\n");

	if (!strstr(text, part))
		fail_msg("not in the table: %s%s", part, table ? table : text);
}

/* All columns at a width of 108; fewer at 80 and 40; nothing is shortened without a limit. */
TEST_F(names_are_shortened_to_the_width)
{
	profile.nr_rows = 3;
	rows[0].object = "libc.so.6";
	rows[0].samples = 12345;
	report(TABLE_BY_FUNCTION, &(struct terminal_style){ .columns = 108 });
	assert_has("# percent seconds samples system%  95%-interval  object          function\n");
	assert_has("    99.90  12.382   12345     0.0  0.01..0.01    libc.so.6       main\n");
	assert_has("     0.02   0.020      20     0.0  0.00..0.00    libstdc++.so.6  std::_Rb_tree<...>::_M_insert_(...)~2\n");
	assert_has("     0.01   0.010      10     0.0  0.00..0.00    libstdc++.so.6  std::_Rb_tree<...>::_M_insert_(...)~1\n");
	assert_has("# names that end in ~N are equal if shortened; --full-names prints full names\n");
	report(TABLE_BY_FUNCTION, &(struct terminal_style){ .columns = 80 });
	assert_has("# percent samples  object          function\n");
	assert_has("     0.02      20  libstdc++.so.6  std::_Rb_tree<...>::_M_insert_(...)~2\n");
	report(TABLE_BY_FUNCTION, &(struct terminal_style){ .columns = 40 });
	assert_has("#\n# percent  function\n");
	assert_has("     0.02  std::_Rb_tree::_M_insert_~2\n");
	report(TABLE_BY_FUNCTION, &(struct terminal_style){ 0 });
	assert_has(names[2]);
}

static size_t count_lines(void)
{
	size_t lines = 0;
	const char *at;

	for (at = text; *at; at++)
		lines += *at == '\n';
	return lines;
}

/* The output and the prompt fit on the terminal, but there are always at least 10 rows. */
TEST_F(rows_fit_the_terminal)
{
	struct terminal_style style = { .columns = 80, .rows = 24 };

	/* there are many lines above this table */
	report(TABLE_BY_FUNCTION, &style);
	assert_has(" more functions)\n# --all shows all rows\n");
	style.rows = 0;
	report(TABLE_BY_FUNCTION, &style);
	assert_null(strstr(text, "more functions"));
	for (style.rows = 20; style.rows < 24; style.rows++) {
		compare(COMPARISON_OF_SECONDS, &style);
		assert_in_range(count_lines(), style.rows - 4, style.rows - 1);
		assert_has(" more functions");
	}
	/* the line above the table takes more lines on a narrow terminal */
	style.columns = 40;
	for (style.rows = 25; style.rows < 28; style.rows++) {
		compare(COMPARISON_OF_SECONDS, &style);
		assert_in_range(count_lines(), style.rows - 4, style.rows - 1);
		assert_has(" more functions");
	}
	style.rows = 200;
	compare(COMPARISON_OF_SECONDS, &style);
	assert_null(strstr(text, "more functions"));
}

/* In a pipe: names of C++ may have thousands of characters. */
TEST_F(long_names_are_shortened_without_a_terminal)
{
	static const char cxx[] = "std::_Rb_tree<...>::_M_insert_(...)~1";
	const struct terminal_style pipe = { .name = TERMINAL_NAME }, full = { 0 };

	report(TABLE_BY_FUNCTION, &pipe);
	assert_non_null(strstr(text, cxx));
	assert_null(strstr(text, names[1]));
	assert_non_null(strstr(text, "equal if shortened; --full-names"));
	assert_non_null(strstr(text, names[3]));
	assert_non_null(strstr(text, names[10]));
	compare(COMPARISON_OF_SECONDS, &pipe);
	assert_non_null(strstr(text, cxx));
	report(TABLE_BY_FUNCTION, &full);
	assert_non_null(strstr(text, names[1]));
	assert_null(strstr(text, "equal if shortened"));
}
