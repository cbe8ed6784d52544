// SPDX-License-Identifier: GPL-2.0-only
/*
 * The progress line of a run.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmd/progress.h>

#include "support/fake_run.h"
#include "support/test.h"

static char *argv[] = { "prog", NULL };
static struct fake_run fake;
static char text[4096];

/* Wait until the child process has printed @nr lines, and read them. */
static void wait_for_lines(FILE *out, unsigned int nr)
{
	const struct timespec interval = { .tv_nsec = 1000000 };
	unsigned int lines = 0;
	ssize_t length, i;

	while (lines < nr) {
		nanosleep(&interval, NULL);
		/* the file offset is shared with the writer */
		length = pread(fileno(out), text, sizeof(text) - 1, 0);
		assert_true(length >= 0);
		text[length] = 0;
		for (lines = i = 0; i < length; i++)
			lines += text[i] == '\n';
	}
}

/* Replace the times, which differ in each run. */
static void hide_times(void)
{
	char *time = text;

	while ((time = strstr(time, "profil: "))) {
		time += strlen("profil: ");
		for (; *time != ' '; time++)
			*time = '.';
	}
}

/* Print @first lines of the run, and one more after @change; NULL: not */
static void show(unsigned int first, void (*change)(int fd))
{
	int fd = fake_run_memfd(&fake);
	FILE *out = tmpfile();
	struct progress *progress;

	assert_non_null(out);
	progress = progress_new(fd, argv, out);
	assert_non_null(progress);
	progress_show(progress);
	wait_for_lines(out, first);
	if (change) {
		change(fd);
		progress_show(progress);
		wait_for_lines(out, first + 1);
	}
	progress_free(progress);
	/* no child process is left */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	fclose(out);
	close(fd);
	hide_times();
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
	text[0] = 0;
	return 0;
}

static void count_more(int fd)
{
	const uint32_t count = fake.counters[1][9] + 4;

	assert_int_equal(pwrite(fd, &count, sizeof(count),
				FAKE_COUNTERS_AT(1) + 9 * sizeof(count)),
			 sizeof(count));
}

/* The files of the objects do not exist, so addresses are printed in place of functions. */
static void new_samples_are_added(void **state)
{
	(void)state;
	fake.counters[0][2] = 3;
	fake.counters[1][9] = 1;
	show(1, count_more);
	assert_string_equal(text,
		"profil: ... s, 4 samples: 75.0% 0x1008 25.0% 0x2024\n"
		"profil: ... s, 8 samples: 62.5% 0x2024 37.5% 0x1008\n");
}

static void load_object(int fd)
{
	fake.header.nr_objects = 2;
	assert_int_equal(pwrite(fd, &fake.header, sizeof(fake.header), 0),
			 sizeof(fake.header));
}

static void new_objects_are_added(void **state)
{
	(void)state;
	fake.counters[0][2] = 3;
	fake.counters[1][9] = 1;
	fake.header.nr_objects = 1;
	show(1, load_object);
	assert_string_equal(text,
		"profil: ... s, 3 samples: 100.0% 0x1008\n"
		"profil: ... s, 4 samples: 75.0% 0x1008 25.0% 0x2024\n");
}

static void no_samples_are_printed_as_0(void **state)
{
	(void)state;
	fake.header.nr_processes = 0;
	show(1, NULL);
	assert_string_equal(text, "profil: ... s, 0 samples\n");
}

static void repair(int fd)
{
	fake.header.nr_objects = 0;
	assert_int_equal(pwrite(fd, &fake.header, sizeof(fake.header), 0),
			 sizeof(fake.header));
}

/* The report explains the damage. */
static void damaged_memory_prints_no_line(void **state)
{
	(void)state;
	fake.header.nr_objects = UINT32_MAX;
	show(0, repair);
	assert_string_equal(text, "profil: ... s, 0 samples\n");
}

static pid_t find_child(void)
{
	FILE *children = fopen("/proc/thread-self/children", "re");
	pid_t child = 0;

	if (!children)
		return 0;
	assert_int_equal(fscanf(children, "%d", &child), 1);
	fclose(children);
	return child;
}

/* As SIGBUS would, for which cmocka has a handler */
static void crash(pid_t child)
{
	siginfo_t end;

	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT), 0);
	assert_int_equal(end.si_status, SIGKILL);
}

static void child_is_restarted_after_a_crash(void **state)
{
	const int fd = fake_run_memfd(&fake);
	struct progress *progress;
	FILE *out = tmpfile();
	pid_t child;

	(void)state;
	progress = progress_new(fd, argv, out);
	progress_show(progress);
	wait_for_lines(out, 1);
	child = find_child();
	if (!child) {
		progress_free(progress);
		skip();
	}
	crash(child);
	/* the first call notices the crash, the second one starts a child */
	progress_show(progress);
	progress_show(progress);
	wait_for_lines(out, 2);
	progress_free(progress);
	fclose(out);
	close(fd);
}

static void line_fits_the_width(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < FAKE_COUNTERS; i++)
		fake.counters[0][i] = 1;
	show(1, NULL);
	assert_true(strlen(text) <= 80);
	assert_non_null(strstr(text, "64 samples: 1.6% 0x1000 1.6% 0x1004"));
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_samples_are_added),
		TEST(new_objects_are_added),
		TEST(no_samples_are_printed_as_0),
		TEST(damaged_memory_prints_no_line),
		TEST(child_is_restarted_after_a_crash),
		TEST(line_fits_the_width),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
