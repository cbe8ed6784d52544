// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report's text: figures, warnings, columns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <report.h>

#include "test.h"

static char *argv[] = { "perl", "-e", "print 1\n", NULL };
static struct command_end end;
static struct runfile run;
static struct profile_row rows[2];
static struct profile profile;
static char *text;

static int set_up(void **state)
{
	(void)state;
	end = (struct command_end){ .pid = 7, .cpu_ns = 4130000000 };
	memset(&run, 0, sizeof(run));
	run.header.rate = 100;
	run.header.pid = 7;
	run.header.text_bytes = 4;
	run.header.start_cpu_ns = 20000000;
	rows[0] = (struct profile_row){ "main", "perl", 0, 309, 7500 };
	rows[1] = (struct profile_row){ "f\033[2J", "libx.so", 0, 103, 2500 };
	profile = (struct profile){ rows, 2, 412 };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static void print(void)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	report_print(out, &(struct report){
		.argv = argv,
		.end = &end,
		.run = &run,
		.profile = &profile,
	});
	fclose(out);
}

static void assert_has(const char *part)
{
	if (!strstr(text, part))
		fail_msg("not in the report: %s\n%s", part, text);
}

static void assert_lacks(const char *part)
{
	if (strstr(text, part))
		fail_msg("in the report: %s\n%s", part, text);
}

static void whole_report(void **state)
{
	(void)state;
	print();
	assert_string_equal(text,
		"# command: perl -e 'print 1\\012'\n"
		"# 412 samples at 100 Hz = 4.12 s of CPU; the process used 4.13 s (0.02 s before the profile began, 0.00 s after it ended)\n"
		"#\n"
		"# percent   seconds   samples  function  object\n"
		"    75.00      3.09       309  main      perl\n"
		"    25.00      1.03       103  f\\033[2J  libx.so\n");
}

static void lines_above_the_table_are_comments(void **state)
{
	const char *line;

	(void)state;
	run.header.text_bytes = 16;
	end.cpu_ns = 9000000000;
	print();
	assert_has("16 bytes");
	assert_has("ulimit -l");
	assert_has("4.86 s of CPU have no samples");
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		assert_true(!*line || *line == '#' || *line == ' ');
	}
}

static void difference_is_told_above_both_limits(void **state)
{
	static const struct {
		uint64_t samples;
		uint64_t cpu_ns;	/* of the whole process */
		const char *text;
	} cases[] = {
		{ 400, 4028000000, NULL },		/* 0.2 % */
		{ 2, 60000000, NULL },			/* 2 samples */
		{ 10, 150000000, "have no samples" },	/* 10 to 13 */
		{ 392, 4020000000, NULL },		/* just 2 % */
		{ 391, 4020000000, "have no samples" },
		{ 409, 4020000000, "more than the CPU time" },
		{ 5, 0, "more than the CPU time" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		profile.samples = cases[i].samples;
		end.cpu_ns = cases[i].cpu_ns;
		print();
		if (cases[i].text) {
			assert_has(cases[i].text);
		} else {
			assert_lacks("have no samples");
			assert_lacks("more than the CPU time");
		}
		tear_down(NULL);
	}
}

static void no_samples_are_explained(void **state)
{
	(void)state;
	profile = (struct profile){ 0 };
	end.cpu_ns = 23400000;
	print();
	assert_has("# no samples: the program used 3.4 ms of CPU while");
	assert_has("every 10.0 ms");
	assert_lacks("percent");
}

static void other_process_has_no_cpu_time(void **state)
{
	(void)state;
	run.header.pid = 8;
	end.cpu_ns = 1000000;
	print();
	assert_has("of process 8");
	assert_lacks("the process used");
	assert_lacks("more than the CPU time");
}

static void decimals_show_one_sample(void **state)
{
	(void)state;
	run.header.rate = 1000;
	rows[0].samples = 1;
	print();
	assert_has("  0.001         1  main");
}

static void long_name_pushes_only_its_own_object(void **state)
{
	static char name[100];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	rows[0].function = name;
	print();
	assert_has("nnn  perl\n");
	assert_has("f\\033[2J  libx.so\n");
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whole_report),
		TEST(lines_above_the_table_are_comments),
		TEST(difference_is_told_above_both_limits),
		TEST(no_samples_are_explained),
		TEST(other_process_has_no_cpu_time),
		TEST(decimals_show_one_sample),
		TEST(long_name_pushes_only_its_own_object),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
