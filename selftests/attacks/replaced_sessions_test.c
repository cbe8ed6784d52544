// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process replaces its profile as fast as it can, and discards the counters' page from time to
 * time. A worker frees the replaced sessions after an RCU grace period. Until then, a discard
 * may cost a call of the notifier and a test of a flag for each of them, but no work on its pages
 * and CPUs: a discard holds mmap_lock, and the OOM reaper makes the same calls.
 *
 * 1 us for each session is 125 instructions at 8 ns; it was 3.5 us.
 *
 * The workers are kept to the CPU of this test. The CPUs of an emulator take turns, and the turn of
 * a busy CPU would pass as CPU time of a discard on another.
 */
#include "kselftest_harness.h"
#include "common.h"
#include "files.h"

#define STARTS		400
#define BETWEEN		20	/* number of starts from one discard to the next */
#define MOST		5	/* times the usual cost, for the few sessions not freed yet */
#define EACH_US		1	/* for each session, while no worker runs */
#define WORKERS		"/sys/devices/virtual/workqueue/cpumask"	/* of unbound queues */

FIXTURE(replaced_sessions) {
	int device;
	char cpus[64];	/* of workers, before the test */
};

FIXTURE_SETUP(replaced_sessions)
{
	int fd = open(WORKERS, O_RDONLY | O_CLOEXEC);

	REQUIRE_DEVICE(self->device);
	if (read(fd, self->cpus, sizeof(self->cpus) - 1) <= 0 || close(fd) ||
	    write_text(WORKERS, "1"))
		SKIP(return, "cannot choose the CPUs of workers");
	ASSERT_EQ(0, put_on_cpu(0, 0));
}

FIXTURE_TEARDOWN(replaced_sessions)
{
	stop(self->device);
	close(self->device);
	EXPECT_EQ(0, write_text(WORKERS, self->cpus));
}

/* CPU time of a discard, in us. */
static double discard(char *page)
{
	double began;

	*page = 1;
	began = thread_seconds();
	madvise(page, PAGE, MADV_DONTNEED);
	return (thread_seconds() - began) * 1e6;
}

/* The minimum of some: interrupts lengthen the others. */
static double least_discard(char *page, int times)
{
	double us, least = 1e9;

	while (times--) {
		us = discard(page);
		if (us < least)
			least = us;
	}
	return least;
}

static void see_discards(struct __test_metadata *_metadata, int device, double each)
{
	char *page = map_memory(PAGE);
	double usual, us, most = 0;
	int i;

	ASSERT_EQ(0, start_counting(device, page, 1, PROFIL_PIN_ON_HIT));
	usual = least_discard(page, 20);
	for (i = 1; i <= STARTS; i++) {
		ASSERT_EQ(0, start_counting(device, page, 1, PROFIL_PIN_ON_HIT));
		if (i % BETWEEN)
			continue;
		us = least_discard(page, 3);
		if (us > most)
			most = us;
	}
	ksft_print_msg("a discard takes %.1f us with one session, up to %.1f us during %d starts\n",
		       usual, most, STARTS);
	EXPECT_GT(MOST * usual + STARTS * each, most);
}

TEST_F(replaced_sessions, do_not_slow_discards)
{
	see_discards(_metadata, self->device, 0);
}

/* No worker gets the CPU to free them. */
TEST_F(replaced_sessions, do_not_slow_discards_without_workers)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		SKIP(return, "needs root");
	see_discards(_metadata, self->device, EACH_US);
}

TEST_HARNESS_MAIN
