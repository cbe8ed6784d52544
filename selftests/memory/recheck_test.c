// SPDX-License-Identifier: GPL-2.0-only
/*
 * A change that may be the end of the counters' memory: nothing is counted until the
 * worker has looked. It is kept from doing so here, by threads that go first.
 */
#include <sched.h>

#include "kselftest_harness.h"
#include "child.h"
#include "four_pages.h"

#define MOST_THREADS	16

FIXTURE(doubt) {
	struct four_pages m;
	struct one_pc threads[MOST_THREADS];
	int nr;
};

static int go_first(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(0, priority ? SCHED_FIFO : SCHED_OTHER,
				  &param);
}

FIXTURE_SETUP(doubt)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	REQUIRE_DEVICE(self->m.fd);
	self->nr = processors < MOST_THREADS ? (int)processors : MOST_THREADS;
	ASSERT_EQ(0, four_pages_init(&self->m));
	ASSERT_EQ(0, map_counters(&self->m, MEMFD));
}

FIXTURE_TEARDOWN(doubt)
{
	stop(self->m.fd);
	EXPECT_EQ(0, pinned_kib());
	close(self->m.fd);
}

/* Counts in the first two pages, which are those that the threads hit. */
static uint64_t sum(const struct four_pages *m)
{
	return __atomic_load_n((uint64_t *)m->counters, __ATOMIC_RELAXED) +
	       __atomic_load_n((uint64_t *)(m->counters + PAGE),
			       __ATOMIC_RELAXED);
}

/* One on each processor, at one of two pcs, all before the worker. */
static int occupy(struct _test_data_doubt *self)
{
	int i;

	if (go_first(1))
		return -1;
	for (i = 0; i < self->nr; i++)
		if (enter_pc(&self->threads[i], self->m.code + i % 2 * APART))
			return -1;
	return go_first(2);
}

/* Long enough for ticks on each processor */
static void let_all_run(const struct _test_data_doubt *self)
{
	run_threads_for(self->nr * four_pages_seconds(&self->m, 10));
}

static void leave(struct _test_data_doubt *self)
{
	int i;

	for (i = 0; i < self->nr; i++)
		leave_pc(&self->threads[i]);
	go_first(0);
}

/* The file loses the last pages of counters, and keeps those that are hit. */
TEST_F(doubt, truncated)
{
	struct four_pages *m = &self->m;
	struct profil_status status;
	uint64_t before, after;

	ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
	if (occupy(self))
		SKIP(return, "no right to be scheduled first");
	let_all_run(self);
	EXPECT_LT(0, sum(m));
	ASSERT_EQ(0, ftruncate(m->file, 3 * (off_t)PAGE));
	before = sum(m);
	let_all_run(self);
	after = sum(m);
	leave(self);
	EXPECT_EQ(before, after);
	status = get_status(m->fd);
	EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
	EXPECT_EQ(0, status.pending);
	EXPECT_LT(0, status.lost);
	EXPECT_EQ(before, sum(m));
}

/* Only discarded: what waited is counted, into the pages that are there now. */
TEST_F(doubt, discarded)
{
	struct four_pages *m = &self->m;
	struct profil_status status;
	uint64_t before;

	ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
	if (occupy(self))
		SKIP(return, "no right to be scheduled first");
	let_all_run(self);
	ASSERT_EQ(0, madvise(m->counters + 3 * PAGE, PAGE, MADV_DONTNEED));
	before = sum(m);
	let_all_run(self);
	EXPECT_EQ(before, sum(m));
	leave(self);
	status = get_status(m->fd);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(0, status.pending);
	EXPECT_EQ(0, status.lost);
	EXPECT_LT(before, sum(m));
}

TEST_HARNESS_MAIN
