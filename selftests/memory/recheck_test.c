// SPDX-License-Identifier: GPL-2.0-only
/*
 * After a change that may have removed the counters' memory, nothing is counted until the worker
 * has rechecked it. Real-time threads keep the worker from running here.
 */
#include <sched.h>

#include "kselftest_harness.h"
#include "child.h"
#include "profile/four_pages.h"

#define MOST_THREADS	16

FIXTURE(recheck) {
	struct four_pages m;
	struct one_pc threads[MOST_THREADS];
	int nr;
};

static int set_priority(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(0, priority ? SCHED_FIFO : SCHED_OTHER, &param);
}

FIXTURE_SETUP(recheck)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	REQUIRE_DEVICE(self->m.fd);
	self->nr = processors < MOST_THREADS ? (int)processors : MOST_THREADS;
	ASSERT_EQ(0, four_pages_init(&self->m));
	ASSERT_EQ(0, map_counters(&self->m, MEMFD));
}

FIXTURE_TEARDOWN(recheck)
{
	stop(self->m.fd);
	EXPECT_EQ(0, pinned_kib());
	close(self->m.fd);
}

/* Sum of the counters in the first two pages, which the threads hit */
static uint64_t sum(const struct four_pages *m)
{
	return __atomic_load_n((uint64_t *)m->counters, __ATOMIC_RELAXED) +
	       __atomic_load_n((uint64_t *)(m->counters + PAGE), __ATOMIC_RELAXED);
}

/* Starts a thread on each CPU, at one of two pcs, with a higher priority than the worker. */
static int occupy(struct _test_data_recheck *self)
{
	int i;

	if (set_priority(1))
		return -1;
	for (i = 0; i < self->nr; i++)
		if (enter_pc(&self->threads[i], self->m.code + i % 2 * APART))
			return -1;
	return set_priority(2);
}

/* Waits long enough for ticks on each CPU. */
static void let_all_run(const struct _test_data_recheck *self)
{
	run_threads_for(self->nr * four_pages_seconds(&self->m, 10));
}

static void leave(struct _test_data_recheck *self)
{
	int i;

	for (i = 0; i < self->nr; i++)
		leave_pc(&self->threads[i]);
	set_priority(0);
}

/* A truncation removes the last pages of counters, but not those that are hit. */
TEST_F(recheck, truncated)
{
	struct four_pages *m = &self->m;
	struct profil_status status;
	uint64_t before, after;

	ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
	if (occupy(self))
		SKIP(return, "needs the right to use SCHED_FIFO");
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

/* Pages are only discarded: pending samples are counted in the new pages. */
TEST_F(recheck, discarded)
{
	struct four_pages *m = &self->m;
	struct profil_status status;
	uint64_t before;

	ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
	if (occupy(self))
		SKIP(return, "needs the right to use SCHED_FIFO");
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
