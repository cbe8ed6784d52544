// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process in a memory cgroup makes its samples allocate pages of a memfd that it never
 * touches: each sample's counter lies in a page of its own. Each page that exists afterwards
 * must be charged to that cgroup, even if the process exits or is killed while its samples are
 * pending. The cgroup's limit must hold; samples may be lost instead.
 */
#include "kselftest_harness.h"
#include "common.h"
#include "load/cpu_hog.h"
#include "files.h"
#include "eventually.h"
#include "kernel/cgroup.h"
#include "load/loops.h"
#include "kernel/slow_file.h"
#include "kernel/version.h"

#define ATTACKER	7602	/* a uid that no other test charges */
#define PAGES		64	/* fewer than the log's 128 pending samples */
#define FEW_PAGES	16	/* hit before workers get a CPU again (cpu_hog.h) */
#define MANY_PAGES	256	/* hit one after the other */
#define LIMIT		(MANY_PAGES * PAGE)	/* of the cgroup, which has other memory too */

FIXTURE(uncharged_memory) {
	int device, memfd;
	struct memory_cgroup group;
	struct slow_file slow;
	bool is_slow;
	long long sessions;
};

FIXTURE_SETUP(uncharged_memory)
{
	REQUIRE_DEVICE(self->device);
	if (geteuid() || !cgroup_make(&self->group, "uncharged"))
		SKIP(return, "needs root, and a memory cgroup");
	self->sessions = settled_figure("sessions");
	self->memfd = memfd_create("counters", MFD_CLOEXEC);
	ASSERT_EQ(0, ftruncate(self->memfd, (off_t)(MANY_PAGES * PAGE)));
}

FIXTURE_TEARDOWN(uncharged_memory)
{
	if (self->is_slow)
		slow_file_end(&self->slow);
	close(self->memfd);
	close(self->device);
	EXPECT_EVENTUALLY(!rmdir(self->group.path));
}

/* Takes a sample in each of @pages pages. Other samples go to @catch_all, if not NULL. */
static void hit(struct _test_data_uncharged_memory *self, int pages, void *catch_all)
{
	char *code = map_loops(MANY_PAGES);
	char *counters = mmap(NULL, MANY_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			      self->memfd, 0);
	struct profil_region region = {
		.start = (uintptr_t)code,
		.end = (uintptr_t)code + MANY_PAGES * LOOP_BYTES,
		.offset = (uintptr_t)code,
		.buf = (uintptr_t)counters,
		.bytes = MANY_PAGES * PAGE,
		.scale = (__u32)(PAGE / LOOP_BYTES) << 16,
		.rounding = PROFIL_ROUND_DOWN,
	};
	struct profil_start start = {
		.size = sizeof(start),
		.rate = get_info(self->device).tick_hz,
		.flags = PROFIL_PIN_ON_HIT,
		.width = 64,
		.nr_regions = 1,
		.regions = (uintptr_t)&region,
		.catch_all = (uintptr_t)catch_all,
	};
	int i;

	if (counters == MAP_FAILED || cgroup_join(&self->group) ||
	    become_user(ATTACKER, MANY_PAGES + 8) ||
	    call(self->device, PROFIL_IOC_START, &start))
		_exit(1);
	/* the first sample needs the page of @catch_all */
	if (catch_all)
		burn(seconds_for(1, start.rate));
	/*
	 * Two ticks: one may find the loop reading the clock. On a debug kernel, which takes 20 us
	 * for that, both do in one of 40,000 pages: 3 x 20 us of 12 ms, squared.
	 */
	for (i = 0; i < pages; i++)
		stay_in_loop(code, (size_t)i, seconds_for(2, start.rate));
}

static long long existing(struct _test_data_uncharged_memory *self)
{
	struct stat stat;

	return fstat(self->memfd, &stat) ? -1 : stat.st_blocks * 512;
}

static long long charged(struct _test_data_uncharged_memory *self)
{
	return cgroup_statistic(&self->group, "shmem ");
}

static void see_all_charged(struct __test_metadata *_metadata,
			    struct _test_data_uncharged_memory *self)
{
	long long unseen = 0;

	EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
	/*
	 * the kernel updates a cgroup's statistics every 2 s; 5.10 leaves 32 pages of each CPU out
	 */
	if (kernel_is_before(5, 14))
		unseen = 32 * sysconf(_SC_NPROCESSORS_ONLN) * (long long)PAGE;
	EXPECT_TRUE(EVENTUALLY(charged(self) + unseen >= existing(self)));
	ksft_print_msg("%lld of the pages hit exist, %lld are charged to the cgroup\n",
		       existing(self) / (long long)PAGE, charged(self) / (long long)PAGE);
}

/* The control: a process that lives is charged for its pages. */
TEST_F(uncharged_memory, while_it_lives)
{
	pid_t pid = fork();

	if (!pid) {
		hit(self, PAGES, NULL);
		/* stop counts the pending samples */
		_exit(stop(self->device).counted < PAGES);
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ((long long)(PAGES * PAGE), existing(self));
	see_all_charged(_metadata, self);
}

/*
 * No worker gets a CPU before the process exits. Before Linux 5.14, an exiting process would
 * charge pages to the root cgroup: it makes none in another, and loses the samples.
 */
TEST_F(uncharged_memory, after_its_exit)
{
	size_t made = kernel_is_before(5, 14) ? 0 : FEW_PAGES;
	pid_t spinners[MAX_CPU_HOGS], pid;
	int nr = start_cpu_hogs(spinners);

	ASSERT_LE(0, nr);
	pid = fork();
	if (!pid) {
		hit(self, FEW_PAGES, NULL);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	stop_cpu_hogs(spinners, nr);
	EXPECT_EQ((long long)(made * PAGE), existing(self));
	see_all_charged(_metadata, self);
}

/* The first sample waits for a page of a user's file system until the process exits. */
TEST_F(uncharged_memory, behind_a_slow_page)
{
	const char *missing = slow_file_begin(&self->slow);
	void *at;
	pid_t pid;

	if (missing)
		SKIP(return, "%s", missing);
	self->is_slow = true;
	at = slow_file_map(&self->slow, 0);
	pid = fork();
	if (!pid) {
		hit(self, PAGES, at);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	slow_file_answer(&self->slow);
	see_all_charged(_metadata, self);
}

/* The limit is smaller than the pages: the process is killed, or loses samples. */
TEST_F(uncharged_memory, at_its_limit)
{
	long long peak;
	pid_t pid;

	ASSERT_EQ(0, cgroup_set(&self->group, "memory.max", (long long)LIMIT));
	pid = fork();
	if (!pid) {
		hit(self, MANY_PAGES, NULL);
		stop(self->device);
		_exit(0);
	}
	ksft_print_msg("exit status %d\n", wait_for(pid));
	see_all_charged(_metadata, self);
	peak = cgroup_number(&self->group, "memory.peak", "");
	ksft_print_msg("limit %zu KiB, peak %lld KiB\n", LIMIT >> 10, peak >> 10);
	EXPECT_GE((long long)LIMIT, peak);
	/* before 5.14, the worker makes no pages: only those of the last call are charged */
	if (!kernel_is_before(5, 14))
		EXPECT_LT(0, cgroup_number(&self->group, "memory.events", "max "));
}

TEST_HARNESS_MAIN
