// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first START of a process takes the locks of all files that it maps, in the order of their
 * addresses. A user keeps the lock of one for long: a memfd that is mapped many times, from which
 * pages are removed. It is mapped above the C library, so a START that waited for it would have the
 * lock of the library, and each fork, exec and exit of the machine would wait, too.
 *
 * The module refuses to wait for files with so many mappings, as it does with many pages.
 */
#include <signal.h>

#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "files.h"

#define ATTACKER	7850	/* a uid that no other test charges */
#define EACH		400	/* mappings of a process */
#define BEYOND		800	/* mappings: more than the limit, low as a debug kernel is slow */
#define LIMIT		"512"
#define DEFAULT_LIMIT	"8192"
#define MANY		12000	/* mappings: a removal of the page takes long */
#define STARTERS	4	/* few: a fork may wait for one that has a lock, and no CPU */
#define PROBES		24
#define PARAMETER	PARAMETERS "max_start_maps"

/* Shared with the attackers */
struct area {
	int ready;		/* how many of them have mapped the file */
	double hole;		/* the longest removal of pages, in seconds */
	int starts;		/* of the attacker, with any result */
};

FIXTURE(held_files) {
	int device, file;
	struct area *area;
	pid_t holder;
};

FIXTURE_SETUP(held_files)
{
	REQUIRE_DEVICE(self->device);
	if (geteuid())
		SKIP(return, "needs root");
	self->file = memfd_create("held", 0);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, PAGE));
	self->area = map_shared(PAGE);
	self->holder = hold_hooks(self->device);
	ASSERT_EQ(0, write_text(PARAMETER, LIMIT));
}

static void kill_group(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	wait_for(pid);
}

FIXTURE_TEARDOWN(held_files)
{
	write_text(PARAMETER, DEFAULT_LIMIT);
	kill_group(self->holder);
	close(self->file);
	close(self->device);
}

/* An address above all libraries, and below the stack. */
static void *above_libraries(void)
{
	unsigned long stack = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]"))
			stack = strtoul(line, NULL, 16);
	if (maps)
		fclose(maps);
	return (void *)(stack - ((size_t)8 << 20));
}

static int map_once(int file, void *at, size_t bytes)
{
	return mmap(at, bytes, PROT_READ, MAP_SHARED | (at ? MAP_FIXED_NOREPLACE : 0), file, 0) ==
	       MAP_FAILED;
}

static void note_ready(struct area *area)
{
	__atomic_add_fetch(&area->ready, 1, __ATOMIC_ACQ_REL);
}

static void wait_ready(const struct area *area, int nr)
{
	while (__atomic_load_n(&area->ready, __ATOMIC_ACQUIRE) < nr)
		usleep(1000);
}

/* In a group of its own: processes that map the file @nr times together. Returns the first one. */
static pid_t map_many(struct _test_data_held_files *self, int nr)
{
	pid_t first = fork();
	int i;

	if (first) {
		wait_ready(self->area, nr / EACH + 1);
		self->area->ready = 0;
		return first;
	}
	setpgid(0, 0);
	for (i = 0; i < nr && i < EACH; i++)
		if (map_once(self->file, NULL, PAGE))
			_exit(1);
	for (; nr > EACH && fork(); nr -= EACH)
		;
	note_ready(self->area);
	if (nr <= EACH)
		note_ready(self->area);
	for (;;)
		pause();
}

/* START of a child that has the file mapped once, anywhere. Returns 0 or an errno. */
static int start_beside(struct _test_data_held_files *self, size_t bytes)
{
	pid_t pid = fork();

	if (!pid) {
		if (map_once(self->file, NULL, bytes))
			_exit(255);
		_exit(start_counting(self->device, map_memory(PAGE), 0, 0));
	}
	return wait_for(pid);
}

TEST_F(held_files, too_many_mappings_are_refused)
{
	pid_t others;

	EXPECT_EQ(0, start_beside(self, PAGE));
	others = map_many(self, BEYOND);
	EXPECT_EQ(EAGAIN, start_beside(self, PAGE));
	EXPECT_EQ(0, write_text(PARAMETER, DEFAULT_LIMIT));
	EXPECT_EQ(0, start_beside(self, PAGE));
	EXPECT_EQ(0, write_text(PARAMETER, LIMIT));
	kill_group(others);
	EXPECT_EQ(0, start_beside(self, PAGE));
}

