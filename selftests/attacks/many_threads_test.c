// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user with a process of many threads could attach to it in a loop. If ATTACH looked at each
 * thread with the lock of all targets held, interrupts of that CPU would wait, and so would forks
 * and exits of all other targets.
 *
 * Costs are in instructions, as in possible_cpus_cost_test.
 */
#include <pthread.h>

#include "kselftest_harness.h"
#include "attach/target.h"

#define FEW	10
#define MANY	2000
#define ROUNDS	20

/*
 * In instructions. When ATTACH counted the threads, each added 16: 31,000. Where it does not look
 * at them, two processes differ by some hundreds.
 */
#define MOST_MORE	MANY

FIXTURE(threads) {
	int device;
	struct target few;
	struct target many;
	int threads;		/* of the target that starts next */
	int ready[2];
};

FIXTURE_SETUP(threads)
{
	REQUIRE_ATTACH(self->device);
	self->few.pid = -1;
	self->many.pid = -1;
	ASSERT_EQ(0, pipe(self->ready));
}

FIXTURE_TEARDOWN(threads)
{
	kill_target(&self->few);
	kill_target(&self->many);
	close(self->device);
}

static void *sleep_in_thread(void *unused)
{
	wait_for_ever(unused);
	return NULL;
}

static void start_threads(void *data)
{
	const struct _test_data_threads *self = data;
	pthread_attr_t small;
	pthread_t thread;
	char byte = 0;
	int i;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (i = 0; i < self->threads; i++)
		if (pthread_create(&thread, &small, sleep_in_thread, NULL))
			_exit(1);
	if (write(self->ready[1], &byte, 1) != 1)
		_exit(1);
	wait_for_ever(NULL);
}

/* Starts a target with threads, which sleep. Returns 0 or an errno. */
static int start(struct _test_data_threads *self, struct target *target, int threads)
{
	char byte;
	int err;

	self->threads = threads;
	err = start_target(target, self->device, start_threads, self);
	if (err)
		return err;
	release(target);
	return read(self->ready[0], &byte, 1) == 1 ? 0 : EIO;
}

/* Attaches and measures. Returns 0 or an errno. */
static int measure(const struct target *target, double *least)
{
	int device = open("/dev/profil", O_RDWR);
	double begin = clock_seconds(CLOCK_MONOTONIC_RAW), seconds;
	int err = attach_target(device, target, 0);

	seconds = clock_seconds(CLOCK_MONOTONIC_RAW) - begin;
	if (seconds < *least)
		*least = seconds;
	close(device);
	return err;
}

TEST_F(threads, do_not_lengthen_attach)
{
	double unit = instruction_seconds(), few = 1, many = 1;
	int i;

	ASSERT_EQ(0, start(self, &self->few, FEW));
	ASSERT_EQ(0, start(self, &self->many, MANY));
	/* the least of some: an interrupt lengthens the others */
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, measure(&self->few, &few));
		ASSERT_EQ(0, measure(&self->many, &many));
	}
	TH_LOG("ATTACH: %.0f instructions, %.0f more with %d threads", few / unit,
	       (many - few) / unit, MANY - FEW);
	EXPECT_GE(MOST_MORE, (many - few) / unit);
}

TEST_HARNESS_MAIN
