// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user who is slow in the kernel must not delay another user. A user starts a profile while
 * another user has
 *   - 64 sessions that wait for a page which never arrives, or
 *   - a full memory cgroup, in which 64 processes start sessions. Each process that the kernel
 *     kills for memory waits for such a page, and frees its memory a second later.
 * A START takes at most 50 ms of wall-clock time, at the highest priority of its CPU. The user
 * has no session yet, so the module allocates its record of the user, too. Without the attack a
 * START takes less than 1 ms.
 */
#include <signal.h>

#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "load/cpu_hog.h"
#include "files.h"
#include "eventually.h"
#include "kernel/cgroup.h"
#include "kernel/slow_file.h"

#define ATTACKER	7610	/* a uid that no other test charges */
#define OTHER		7700	/* and the following uids */
#define SLOW		64
#define MAX_REGIONS	PARAMETERS "max_user_regions"
#define VICTIMS		4
#define STARTERS	64
#define LIMIT		((size_t)64 << 20)
#define TIMES		60
#define INTERVAL_US	50000	/* TIMES of them cover the seconds in which victims wait */
#define MOST_MS		50

/* The parameter's value before the test. */
static long long max_regions;

static void restore_regions(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", max_regions);
	if (max_regions > 0)
		write_text(MAX_REGIONS, text);
}

FIXTURE(other_users_wait) {
	int device;
};

FIXTURE_SETUP(other_users_wait)
{
	REQUIRE_DEVICE(self->device);
	if (geteuid())
		SKIP(return, "needs root");
}

FIXTURE_TEARDOWN(other_users_wait)
{
	restore_regions();
	close(self->device);
}

/* The longest of TIMES starts in ms, each by another user. Returns -1 on error. */
static double longest_start(int device)
{
	double *ms = map_shared(PAGE), longest = 0;
	int i;

	for (i = 0; i < TIMES; i++) {
		pid_t pid = fork();

		if (!pid) {
			struct sched_param high = { .sched_priority = 3 };
			void *counter = map_memory(PAGE);
			double began;

			sched_setscheduler(0, SCHED_FIFO, &high);
			if (become_user(OTHER + (uid_t)i, 8))
				_exit(1);
			began = clock_seconds(CLOCK_MONOTONIC);
			if (start_counting(device, counter, 0, 0))
				_exit(1);
			*ms = (clock_seconds(CLOCK_MONOTONIC) - began) * 1e3;
			_exit(0);
		}
		if (wait_for(pid))
			return -1;
		if (*ms > longest)
			longest = *ms;
		usleep(INTERVAL_US);
	}
	return longest;
}

static void see_starts(struct __test_metadata *_metadata, int device, const char *beside)
{
	double ms = longest_start(device);

	ksft_print_msg("the longest START of %d users %s takes %.1f ms\n", TIMES, beside, ms);
	EXPECT_LE(0, ms);
	EXPECT_GE(MOST_MS, ms);
}

static void kill_and_wait(pid_t pid)
{
	kill(pid, SIGKILL);
	wait_for(pid);
}

TEST_F(other_users_wait, not_without_attack)
{
	pid_t holder = hold_hooks(self->device);

	see_starts(_metadata, self->device, "alone");
	kill_and_wait(holder);
}

/* Processes that wait for the page in START, and others whose samples wait for it. */
static void be_slow(int device, void *at, int ready)
{
	double one = seconds_for(1, get_info(device).tick_hz);
	int i;

	setpgid(0, 0);
	if (become_user(ATTACKER, SLOW))
		_exit(1);
	for (i = 0; i < SLOW; i++)
		if (!fork()) {
			if (start_counting(device, at, 0, i % 2 ? PROFIL_PIN_ON_HIT : 0))
				_exit(1);
			burn(one);
			pause();
		}
	usleep(100000);
	send_byte(ready);
	pause();
}

TEST_F(other_users_wait, not_for_a_slow_page)
{
	pid_t holder = hold_hooks(self->device), slow;
	struct slow_file file;
	const char *missing = slow_file_begin(&file);
	int pipes[2];
	void *at;

	if (missing) {
		kill_and_wait(holder);
		SKIP(return, "%s", missing);
	}
	at = slow_file_map(&file, 0);
	ASSERT_EQ(0, pipe(pipes));
	slow = fork();
	if (!slow)
		be_slow(self->device, at, pipes[1]);
	receive_byte(pipes[0]);
	see_starts(_metadata, self->device, "beside waits for a page");
	kill(-slow, SIGKILL);
	slow_file_end(&file);
	kill_and_wait(slow);
	kill_and_wait(holder);
}

