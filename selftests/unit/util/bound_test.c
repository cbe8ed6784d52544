// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bounds of what it takes to read files: time, memory and crashes cost one file, not the others.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <util/bound.h>
#include <util/helper.h>
#include <util/time_ns.h>

#include "support/test.h"

/* Kinds of files; a test has its own, as what was refused stays refused */
enum { INTACT = 1, ENDLESS, HUGE_ONE, DAMAGED, MANY };

static void use_time(void)
{
	for (;;)
		__asm__ volatile("");
}

/* Return: 0 or ENOMEM. */
static int read_one(uint64_t file)
{
	char *volatile memory = NULL;

	if (bound_problem(file))
		return 0;
	bound_read(file);
	if (file == ENDLESS || file >= MANY)
		use_time();
	if (file == DAMAGED) {
		signal(SIGBUS, SIG_DFL);
		raise(SIGBUS);
	}
	if (file == HUGE_ONE)
		memory = calloc(1, 200 << 20);
	bound_end();
	free(memory);
	return file == HUGE_ONE && !memory ? ENOMEM : 0;
}

static int read_all(void *data)
{
	const uint64_t *files = data;
	int error = 0;

	while (!error && *files)
		error = read_one(*files++);
	return error;
}

static int run(const uint64_t *files, struct helper *helper)
{
	return helper_run(helper, &(struct helper_work){
		.run = read_all, .data = (void *)files, .is_bounded = true,
	});
}

static void assert_refused(uint64_t file, const char *why)
{
	const char *problem = bound_problem(file);

	assert_non_null(problem);
	assert_non_null(strstr(problem, why));
}

TEST(others_are_read)
{
	const uint64_t files[] = { INTACT, ENDLESS, DAMAGED, HUGE_ONE, INTACT, 0 };
	struct helper helper;

	setenv("PROFIL_READ_SECONDS", "1", 1);
	setenv("PROFIL_READ_MIB", "100", 1);
	assert_int_equal(run(files, &helper), 0);
	assert_null(bound_problem(INTACT));
	assert_refused(ENDLESS, "PROFIL_READ_SECONDS=10 allows more");
	assert_refused(HUGE_ONE, "PROFIL_READ_MIB=400 allows more");
	assert_refused(DAMAGED, "changed while it was read (SIGBUS)");
}

static double children_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)time_usage_ns(&usage) / NS_PER_S;
}

/* 1 s for the first, half as much for each of the next ones, but a tick at least: 3 s, not 20 s. */
TEST(all_take_a_few_times_as_long)
{
	uint64_t files[21] = { 0 };
	double before = children_s();
	struct helper helper;
	size_t i;

	for (i = 0; i < 20; i++)
		files[i] = MANY + i;
	setenv("PROFIL_READ_SECONDS", "1", 1);
	assert_int_equal(run(files, &helper), 0);
	assert_true(children_s() - before < 5);
	for (i = 0; i < 20; i++)
		assert_refused(MANY + i, "PROFIL_READ_SECONDS");
}

/* Nothing else than reading counts. */
static int compute(void *data)
{
	clock_t end = clock() + 3 * CLOCKS_PER_SEC / 2;

	bound_read(INTACT);
	bound_end();
	while (clock() < end)
		;
	return 7;
}

TEST(other_work_is_not_bounded)
{
	struct helper helper;

	setenv("PROFIL_READ_SECONDS", "1", 1);
	assert_int_equal(helper_run(&helper, &(struct helper_work){
		.run = compute, .is_bounded = true }), -7);
}
