// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of a run: snapshots, its result at the end, and the previous result.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmd/outcome.h>
#include <result/resultfile.h>

#include "support/fake_run.h"
#include "support/test.h"

static char *argv[] = { "prog", NULL };
static char directory[] = "outcome.XXXXXX";
static struct fake_run fake;
static struct outcome outcome;
static char messages[1000];

static int set_up(void **state)
{
	(void)state;
	fake_run_fill(&fake);
	fake.counters[0][2] = 3;
	memset(&outcome, 0, sizeof(outcome));
	outcome.argv = argv;
	outcome.output = "out";
	strcpy(strrchr(directory, '.') + 1, "XXXXXX");
	return mkdtemp(directory) && !chdir(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink("out");
	unlink("out.old");
	return chdir("..") || rmdir(directory);
}

/* Take a snapshot, and capture its messages in messages[]. */
static void snapshot(uint64_t elapsed_ns)
{
	const struct child_end so_far = { .pid = 1234, .elapsed_ns = elapsed_ns };
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	ssize_t length;

	assert_non_null(file);
	assert_int_equal(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
	outcome_snapshot(&outcome, &so_far);
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	close(saved);
	length = pread(fileno(file), messages, sizeof(messages) - 1, 0);
	assert_true(length >= 0);
	messages[length] = 0;
	fclose(file);
}

static void assert_written(const char *path, uint64_t elapsed_ns, uint64_t samples)
{
	struct result result;
	const char *why;

	assert_int_equal(resultfile_read(path, &result, &why), 0);
	assert_int_equal(result.elapsed_ns, elapsed_ns);
	assert_int_equal(result_samples(&result), samples);
	assert_string_equal(result.argv[0], "prog");
	result_release(&result);
}

static void put_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void assert_text(const char *path, const char *text)
{
	char found[16] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_non_null(fgets(found, sizeof(found), file));
	assert_string_equal(found, text);
	fclose(file);
}

/* The previous result is kept as .old. Snapshots of the same run are not. */
static void previous_result_is_kept_once(void **state)
{
	const struct child_end end = { .pid = 1234, .elapsed_ns = 3 };
	const struct target target = { .problem = TARGET_OK, .command = "prog" };
	const uint32_t count = 5;

	(void)state;
	put_text("out", "before");
	outcome.memory = fake_run_memfd(&fake);
	snapshot(1);
	assert_string_equal(messages, "");
	assert_written("out", 1, 3);
	assert_text("out.old", "before");
	/* the program has more samples */
	assert_int_equal(pwrite(outcome.memory, &count, sizeof(count),
				FAKE_COUNTERS_AT(1) + 9 * sizeof(count)), sizeof(count));
	snapshot(2);
	assert_written("out", 2, 8);
	assert_text("out.old", "before");
	/* the run ends */
	outcome.end = &end;
	outcome.target = &target;
	outcome.table = fopen("/dev/null", "w");
	outcome.table_name = "/dev/null";
	outcome_show(&outcome);
	fclose(outcome.table);
	assert_written("out", 3, 8);
	assert_text("out.old", "before");
	close(outcome.memory);
}

/* Before the first profile, the previous result is not replaced. */
static void no_snapshot_without_a_profile(void **state)
{
	(void)state;
	put_text("out", "before");
	fake.header.nr_processes = 0;
	outcome.memory = fake_run_memfd(&fake);
	snapshot(1);
	assert_non_null(strstr(messages, "no result yet: no program has started a profile\n"));
	assert_text("out", "before");
	assert_int_equal(access("out.old", F_OK), -1);
	close(outcome.memory);
}

static void no_snapshot_without_a_file(void **state)
{
	(void)state;
	outcome.output = NULL;
	outcome.memory = fake_run_memfd(&fake);
	snapshot(1);
	assert_int_equal(access("out", F_OK), -1);
	outcome.output = "none/out";
	snapshot(1);
	assert_non_null(strstr(messages, "none/out: No such file or directory (ENOENT): the result is not written"));
	close(outcome.memory);
}

/* The reader of a pipe would exit after the first result. */
static void no_snapshot_to_a_pipe(void **state)
{
	int both;
	char byte;

	(void)state;
	assert_int_equal(mkfifo("out", 0600), 0);
	both = open("out", O_RDWR | O_NONBLOCK);
	outcome.memory = fake_run_memfd(&fake);
	snapshot(1);
	assert_non_null(strstr(messages, "out is not a regular file"));
	assert_int_equal(read(both, &byte, 1), -1);
	close(both);
	close(outcome.memory);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(previous_result_is_kept_once),
		TEST(no_snapshot_without_a_profile),
		TEST(no_snapshot_without_a_file),
		TEST(no_snapshot_to_a_pipe),
	};

	return cmocka_run_group_tests_name("outcome", tests, NULL, NULL);
}
