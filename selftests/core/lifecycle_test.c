// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a session lasts, and that changes of its memory do no harm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "child.h"
#include "common.h"
#include "eventually.h"
#include "files.h"
#include "kernel/pinned_pages.h"
#include "kselftest_harness.h"
#include "profile/expect_count.h"

FIXTURE(lifecycle) {
	int fd;
	uint64_t *counter;	/* in a page of its own */
	struct profil_region region;
	struct profil_start start;
};

FIXTURE_SETUP(lifecycle)
{
	REQUIRE_DEVICE(self->fd);
	self->counter = map_memory(PAGE);
	ASSERT_NE(MAP_FAILED, self->counter);
	count_all(&self->start, &self->region, self->counter, 64, get_info(self->fd).tick_hz);
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
}

FIXTURE_TEARDOWN(lifecycle)
{
	stop(self->fd);
	close(self->fd);
}

static uint64_t counted(struct _test_data_lifecycle *self)
{
	return __atomic_load_n(self->counter, __ATOMIC_RELAXED);
}

TEST_F(lifecycle, survives_close)
{
	uint64_t before;

	close(self->fd);
	before = counted(self);
	EXPECT_TRUE(WORK_UNTIL(burn(seconds_for(5, self->start.rate)),
			       before + 5 <= counted(self)));
	self->fd = open_device();
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(self->fd).state);
}

TEST_F(lifecycle, stop_is_final)
{
	uint64_t after;

	EXPECT_TRUE(still_counts(self->fd, 1));
	EXPECT_EQ(PROFIL_STATE_RUNNING, stop(self->fd).state);
	after = counted(self);
	EXPECT_LT(0, after);
	burn(seconds_for(5, self->start.rate));
	EXPECT_EQ(after, counted(self));
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(self->fd).state);
	EXPECT_EQ(PROFIL_STATE_OFF, stop(self->fd).state);
	EXPECT_EQ(0, stop(self->fd).samples);
}

TEST_F(lifecycle, stop_unpins)
{
	EXPECT_EQ((long long)PAGE / 1024, pinned_kib());
	EXPECT_EQ(PAGE, get_status(self->fd).pinned_bytes);
	stop(self->fd);
	EXPECT_EQ(0, pinned_kib());
}

/* Each sample is counted in the old counter or in the new one. */
TEST_F(lifecycle, replaced)
{
	struct profil_status status;
	uint64_t *old = self->counter, *new = map_memory(PAGE);
	double used = process_seconds(), begun;
	uint64_t sum, samples;
	int i;

	for (i = 0; i < 20; i++) {
		burn(0.02);
		self->region.buf = (uintptr_t)(i & 1 ? old : new);
		begun = process_seconds();
		EXPECT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
		/* the status starts from 0 again */
		samples = get_status(self->fd).samples;
		EXPECT_GE(1 + self->start.rate * (process_seconds() - begun), samples);
	}
	used = process_seconds() - used;
	status = stop(self->fd);
	sum = *old + *new;
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	/* one more or less for the phase, and one for each change of CPU */
	EXPECT_COUNT(sum, used * self->start.rate, 2);
	burn(0.05);
	EXPECT_EQ(sum, *old + *new);
	EXPECT_EQ(0, pinned_kib());
}

struct burner {
	bool done;
	double used;
};

static void *burn_a_while(void *data)
{
	struct burner *burner = data;

	burn(0.5);
	burner->used = thread_seconds();
	__atomic_store_n(&burner->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/*
 * One thread replaces sessions while another is sampled: the session that a tick has looked up
 * stays valid until the tick has finished. The replacing thread waits for workers that run after a
 * tick, and the next tick hits it or the other thread. So they get more ticks than their CPU time
 * has, but no more than there are. The first tick of a CPU may be late and stand for an earlier
 * one.
 */
TEST_F(lifecycle, replaced_under_a_tick)
{
	struct burner burner = { .done = false };
	double elapsed = clock_seconds(CLOCK_MONOTONIC);
	uint64_t before = counted(self);
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, burn_a_while, &burner));
	while (!__atomic_load_n(&burner.done, __ATOMIC_ACQUIRE))
		ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	pthread_join(thread, NULL);
	EXPECT_EQ(PROFIL_STATE_RUNNING, stop(self->fd).state);
	elapsed = clock_seconds(CLOCK_MONOTONIC) - elapsed;
	EXPECT_EQ(0, pinned_kib());
	EXPECT_ON_TIME(burner.used * self->start.rate - 2 <= (double)(counted(self) - before));
	EXPECT_GE((elapsed * self->start.rate + 2) * (double)sysconf(_SC_NPROCESSORS_ONLN),
		  counted(self) - before);
}