/* Four pages count as a mapping: those of two processes are fewer than the limit, of three more. */
TEST_F(held_files, too_many_pages_are_refused)
{
	const size_t bytes = (size_t)3 << 20;
	pid_t pids[3];
	size_t at, i;

	ASSERT_EQ(0, ftruncate(self->file, (off_t)bytes));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, start_beside(self, bytes));
		pids[i] = fork();
		if (!pids[i]) {
			const volatile char *all = mmap(NULL, bytes, PROT_READ, MAP_SHARED,
							self->file, 0);

			for (at = 0; at < bytes; at += PAGE)
				(void)all[at];
			note_ready(self->area);
			for (;;)
				pause();
		}
		wait_ready(self->area, (int)i + 1);
	}
	EXPECT_EQ(EAGAIN, start_beside(self, bytes));
	for (i = 0; i < 3; i++)
		kill_group(pids[i]);
}

/* The worker of a child that is followed does not wait either: the child's profile ends. */
TEST_F(held_files, sampled_child_is_refused)
{
	long long ends = figure("fault_ends");
	pid_t others, child;

	ASSERT_EQ(0, map_once(self->file, NULL, PAGE));
	ASSERT_EQ(0, start_counting(self->device, map_memory(PAGE), 0, 0));
	others = map_many(self, BEYOND);
	child = fork();
	if (!child) {
		burn(0.1);
		_exit((int)get_status(self->device).state);
	}
	EXPECT_NE(PROFIL_STATE_RUNNING, wait_for(child));
	EXPECT_LT(ends, figure("fault_ends"));
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(self->device).state);
	kill_group(others);
	stop(self->device);
}

/* Calls START again and again: in a process until it succeeds, then in the next one. */
static void start_for_ever(struct _test_data_held_files *self)
{
	void *counters = map_memory(PAGE);
	bool started;
	pid_t pid;

	if (become_user(ATTACKER, 64) || map_once(self->file, above_libraries(), PAGE))
		_exit(1);
	for (bool first = true;; first = false) {
		pid = fork();
		if (pid) {
			wait_for(pid);
			continue;
		}
		do {
			started = !start_counting(self->device, counters, 0, 0);
			__atomic_add_fetch(&self->area->starts, 1, __ATOMIC_RELAXED);
			if (first)
				note_ready(self->area);
			first = false;
		} while (!started);
		_exit(0);
	}
}

static void remove_for_ever(struct _test_data_held_files *self)
{
	double took;

	put_on_cpu(0, 0);
	for (;;) {
		took = clock_seconds(CLOCK_MONOTONIC);
		fallocate(self->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE);
		took = clock_seconds(CLOCK_MONOTONIC) - took;
		if (took > self->area->hole)
			self->area->hole = took;
	}
}

/* The longest of PROBES forks, with the wait for the child, in seconds. At the highest priority. */
static double longest_fork(void)
{
	double longest = 0, took;
	int i;

	for (i = 0; i < PROBES; i++) {
		took = clock_seconds(CLOCK_MONOTONIC);
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		wait_for(pid);
		took = clock_seconds(CLOCK_MONOTONIC) - took;
		if (took > longest)
			longest = took;
		usleep(20000);
	}
	return longest;
}

/*
 * A fork that waits for a START takes as long as the START, half the time of a removal on average:
 * with so many probes, one at least takes a quarter of it. Without waits it takes few time slices.
 */
TEST_F(held_files, no_fork_waits)
{
	struct sched_param high = { .sched_priority = 3 };
	pid_t others, attackers;
	double longest;
	int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	others = map_many(self, MANY);
	attackers = fork();
	if (!attackers) {
		setpgid(0, 0);
		put_on_cpu(0, 1);
		for (i = 0; i < STARTERS; i++)
			if (!fork())
				start_for_ever(self);
		wait_ready(self->area, STARTERS);
		if (!fork())
			remove_for_ever(self);
		self->area->ready++;
		for (;;)
			pause();
	}
	wait_ready(self->area, STARTERS + 1);
	put_on_cpu(0, 1);
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &high));
	longest = longest_fork();
	ksft_print_msg("the longest fork takes %.2f ms, and a removal %.2f ms; %d starts\n",
		       longest * 1e3, self->area->hole * 1e3, self->area->starts);
	EXPECT_LT(longest, self->area->hole / 4);
	kill_group(attackers);
	kill_group(others);
	high.sched_priority = 0;
	sched_setscheduler(0, SCHED_OTHER, &high);
}

TEST_HARNESS_MAIN
