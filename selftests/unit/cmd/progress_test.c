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
#include <result/result.h>

#include "support/test.h"

#define NR_COUNTS	64	/* of each object */

static char text[4096];

/* The samples of two objects, which do not exist as files */
static char *argv[] = { "prog", NULL };
static char host[] = "host", kernel[] = "6.1 x86_64", program[] = "/bin/prog";
static char first_path[] = "/lib/object0", second_path[] = "/lib/object1";
static struct result_part parts[2][NR_COUNTS];
static struct result_object objects[2];
static struct result_process process;
static struct result result;

/* Add samples at a higher address. */
static void add(struct result_object *object, uint64_t address, uint64_t samples)
{
	object->parts[object->nr_parts++] = (struct result_part){
		.address = address, .samples = samples, .thread = RESULT_NO_THREAD,
	};
}

/* Read the lines that the child process has printed so far, and count them. */
static unsigned int count_lines(FILE *out)
{
	unsigned int lines = 0;
	/* the file offset is shared with the writer */
	ssize_t length = pread(fileno(out), text, sizeof(text) - 1, 0), i;

	assert_true(length >= 0);
	text[length] = 0;
	for (i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

static void wait_for_line(FILE *out)
{
	const struct timespec interval = { .tv_nsec = 1000000 };

	while (!count_lines(out))
		nanosleep(&interval, NULL);
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

/*
 * Print the second line. Requests are ignored until the child has answered the first one; after a
 * crash, one request notices it and the next one starts a child. A third line is possible, which
 * is removed.
 */
static void show_second(struct progress *progress, FILE *out)
{
	const struct timespec interval = { .tv_nsec = 1000000 };

	do {
		progress_show(progress, &result);
		nanosleep(&interval, NULL);
	} while (count_lines(out) < 2);
	strchr(strchr(text, '\n') + 1, '\n')[1] = 0;
}

/* Print a line, and another one after @change; NULL: no more */
static void show(const struct result *first, void (*change)(void))
{
	FILE *out = tmpfile();
	struct progress *progress;

	assert_non_null(out);
	progress = progress_new(out);
	assert_non_null(progress);
	progress_show(progress, first);
	wait_for_line(out);
	if (change) {
		change();
		show_second(progress, out);
	}
	progress_free(progress);
	/* no child process is left */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	fclose(out);
	hide_times();
}

static int set_up(void **state)
{
	(void)state;
	objects[0] = (struct result_object){
		.path = first_path, .start = 0x1000, .end = 0x1100, .parts = parts[0],
	};
	objects[1] = (struct result_object){
		.path = second_path, .start = 0x2000, .end = 0x2100, .parts = parts[1],
	};
	process = (struct result_process){ .pid = 1234, .program = program };
	result = (struct result){
		.argv = argv,
		.host = host,
		.kernel = kernel,
		.pid = 1234,
		.rate = 100,
		.requested_rate = 100,
		.objects = objects,
		.nr_objects = 2,
		.processes = &process,
		.nr_processes = 1,
	};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	text[0] = 0;
	return 0;
}

static void count_more(void)
{
	parts[1][0].samples += 4;
}

/* The files of the objects do not exist, so objects are printed in place of functions. */
static void new_samples_are_added(void **state)
{
	(void)state;
	add(&objects[0], 0x1008, 3);
	add(&objects[1], 0x2024, 1);
	show(&result, count_more);
	assert_string_equal(text,
		"profil: ... s, 4 samples: 75.0% object0 (no symbols) 25.0% object1 (no symbols)\n"
		"profil: ... s, 8 samples: 62.5% object1 (no symbols) 37.5% object0 (no symbols)\n");
}

static void load_object(void)
{
	result.nr_objects = 2;
}

static void new_objects_are_added(void **state)
{
	(void)state;
	add(&objects[0], 0x1008, 3);
	add(&objects[1], 0x2024, 1);
	result.nr_objects = 1;
	show(&result, load_object);
	assert_string_equal(text,
		"profil: ... s, 3 samples: 100.0% object0 (no symbols)\n"
		"profil: ... s, 4 samples: 75.0% object0 (no symbols) 25.0% object1 (no symbols)\n");
}

static void no_samples_are_printed_as_0(void **state)
{
	(void)state;
	show(NULL, NULL);
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
	struct progress *progress;
	FILE *out = tmpfile();
	pid_t child;

	(void)state;
	progress = progress_new(out);
	progress_show(progress, &result);
	wait_for_line(out);
	child = find_child();
	if (!child) {
		progress_free(progress);
		skip();
	}
	crash(child);
	show_second(progress, out);
	progress_free(progress);
	fclose(out);
}

static void line_fits_the_width(void **state)
{
	static struct result_object many[NR_COUNTS];
	static char paths[NR_COUNTS][16];
	size_t i;

	(void)state;
	add(&objects[0], 0x1008, 1);
	for (i = 0; i < NR_COUNTS; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/lib/o%02zu", i);
		many[i] = objects[0];
		many[i].path = paths[i];
	}
	result.objects = many;
	result.nr_objects = NR_COUNTS;
	setenv("COLUMNS", "80", 1);
	show(&result, NULL);
	unsetenv("COLUMNS");
	assert_true(strlen(text) <= 80);
	assert_non_null(strstr(text, "64 samples: 1.6% o00 (no symbols) 1.6% o01 (no symbols)"));
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_samples_are_added),
		TEST(new_objects_are_added),
		TEST(no_samples_are_printed_as_0),
		TEST(child_is_restarted_after_a_crash),
		TEST(line_fits_the_width),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
