// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log of samples that wait (module/waiting.h), compiled as it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../module/waiting.h"

static bool take(struct profil_waiting *log, struct profil_sample *sample)
{
	if (!profil_waiting_first(log, sample))
		return false;
	profil_waiting_done(log, sample->samples);
	return true;
}

static struct profil_sample at(u64 place, u32 samples)
{
	return (struct profil_sample) { .place = place, .samples = samples };
}

/* So often that the log's first entry has been everywhere. */
static void test_first_in_first_out(void **state)
{
	struct profil_waiting log;
	struct profil_sample sample;
	u32 round, i;

	(void)state;
	profil_waiting_init(&log);
	assert_false(take(&log, &sample));
	for (round = 0; round < PROFIL_WAITING_MAX; round++) {
		for (i = 0; i < 9; i++) {
			sample = at(i * 8, i + 1);
			assert_true(profil_waiting_add(&log, &sample));
		}
		/* one that waits already gives up its place for nobody */
		sample = at(0, 10);
		assert_true(profil_waiting_add(&log, &sample));
		assert_int_equal(profil_waiting_sum(&log), 55);
		for (i = 0; i < 9; i++) {
			assert_true(take(&log, &sample));
			assert_int_equal(sample.place, i * 8);
			assert_int_equal(sample.samples, i ? i + 1 : 11);
		}
		assert_false(take(&log, &sample));
		assert_int_equal(profil_waiting_sum(&log), 0);
	}
}

/* What comes while the first is counted. */
static void test_added_meanwhile(void **state)
{
	struct profil_waiting log;
	struct profil_sample sample, more = at(8, 3);

	(void)state;
	profil_waiting_init(&log);
	sample = at(8, 2);
	assert_true(profil_waiting_add(&log, &sample));
	assert_true(profil_waiting_first(&log, &sample));
	assert_true(profil_waiting_add(&log, &more));
	profil_waiting_done(&log, sample.samples);
	assert_true(take(&log, &sample));
	assert_int_equal(sample.samples, 3);
	assert_false(take(&log, &sample));
}

/* What waits for one counter takes one entry, in however many ticks it came. */
static void test_same_counter(void **state)
{
	struct profil_waiting log;
	struct profil_sample sample;
	u32 i;

	(void)state;
	profil_waiting_init(&log);
	for (i = 0; i < 1000; i++) {
		sample = at(i % 2 * 8, 3);
		assert_true(profil_waiting_add(&log, &sample));
	}
	assert_int_equal(log.nr, 2);
	assert_int_equal(profil_waiting_sum(&log), 3000);
	assert_true(take(&log, &sample));
	assert_int_equal(sample.samples, 1500);
}

/* A region's counter may be the catch-all too: the figures tell them apart. */
static void test_catch_all(void **state)
{
	struct profil_sample in = at(16, 1), out = at(16, 1);
	struct profil_waiting log;

	(void)state;
	out.out_of_range = true;
	profil_waiting_init(&log);
	assert_true(profil_waiting_add(&log, &in));
	assert_true(profil_waiting_add(&log, &out));
	assert_int_equal(log.nr, 2);
}

static void test_full(void **state)
{
	struct profil_waiting log;
	struct profil_sample sample;
	u32 i;

	(void)state;
	profil_waiting_init(&log);
	for (i = 0; i < PROFIL_WAITING_MAX; i++) {
		sample = at(i * 8, 1);
		assert_true(profil_waiting_add(&log, &sample));
	}
	sample = at(i * 8, 1);
	assert_false(profil_waiting_add(&log, &sample));
	/* for one that waits already there is room */
	sample = at(0, 5);
	assert_true(profil_waiting_add(&log, &sample));
	assert_int_equal(profil_waiting_sum(&log), PROFIL_WAITING_MAX + 5);
	assert_true(take(&log, &sample));
	sample = at(i * 8, 1);
	assert_true(profil_waiting_add(&log, &sample));
}

/* A pc log's entry keeps the pc that goes there. */
static void test_pc(void **state)
{
	struct profil_sample sample = at(32, 1);
	struct profil_waiting log;

	(void)state;
	sample.pc = 0x1234;
	profil_waiting_init(&log);
	assert_true(profil_waiting_add(&log, &sample));
	sample = at(40, 1);
	sample.pc = 0x5678;
	assert_true(profil_waiting_add(&log, &sample));
	while (take(&log, &sample))
		assert_int_equal(sample.pc,
				 sample.place == 32 ? 0x1234 : 0x5678);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_in_first_out),
		cmocka_unit_test(test_added_meanwhile),
		cmocka_unit_test(test_same_counter),
		cmocka_unit_test(test_catch_all),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_pc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
