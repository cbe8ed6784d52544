/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expectations about the profile of one_counter.h. Include this after the harness.
 */
#ifndef SELFTESTS_ONE_COUNTER_CHECKS_H
#define SELFTESTS_ONE_COUNTER_CHECKS_H

#include "profile/expect_count.h"
#include "profile/one_counter.h"

/*
 * Expects the running profile to increase the program's counter by as much as status.counted,
 * except for a pending sample and one that is taken while the status is read.
 */
static inline void expect_counting(struct __test_metadata *_metadata, struct one_counter *r)
{
	double used = thread_seconds();
	struct look first = take_look(r), last;
	int64_t counted;

	burn(one_counter_seconds(r, 8));
	last = take_look(r);
	used = thread_seconds() - used;
	counted = (int64_t)(last.status.counted - first.status.counted);
	EXPECT_EQ(PROFIL_STATE_RUNNING, last.status.state);
	EXPECT_EQ(0, last.status.error);
	EXPECT_EQ(0, last.status.lost);
	EXPECT_GE(1, last.status.pending);
	/* all threads are counted, at least this one, which may migrate */
	EXPECT_LE(used * r->start.rate - 3, counted);
	EXPECT_LE(last.before - first.after - 1, counted);
	EXPECT_GE(last.after - first.before + 1, counted);
}

/*
 * Stops the profile, and expects every sample to be counted, and to be in the counter unless pages
 * were discarded.
 */
static inline struct profil_status expect_end(struct __test_metadata *_metadata,
					      struct one_counter *r, bool discarded)
{
	struct profil_status status = stop(r->fd);

	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(0, status.lost);
	EXPECT_EQ(0, status.pending);
	EXPECT_EQ(0, status.out_of_range);
	EXPECT_EQ(status.samples, status.counted);
	if (discarded) {
		EXPECT_GE(r->base + status.counted, one_counter_value(r));
	} else {
		EXPECT_EQ(r->base + status.counted, one_counter_value(r));
	}
	return status;
}

/*
 * Calls @change at least @times times and for 0.2 s of CPU time, while another thread is sampled.
 */
static inline void change_while_counting(struct __test_metadata *_metadata, struct one_counter *r,
					 int (*change)(struct one_counter *r), int times,
					 bool discards)
{
	struct burner burner = { .end = false };
	double used, sure, wall, hz = r->start.rate;
	uint64_t before, counted;
	int k, error = 0;

	wall = clock_seconds(CLOCK_MONOTONIC);
	before = get_status(r->fd).samples;
	used = process_seconds();
	ASSERT_EQ(0, pthread_create(&burner.thread, NULL, burn_until_end, &burner));
	for (k = 0; !error && (k < times || process_seconds() < used + 0.2); k++)
		error = change(r);
	__atomic_store_n(&burner.end, true, __ATOMIC_RELAXED);
	pthread_join(burner.thread, NULL);
	EXPECT_EQ(0, error);
	sure = thread_seconds();
	expect_counting(_metadata, r);
	sure = burner.used + thread_seconds() - sure;
	counted = expect_end(_metadata, r, discards).samples - before;
	wall = clock_seconds(CLOCK_MONOTONIC) - wall;
	ksft_print_msg("%d times\n", k);
	/*
	 * Each thread may migrate once. The worker runs after each change, in phase with the ticks
	 * that wake it. So each of the two threads gets at most one tick per period. The one that
	 * makes the changes may get none.
	 */
	EXPECT_COUNT_IN(counted, hz * sure, hz * 2 * wall, 4);
	r->base = 0;
}

/* The teardown of fixtures with a member "r": expects that nothing stays pinned. */
#define ONE_COUNTER_TEARDOWN(fixture)						\
	FIXTURE_TEARDOWN(fixture)					\
	{								\
		stop(self->r.fd);					\
		EXPECT_EQ(0, pinned_kib());				\
		EXPECT_TRUE(pins_return_to(self->r.pins));		\
		close(self->r.fd);					\
	}

#endif /* SELFTESTS_ONE_COUNTER_CHECKS_H */
