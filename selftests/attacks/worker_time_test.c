// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile has 4096 regions whose counters do not touch. 16 children inherit it, and each
 * discards the page of one counter as often as it can. The kernel's workers handle the changes
 * outside the attacker's cpu cgroup. So they must use little CPU time, and must not run before
 * others: at most an eighth of the attackers' CPU time, at nice 0 or more.
 *
 * A worker runs at intervals of some ms, and a check costs no more than a change: that takes far
 * less than an eighth. The attackers use both CPUs, so the workers' time is missing elsewhere.
 */
#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "files.h"
#include "kernel/tasks.h"

#define ATTACKER	7603	/* a uid that no other test charges */
#define REGIONS		4096
#define CHILDREN	16
#define SECONDS		0.5	/* CPU time of all children together */
#define SHARE		0.125

FIXTURE(worker_time) {
	int device;
};

FIXTURE_SETUP(worker_time)
{
	REQUIRE_DEVICE(self->device);
	if (geteuid())
		SKIP(return, "needs root");
}

FIXTURE_TEARDOWN(worker_time)
{
	close(self->device);
}

/* Each region is one byte of code. The counters lie in every second page. */
static int begin(int device, char *counters)
{
	static struct profil_region regions[REGIONS];
	char *code = map_memory(REGIONS);
	struct profil_start start = {
		.size = sizeof(start),
		.rate = 1,
		.flags = PROFIL_PIN_ON_HIT,
		.width = 64,
		.nr_regions = REGIONS,
		.regions = (uintptr_t)regions,
	};
	int i;

	for (i = 0; i < REGIONS; i++)
		regions[i] = (struct profil_region) {
			.start = (uintptr_t)code + (size_t)i,
			.end = (uintptr_t)code + (size_t)i + 1,
			.offset = (uintptr_t)code + (size_t)i,
			.buf = (uintptr_t)counters + 2 * (size_t)i * PAGE,
			.bytes = 8,
			.rounding = PROFIL_ROUND_FIRST,
		};
	return call(device, PROFIL_IOC_START, &start);
}

/* Returns the number of discards. */
static long discard(char *page, double seconds)
{
	double end = process_seconds() + seconds;
	long times = 0;
	int i;

	do {
		for (i = 0; i < 16; i++) {
			*page = 1;
			madvise(page, PAGE, MADV_DONTNEED);
		}
		times += i;
	} while (process_seconds() < end);
	return times;
}

static void attack(int device, long *times)
{
	char *counters = map_memory(2 * REGIONS * PAGE);
	int i;

	if (become_user(ATTACKER, 64) || begin(device, counters))
		_exit(1);
	for (i = 0; i < CHILDREN; i++)
		if (!fork()) {
			times[i] = discard(counters + 2 * (size_t)i * PAGE, SECONDS / CHILDREN);
			_exit(0);
		}
	for (i = 0; i < CHILDREN; i++)
		if (wait_for(-1))
			_exit(2);
	_exit(0);
}

struct used {
	unsigned long long ns[1 << 15];		/* by pid */
	int hasty;				/* workers with nice below 0 */
};

static unsigned long long note_time(pid_t pid, const struct task *task, void *data)
{
	struct used *used = data;

	used->ns[pid] = task->ns;
	return task->ns;
}

static unsigned long long add_time(pid_t pid, const struct task *task, void *data)
{
	struct used *used = data;
	unsigned long long ns = task->ns - used->ns[pid];

	/* a worker may do other work for a moment */
	if (task->nice < 0 && ns > 5000000ULL) {
		ksft_print_msg("%s with nice %d used %llu ms\n", task->name, task->nice,
			       ns / 1000000);
		used->hasty++;
	}
	return ns;
}

TEST_F(worker_time, is_small_for_discards)
{
	static struct used used;
	double workers, attackers;
	long *times = map_shared(PAGE), all = 0;
	pid_t pid;
	int i;

	each_kworker(note_time, &used);
	pid = fork();
	if (!pid)
		attack(self->device, times);
	ASSERT_EQ(0, wait_for(pid));
	/* let the workers finish */
	usleep(500000);
	workers = (double)each_kworker(add_time, &used) / 1e9;
	attackers = children_seconds();
	for (i = 0; i < CHILDREN; i++)
		all += times[i];
	ksft_print_msg("%ld discards in %.0f ms of CPU time; workers used %.0f ms, %.2f of it\n",
		       all, attackers * 1e3, workers * 1e3, workers / attackers);
	EXPECT_GE(SHARE * attackers, workers);
	EXPECT_EQ(0, used.hasty);
}

TEST_HARNESS_MAIN