TEST_F(lifecycle, stop_is_final_for_other_threads)
{
	struct burner burner = { .done = false };
	pthread_t thread;
	uint64_t after;
	int i;

	ASSERT_EQ(0, pthread_create(&thread, NULL, burn_a_while, &burner));
	for (i = 0; i < 6; i++) {
		stop(self->fd);
		after = counted(self);
		usleep(60000);
		EXPECT_EQ(after, counted(self));
		ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
		usleep(20000);
	}
	pthread_join(thread, NULL);
}

/* Forks a process that burns for two ticks, with a profile or without one. */
static pid_t fork_burner(struct _test_data_lifecycle *self, bool profiled)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (profiled && call(self->fd, PROFIL_IOC_START, &self->start))
		_exit(1);
	burn(seconds_for(2, self->start.rate));
	/* without a stop */
	_exit(0);
}

/*
 * The kernel gives another process the memory, in the sense of struct mm_struct, of one that has
 * ended: a CPU must not take it for that one's. One of many processes gets it. All run on one CPU.
 */
TEST_F(lifecycle, ended_with_its_process)
{
	long long samples;
	pid_t pids[40];
	int i, k;

	stop(self->fd);
	if (figure("samples") < 0)
		SKIP(return, "needs root");
	ASSERT_EQ(0, put_on_cpu(0, 0));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, wait_for(fork_burner(self, true)));
		/* until its session is freed */
		usleep(200000);
		samples = figure("samples");
		for (k = 0; k < 40; k++)
			pids[k] = fork_burner(self, false);
		for (k = 0; k < 40; k++)
			EXPECT_EQ(0, wait_for(pids[k]));
		ASSERT_EQ(samples, figure("samples"));
	}
}

static void *replace_often(void *data)
{
	struct _test_data_lifecycle *self = data;
	struct profil_region region = self->region;
	struct profil_start start = self->start;
	uint64_t counter = 0;
	long begun = 0;
	int i;

	start.regions = (uintptr_t)&region;
	region.buf = (uintptr_t)&counter;
	for (i = 0; i < 50; i++) {
		begun += !call(self->fd, PROFIL_IOC_START, &start);
		if (i % 3 == 0)
			stop(self->fd);
	}
	/* the counter on this stack is unpinned before the stack is unmapped */
	stop(self->fd);
	return (void *)begun;
}

TEST_F(lifecycle, started_and_stopped_from_many_threads)
{
	pthread_t threads[4];
	void *begun;
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, replace_often, self);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &begun);
		EXPECT_EQ(50, (long)begun);
	}
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(self->fd).state);
	EXPECT_EQ(0, pinned_kib());
}