/* Decides whether the kernel kills this process of the cgroup first or last. */
static void set_oom_score(const char *score)
{
	write_text("/proc/self/oom_score_adj", score);
}

static void *map_a_page(void *unused)
{
	usleep(50000);
	map_memory(PAGE);
	return unused;
}

/* A process that the kernel kills, and that keeps its memory while it waits. */
static void be_victim(int device, void *at)
{
	char *much = map_memory(1 << 20);
	pthread_t writer;

	set_oom_score("1000");
	memset(much, 1, 1 << 20);
	if (become_user(ATTACKER, VICTIMS) || pthread_create(&writer, NULL, map_a_page, NULL))
		_exit(1);
	start_counting(device, at, 0, 0);
	_exit(0);
}

/*
 * Once *@go is set, makes the module allocate and free its record of a user in a loop, by a
 * START that fails because it has more regions than a user may have. A START that succeeds would
 * also take all locks of the address space, and so a mutex of the whole kernel.
 */
static void start_at_the_limit(int device, uid_t uid, const int *go)
{
	struct profil_region regions[2];
	struct profil_start start;

	count_all(&start, &regions[0], map_memory(PAGE), 64, 1);
	regions[1] = regions[0];
	regions[0].end = PAGE;
	regions[1].start = PAGE;
	regions[1].offset = PAGE;
	start.nr_regions = 2;
	set_oom_score("-1000");
	if (become_user(uid, 8))
		_exit(1);
	while (!__atomic_load_n(go, __ATOMIC_ACQUIRE))
		usleep(10000);
	while (call(device, PROFIL_IOC_START, &start) != EINVAL)
		;
	_exit(1);
}

static void fill(void)
{
	char *much = map_memory(2 * LIMIT);

	set_oom_score("-999");
	memset(much, 1, 2 * LIMIT);
	_exit(0);
}

static void be_at_the_limit(int device, const struct memory_cgroup *group, void *at, const int *go)
{
	int i;

	setpgid(0, 0);
	if (cgroup_join(group))
		_exit(1);
	for (i = 0; i < VICTIMS; i++)
		if (!fork())
			be_victim(device, at);
	for (i = 0; i < STARTERS; i++)
		if (!fork())
			start_at_the_limit(device, ATTACKER + 1 + (uid_t)i, go);
	usleep(500000);
	if (!fork())
		fill();
	pause();
}

/*
 * Each charge to a full cgroup waits until the killed process has exited, or for a second.
 * No other user may wait for such a process.
 */
TEST_F(other_users_wait, not_for_a_full_cgroup)
{
	pid_t holder = hold_hooks(self->device), attackers;
	struct memory_cgroup group;
	struct slow_file file;
	const char *missing = slow_file_begin(&file);
	int *go = map_shared(PAGE);
	void *at;

	if (missing || !cgroup_make(&group, "full")) {
		kill_and_wait(holder);
		SKIP(return, "%s", missing ? missing : "no memory cgroup");
	}
	ASSERT_EQ(0, cgroup_set(&group, "memory.max", (long long)LIMIT));
	ASSERT_EQ(0, write_text(MAX_REGIONS, "1"));
	at = slow_file_map(&file, 0);
	attackers = fork();
	if (!attackers)
		be_at_the_limit(self->device, &group, at, go);
	/* the cgroup is full */
	EXPECT_EVENTUALLY(cgroup_number(&group, "memory.events", "oom_kill ") > 0);
	__atomic_store_n(go, 1, __ATOMIC_RELEASE);
	usleep(100000);
	see_starts(_metadata, self->device, "beside a full memory cgroup");
	ksft_print_msg("the kernel killed %lld processes of the cgroup\n",
		       cgroup_number(&group, "memory.events", "oom_kill "));
	kill(-attackers, SIGKILL);
	slow_file_end(&file);
	kill_and_wait(attackers);
	kill_and_wait(holder);
	EXPECT_EVENTUALLY(!rmdir(group.path));
}

/* Restores the parameter, also if a test times out. */
int main(int argc, char **argv)
{
	max_regions = read_number(MAX_REGIONS, "");
	atexit(restore_regions);
	return test_harness_run(argc, argv);
}
