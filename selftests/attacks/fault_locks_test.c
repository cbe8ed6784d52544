// SPDX-License-Identifier: GPL-2.0-only
/*
 * From Linux 6.4 on, a page fault takes the lock of its mapping, and mmap_lock only if that mapping
 * is locked for writing, so threads do not wait for each other. A sampled child's memory is watched
 * by the worker, which locks all its mappings for writing: afterwards they must be unlocked. The
 * function tracer counts the faults of a child that take mmap_lock.
 *
 * Before its faults, the child changes no mapping, which would unlock all of them.
 */
#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "files.h"
#include "kernel/tracer.h"
#include "kernel/version.h"

#define TOUCHED	1000	/* pages */
#define OTHERS	100	/* calls by all other processes of the machine meanwhile */

FIXTURE(fault_locks) {
	int device;
	char *memory;
	int ready[2], go[2];
};

FIXTURE_SETUP(fault_locks)
{
	REQUIRE_DEVICE(self->device);
	if (kernel_is_before(6, 5))
		SKIP(return, "faults take mmap_lock, or another function takes it");
	if (geteuid() || !tracer_begin("lock_mm_and_find_vma"))
		SKIP(return, "no function tracer");
	ASSERT_EQ(0, pipe(self->ready));
	ASSERT_EQ(0, pipe(self->go));
	self->memory = map_memory((TOUCHED + 1) * PAGE);
	/* fails if the kernel has no huge pages, as on PREEMPT_RT */
	madvise(self->memory, (TOUCHED + 1) * PAGE, MADV_NOHUGEPAGE);
	/* the first fault of a mapping takes mmap_lock */
	self->memory[0] = 1;
}

FIXTURE_TEARDOWN(fault_locks)
{
	tracer_end();
	close(self->device);
}

static void fault_when_told(struct _test_data_fault_locks *self, double seconds)
{
	size_t i;

	burn(seconds);
	/* the worker finishes */
	usleep(200000);
	send_byte(self->ready[1]);
	receive_byte(self->go[0]);
	for (i = 1; i <= TOUCHED; i++)
		self->memory[i * PAGE] = 1;
	send_byte(self->ready[1]);
	receive_byte(self->go[0]);
	_exit(0);
}

static int faults_with_mmap_lock(struct __test_metadata *_metadata,
				 struct _test_data_fault_locks *self)
{
	double some = seconds_for(3, get_info(self->device).tick_hz);
	pid_t pid = fork();
	int calls;

	if (!pid)
		fault_when_told(self, some);
	receive_byte(self->ready[0]);
	tracer_restart();
	send_byte(self->go[1]);
	receive_byte(self->ready[0]);
	calls = tracer_calls();
	send_byte(self->go[1]);
	EXPECT_EQ(0, wait_for(pid));
	ksft_print_msg("%d of %d faults take mmap_lock\n", calls, TOUCHED);
	return calls;
}

TEST_F(fault_locks, not_taken_without_profile)
{
	EXPECT_GE(OTHERS, faults_with_mmap_lock(_metadata, self));
}

TEST_F(fault_locks, not_taken_by_sampled_child)
{
	uint64_t *counter = map_shared(PAGE);

	ASSERT_EQ(0, start_counting(self->device, counter, 0, 0));
	EXPECT_GE(OTHERS, faults_with_mmap_lock(_metadata, self));
	stop(self->device);
	/* the child's samples, which the worker counted */
	EXPECT_LE(3, *counter);
}

/* The control: a fault of the kernel itself, in a system call, always takes mmap_lock. */
TEST_F(fault_locks, tracer_sees_faults_of_system_calls)
{
	size_t i;

	tracer_restart();
	for (i = 1; i <= TOUCHED; i++)
		getrusage(RUSAGE_SELF, (struct rusage *)(self->memory + i * PAGE));
	EXPECT_LE(TOUCHED, tracer_calls());
}

TEST_HARNESS_MAIN
