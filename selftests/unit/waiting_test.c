// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log of samples that wait (module/waiting.h), compiled as it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../module/waiting.h"

static struct profil_sample at(u64 place, u32 samples)
{
	return (struct profil_sample) { .place = place, .samples = samples };
}

static void test_order_does_not_matter(void **state)
{
	struct profil_waiting log;
	struct profil_sample sample;
	u64 places = 0;
	u32 i;

	(void)state;
	profil_waiting_init(&log);
	assert_false(profil_waiting_take(&log, &sample));
	for (i = 0; i < 10; i++) {
		sample = at(i * 8, i + 1);
		assert_true(profil_waiting_add(&log, &sample));
	}
	assert_int_equal(profil_waiting_sum(&log), 55);
	for (i = 0; i < 10; i++) {
		assert_true(profil_waiting_take(&log, &sample));
		assert_int_equal(sample.samples, sample.place / 8 + 1);
		places |= 1ULL << sample.place / 8;
	}
	assert_int_equal(places, (1 << 10) - 1);
	assert_false(profil_waiting_take(&log, &sample));
	assert_int_equal(profil_waiting_sum(&log), 0);
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
	assert_true(profil_waiting_take(&log, &sample));
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
	assert_true(profil_waiting_take(&log, &sample));
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
	while (profil_waiting_take(&log, &sample))
		assert_int_equal(sample.pc,
				 sample.place == 32 ? 0x1234 : 0x5678);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_does_not_matter),
		cmocka_unit_test(test_same_counter),
		cmocka_unit_test(test_catch_all),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_pc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