/* Unmapping or changing the counters of a running session does no harm. */
TEST_F(lifecycle, memory_changes)
{
	int i;

	for (i = 0; i < 20; i++) {
		self->counter = map_memory(4 * PAGE);
		self->region.buf = (uintptr_t)self->counter;
		self->region.bytes = 4 * PAGE;
		ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
		burn(0.01);
		switch (i % 5) {
		case 0:
			munmap(self->counter, 4 * PAGE);
			break;
		case 1:
			munmap((char *)self->counter + PAGE, 2 * PAGE);
			break;
		case 2:
			mprotect(self->counter, 4 * PAGE, PROT_READ);
			break;
		case 3:
			madvise(self->counter, 4 * PAGE, MADV_DONTNEED);
			break;
		case 4:
			mmap(self->counter, 4 * PAGE, PROT_READ,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			break;
		}
		burn(0.02);
	}
	stop(self->fd);
	EXPECT_EQ(0, pinned_kib());
}

/* Runs @function in a child and returns its exit status. */
static int in_child(int (*function)(struct _test_data_lifecycle *self),
		    struct _test_data_lifecycle *self)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(function(self));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

static int exec_status(struct _test_data_lifecycle *self)
{
	char fd[16];

	snprintf(fd, sizeof(fd), "%d", dup(self->fd));
	if (call(self->fd, PROFIL_IOC_START, &self->start))
		return 100;
	/* the session survives a failed exec */
	execl("/nonexistent", "nonexistent", NULL);
	if (get_status(self->fd).state != PROFIL_STATE_RUNNING)
		return 101;
	setenv("PROFIL_TEST_FD", fd, 1);
	execl("/proc/self/exe", "lifecycle_test", NULL);
	return 102;
}

TEST_F(lifecycle, off_after_exec)
{
	uint64_t before;

	/* constructor() below runs in the new program and exits with the state */
	EXPECT_EQ(PROFIL_STATE_OFF, in_child(exec_status, self));
	/* the end of a child does not affect the session of its parent */
	before = counted(self);
	EXPECT_TRUE(still_counts(self->fd, 1));
	EXPECT_LT(before, counted(self));
}

static void __attribute__((constructor)) constructor(void)
{
	const char *fd = getenv("PROFIL_TEST_FD");

	if (fd)
		_exit((int)get_status(atoi(fd)).state);
}

static int end_by_exit(struct _test_data_lifecycle *self)
{
	if (call(self->fd, PROFIL_IOC_START, &self->start))
		return 100;
	return still_counts(self->fd, 1) && *self->counter > 0 ? 0 : 101;
}

static int end_by_signal(struct _test_data_lifecycle *self)
{
	if (call(self->fd, PROFIL_IOC_START, &self->start))
		return 100;
	burn(0.03);
	raise(SIGKILL);
	return 101;
}

TEST_F(lifecycle, ends_with_the_process)
{
	EXPECT_EQ(0, in_child(end_by_exit, self));
	EXPECT_EQ(128 + SIGKILL, in_child(end_by_signal, self));
}

/* A child that shares the address space is counted in its session. */
static int burn_in_vfork(double seconds)
{
	pid_t pid = vfork();

	if (!pid) {
		burn(seconds);
		_exit(0);
	}
	return waitpid(pid, NULL, 0) == pid;
}

TEST_F(lifecycle, vfork_child_counts)
{
	uint64_t before = counted(self);

	/* the waiting parent gets two ticks at most */
	EXPECT_TRUE(WORK_UNTIL(ASSERT_TRUE(burn_in_vfork(seconds_for(10, self->start.rate))),
			       before + 10 <= counted(self)));
}

/* A descriptor has no session of its own: an inherited one acts on the session of its user. */
static int use_inherited(struct _test_data_lifecycle *self)
{
	/* this stops the session that the child has inherited at the fork */
	if (stop(self->fd).state != PROFIL_STATE_RUNNING ||
	    get_status(self->fd).state != PROFIL_STATE_OFF)
		return 100;
	if (call(self->fd, PROFIL_IOC_START, &self->start))
		return 101;
	return stop(self->fd).state == PROFIL_STATE_RUNNING ? 0 : 102;
}

TEST_F(lifecycle, inherited_descriptor)
{
	EXPECT_EQ(0, in_child(use_inherited, self));
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(self->fd).state);
}

TEST_F(lifecycle, types_of_memory)
{
	unsigned short on_stack[64] = { 0 };
	static unsigned short in_data[64] = { 1 };
	int memfd = memfd_create("counters", MFD_CLOEXEC);
	char path[] = "./profil-life-XXXXXX";
	int file = mkstemp(path);
	uint16_t *maps[6];
	size_t i;

	ASSERT_GE(memfd, 0);
	ASSERT_GE(file, 0);
	ASSERT_EQ(0, ftruncate(memfd, (off_t)PAGE));
	ASSERT_EQ(0, ftruncate(file, (off_t)PAGE));
	maps[0] = on_stack;
	maps[1] = in_data;
	maps[2] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	maps[3] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* a private mapping of a file is the process's own once written */
	maps[4] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	/* executable memory is accepted, like the stack of old programs, as it is writable */
	maps[5] = map_code(PAGE);
	for (i = 0; i < 6; i++) {
		uint16_t before;

		ASSERT_NE(MAP_FAILED, maps[i]);
		before = *maps[i];
		count_all(&self->start, &self->region, maps[i], 16, self->start.rate);
		EXPECT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start)) {
			TH_LOG("mapping %zu", i);
		}
		EXPECT_TRUE(still_counts(self->fd, 4));
		stop(self->fd);
		EXPECT_LT(before + 3, *maps[i]);
	}
	unlink(path);
	close(memfd);
	close(file);
}

TEST_HARNESS_MAIN
