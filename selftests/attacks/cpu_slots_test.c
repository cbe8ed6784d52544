// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session starts with one slot for all CPUs. Threads on several CPUs would all lock it, at
 * each sample, and wait for each other with interrupts disabled.
 *
 * After 16 changes of the CPU, the worker gives each CPU a slot of its own, and has no more to do.
 * It tries again after 16 more if there was no memory: the allocator of per-CPU memory may have to
 * make room in the background first. The function tracer counts the worker's calls: with none or
 * without an end, CPUs would continue to share a slot. A process with one thread never needs it.
 */
#include "kselftest_harness.h"
#include "common.h"
#include "kernel/tracer.h"

/* Samples of each of two threads: up to 256 changes of the CPU. */
#define SAMPLES	128

static double seconds;

static void *run_on(void *cpu)
{
	if (put_on_cpu(0, (int)(intptr_t)cpu))
		return NULL;
	burn(seconds);
	return cpu;
}

FIXTURE(slots) {
	int fd;
	struct profil_region region;
	struct profil_start start;
};

FIXTURE_SETUP(slots)
{
	void *counter = map_memory(PAGE);

	REQUIRE_DEVICE(self->fd);
	ASSERT_NE(MAP_FAILED, counter);
	if (!tracer_begin("profil_cpus_grow"))
		SKIP(return, "needs root, tracefs and the function tracer");
	count_all(&self->start, &self->region, counter, 64, get_info(self->fd).tick_hz);
	seconds = seconds_for(SAMPLES, self->start.rate);
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
}

FIXTURE_TEARDOWN(slots)
{
	stop(self->fd);
	tracer_end();
	close(self->fd);
}

TEST_F(slots, two_threads_get_their_own)
{
	pthread_t threads[2];
	struct profil_status status;
	intptr_t i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, run_on, (void *)i));
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	status = get_status(self->fd);
	EXPECT_LE(2 * SAMPLES - 2, status.samples);
	EXPECT_EQ(status.samples, status.counted);
	TH_LOG("the worker made slots %d times in %llu samples", tracer_calls(),
	       (unsigned long long)status.samples);
	EXPECT_LE(1, tracer_calls());
	EXPECT_GE(4, tracer_calls());
}

TEST_F(slots, one_thread_keeps_the_first)
{
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, run_on, NULL));
	pthread_join(thread, NULL);
	EXPECT_LE(SAMPLES - 1, get_status(self->fd).samples);
	EXPECT_EQ(0, tracer_calls());
}

TEST_HARNESS_MAIN
