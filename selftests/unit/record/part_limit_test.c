// SPDX-License-Identifier: GPL-2.0-only
/*
 * The entries of a run are bounded while it goes on, and none of its samples is lost.
 */
#define _GNU_SOURCE
#include <record/part_limit.h>
#include <record/recording_state.h>
#include <result/fold.h>
#include <result/subtract.h>

#include "support/recorded.h"

#define LIMIT	100

/* A sample of a thread at each of @nr addresses from @pc on */
static void sample(int tid, uint64_t pc, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		fake_log_user(&fake, &(struct fake_thread){ PID, tid }, pc + 4 * (uint64_t)i, 1);
}

static size_t nr_parts(void)
{
	size_t nr = result.nr_outside_parts, i;

	for (i = 0; i < result.nr_objects; i++)
		nr += result.objects[i].nr_parts;
	return nr;
}

/* The thread with most samples is listed, also if others come and go for ever. */
TEST_F(threads_that_come_and_go_are_folded)
{
	uint64_t samples = 0;
	int i;

	recording->limit = LIMIT;
	start(PID);
	for (i = 0; i < 1000; i++) {
		sample(PID, 0x10000, 20);
		sample(1000 + i, 0x10000, 10);
		samples += 30;
		assert_int_equal(recording_read(recording, fake.read), 1);
	}
	collect();
	assert_int_equal(result_samples(&result), samples);
	assert_in_range(nr_parts(), 20, LIMIT);
	assert_true(result.folded_threads >= 1000 - LIMIT / 10);
	assert_int_equal(result.folded_samples, 0);
	assert_int_equal(result.threads[0].tid, PID);
	assert_int_equal(result.threads[0].samples, 20000);
	assert_int_equal(fold_remove_threads(&result), 0);
	assert_null(result_problem(&result));
	assert_int_equal(result.nr_threads, 1001 - result.folded_threads);
	assert_int_equal(result.threads[0].tid, PID);
}

/* A folded thread that still runs stays folded: it has all of its samples, or none. */
TEST_F(folded_thread_is_not_listed_again)
{
	recording->limit = LIMIT;
	start(PID);
	sample(PID, 0x10000, 60);
	sample(PID + 1, 0x10000, 41);
	assert_int_equal(recording_read(recording, fake.read), 1);
	sample(PID + 1, 0x10000, 5);
	fake_log_thread(&fake, &(struct fake_thread){ PID, PID + 1 }, 5, "ended");
	sample(PID, 0x10000, 5);
	read_log();
	assert_int_equal(result_samples(&result), 111);
	assert_int_equal(result.folded_threads, 2);
	assert_int_equal(result.threads[0].samples + result.threads[1].samples, 0);
	/* 60 places are more than half of the limit: the 19 with one sample are folded, too */
	assert_int_equal(result.folded_samples, 19);
	assert_int_equal(nr_parts(), 60 - 19 + 1);
}

/* Places with few samples go when no thread is left. */
TEST_F(rare_places_are_folded_last)
{
	recording->limit = LIMIT;
	start(PID);
	sample(PID, 0x10000, 200);
	sample(PID, 0x10000, 10);
	map_memory(PID, 0x50000, 0x51000);
	sample(PID, 0x50000, 3);
	read_log();
	assert_int_equal(result_samples(&result), 213);
	assert_int_equal(samples_of("/program"), 20);
	assert_int_equal(result.folded_samples, 193);
	assert_int_equal(result.outside, 193);
}

/* What was pushed is not pushed again when it has been folded since. */
TEST_F(folded_samples_are_subtracted)
{
	struct result before;

	recording->limit = LIMIT;
	start(PID);
	sample(PID, 0x10000, 10);
	sample(PID, 0x10000, 10);
	sample(PID + 1, 0x10000, 10);
	sample(PID + 1, 0x10100, 70);
	read_log();
	before = result;
	memset(&result, 0, sizeof(result));
	sample(PID + 1, 0x11000, 100);
	read_log();
	assert_true(result.folded_threads && result.folded_samples);
	assert_int_equal(result_subtract(&result, &before), 0);
	assert_int_equal(result_samples(&result), 100);
	result_release(&before);
}
