// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line that tells how a run goes.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <progress.h>

#include "fake_run.h"
#include "test.h"

static char *argv[] = { "prog", NULL };
static struct fake_run fake;
static char *text;

/* What is shown of the run as it is, and again after @meanwhile */
static void show(void (*meanwhile)(int fd))
{
	int fd = fake_run_memfd(&fake);
	struct progress *progress;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	progress = progress_new(fd, argv, out);
	assert_non_null(progress);
	progress_show(progress);
	if (meanwhile) {
		meanwhile(fd);
		progress_show(progress);
	}
	progress_free(progress);
	fclose(out);
	close(fd);
}

static int set_up(void **state)
{
	(void)state;
	fake_run_fill(&fake);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static void count_more(int fd)
{
	const uint32_t count = fake.counters[1][9] + 4;

	assert_int_equal(pwrite(fd, &count, sizeof(count),
				FAKE_COUNTERS_AT(1) + 9 * sizeof(count)),
			 sizeof(count));
}

/* Files of these names are not there: addresses stand for functions. */
static void samples_grow(void **state)
{
	(void)state;
	fake.counters[0][2] = 3;
	fake.counters[1][9] = 1;
	show(count_more);
	assert_string_equal(text,
		"profil: 0.0 s, 4 samples: 75.0% 0x1008 25.0% 0x2024\n"
		"profil: 0.0 s, 8 samples: 62.5% 0x2024 37.5% 0x1008\n");
}

static void load_another(int fd)
{
	fake.header.nr_objects = 2;
	assert_int_equal(pwrite(fd, &fake.header, sizeof(fake.header), 0),
			 sizeof(fake.header));
}

static void objects_come(void **state)
{
	(void)state;
	fake.counters[0][2] = 3;
	fake.counters[1][9] = 1;
	fake.header.nr_objects = 1;
	show(load_another);
	assert_string_equal(text,
		"profil: 0.0 s, 3 samples: 100.0% 0x1008\n"
		"profil: 0.0 s, 4 samples: 75.0% 0x1008 25.0% 0x2024\n");
}

static void nothing_is_there_yet(void **state)
{
	(void)state;
	fake.header.nr_processes = 0;
	show(NULL);
	assert_string_equal(text, "profil: 0.0 s, 0 samples\n");
}

/* The report tells what is wrong. */
static void damage_is_passed_over(void **state)
{
	(void)state;
	fake.header.nr_objects = UINT32_MAX;
	show(NULL);
	assert_string_equal(text, "");
}

static void line_has_an_end(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < FAKE_COUNTERS; i++)
		fake.counters[0][i] = 1;
	show(NULL);
	assert_true(strlen(text) <= 80);
	assert_non_null(strstr(text, "64 samples: 1.6% 0x1000 1.6% 0x1004"));
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_grow),
		TEST(objects_come),
		TEST(nothing_is_there_yet),
		TEST(damage_is_passed_over),
		TEST(line_has_an_end),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
