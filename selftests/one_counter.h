/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile with one counter for all ticks, in memory of the test's choice, and
 * what it counts seen by the program: what is there and the figure "counted"
 * are the same number where nothing is discarded, and go up by the same amount
 * where it is. To be included after the harness.
 */
#ifndef SELFTESTS_ONE_COUNTER_H
#define SELFTESTS_ONE_COUNTER_H

#include <dirent.h>

#include "common.h"
#include "expect_count.h"
#include "memory.h"

#define HUGE	((size_t)2 << 20)	/* bytes of a huge page */

static const uint32_t both_flags[] = { 0, PROFIL_PIN_ON_HIT };

struct remap {
	int fd;
	int file;		/* that is mapped there, or -1 */
	uint64_t *counter;	/* at the start of a page */
	uint64_t base;		/* what it had at the start */
	struct profil_region region;
	struct profil_start start;
	long long pins;
	int uffd;		/* handler of its page faults, or -1 */
};

static inline void set_up(struct remap *r)
{
	r->pins = pins_of_all();
	r->file = -1;
	r->uffd = -1;
	count_all(&r->start, &r->region, NULL, 64, get_info(r->fd).tick_hz);
}

/* 0 or errno. */
static inline int begin(struct remap *r, void *counter, uint32_t flags)
{
	r->counter = counter;
	r->region.buf = (uintptr_t)counter;
	r->start.flags = flags;
	return call(r->fd, PROFIL_IOC_START, &r->start);
}

static inline uint64_t counter(const struct remap *r)
{
	return __atomic_load_n(r->counter, __ATOMIC_RELAXED);
}

static inline double ticks(const struct remap *r, double nr)
{
	return nr / r->start.rate;
}

/* A mapping of a file in memory, which is kept open. */
static inline void *map_memfd(struct remap *r, int flags, size_t bytes)
{
	r->file = memfd_create("counters", MFD_CLOEXEC);
	if (r->file < 0 || ftruncate(r->file, (off_t)bytes))
		return MAP_FAILED;
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, r->file, 0);
}

/* What status says, and the counter before and after it was asked. */
struct look {
	int64_t before, after;
	struct profil_status status;
};

static inline struct look take_look(const struct remap *r)
{
	struct look look;

	look.before = (int64_t)counter(r);
	look.status = get_status(r->fd);
	look.after = (int64_t)counter(r);
	return look;
}

/*
 * The running profile counts what it says where the program sees it: but for a sample
 * that waits for the page, and one that comes while status is asked.
 */
static inline void see_it_count(struct __test_metadata *_metadata,
				struct remap *r)
{
	double used = thread_seconds();
	struct look first = take_look(r), last;
	int64_t told;

	burn(ticks(r, 8));
	last = take_look(r);
	used = thread_seconds() - used;
	told = (int64_t)(last.status.counted - first.status.counted);
	EXPECT_EQ(PROFIL_STATE_RUNNING, last.status.state);
	EXPECT_EQ(0, last.status.error);
	EXPECT_EQ(0, last.status.lost);
	EXPECT_GE(1, last.status.waiting);
	/* by all threads: at least by this one, which may migrate */
	EXPECT_LE(used * r->start.rate - 3, told);
	EXPECT_LE(last.before - first.after - 1, told);
	EXPECT_GE(last.after - first.before + 1, told);
}

/* End it: every tick is accounted for, and seen, if nothing was discarded. */
static inline struct profil_status
see_it_end(struct __test_metadata *_metadata, struct remap *r, bool discarded)
{
	struct profil_status status = stop(r->fd);

	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(0, status.lost);
	EXPECT_EQ(0, status.waiting);
	EXPECT_EQ(0, status.out_of_range);
	EXPECT_EQ(status.ticks, status.counted);
	if (discarded) {
		EXPECT_GE(r->base + status.counted, counter(r));
	} else {
		EXPECT_EQ(r->base + status.counted, counter(r));
	}
	return status;
}

/* 0 or errno. */
static inline int advise(struct remap *r, int advice)
{
	return madvise(r->counter, PAGE, advice) ? errno : 0;
}

/*
 * A change in a tight loop, while another thread is counted. A thread that runs
 * in bursts shorter than a tick, since it waits for the other's page faults or for
 * a child, is seen by more or fewer ticks than it ran for: then only the other one is
 * sure, and that nothing is counted twice.
 */
struct burner {
	pthread_t thread;
	bool end;
	double used;
};

static inline void *burn_until_end(void *data)
{
	struct burner *burner = data;

	while (!__atomic_load_n(&burner->end, __ATOMIC_RELAXED))
		burn(0.01);
	burner->used = thread_seconds();
	return NULL;
}

/* CPU time of the kernel's threads, one by one: when one ends, its time is in no sum */
struct kernel_time {
	int nr;
	struct {
		int pid;
		unsigned long long ns;
	} each[1024];
};

#define KERNEL_THREAD	0x00200000	/* PF_KTHREAD, of the flags in /proc/PID/stat */

/*
 * A tick wakes the worker that pins, and on PREEMPT_RT the threads that free memory, which
 * then run until shortly before the next: their time is never hit, and the thread that
 * they took the CPU from always is.
 */
static inline void read_kernel_time(struct kernel_time *threads)
{
	unsigned long long ns;
	char path[64], line[512];
	unsigned int flags;
	struct dirent *entry;
	FILE *file;
	DIR *proc;

	threads->nr = 0;
	proc = opendir("/proc");
	if (!proc)
		abort();
	while ((entry = readdir(proc)) && threads->nr < 1024) {
		snprintf(path, sizeof(path), "/proc/%.20s/stat", entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;	/* no process, or ended meanwhile */
		if (!fgets(line, sizeof(line), file))
			line[0] = 0;
		fclose(file);
		if (!strrchr(line, ')') ||
		    sscanf(strrchr(line, ')'), ") %*c %*d %*d %*d %*d %*d %u",
			   &flags) != 1 || !(flags & KERNEL_THREAD))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/schedstat", entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fscanf(file, "%llu", &ns) == 1) {
			threads->each[threads->nr].pid = atoi(entry->d_name);
			threads->each[threads->nr++].ns = ns;
		}
		fclose(file);
	}
	closedir(proc);
}

/* CPU time of these threads since then, in s. One that has ended was idle for minutes. */
static inline double kernel_seconds(const struct kernel_time *since)
{
	static struct kernel_time now;
	unsigned long long sum = 0;
	int i, k;

	read_kernel_time(&now);
	for (i = 0; i < now.nr; i++) {
		for (k = 0; k < since->nr && since->each[k].pid != now.each[i].pid; k++)
			;
		sum += now.each[i].ns - (k < since->nr ? since->each[k].ns : 0);
	}
	return (double)sum / 1e9;
}

static inline void storm(struct __test_metadata *_metadata, struct remap *r,
			 int (*make)(struct remap *r), int times, bool discards,
			 bool in_bursts)
{
	static struct kernel_time threads;
	struct burner burner = { .end = false };
	double used, most, sure, wall, hz = r->start.rate;
	uint64_t before, counted;
	int k, error = 0;

	read_kernel_time(&threads);
	wall = clock_seconds(CLOCK_MONOTONIC);
	most = process_seconds();
	before = get_status(r->fd).ticks;
	used = process_seconds();
	ASSERT_EQ(0, pthread_create(&burner.thread, NULL, burn_until_end,
				    &burner));
	for (k = 0; !error && (k < times || process_seconds() < used + 0.2); k++)
		error = make(r);
	__atomic_store_n(&burner.end, true, __ATOMIC_RELAXED);
	pthread_join(burner.thread, NULL);
	EXPECT_EQ(0, error);
	sure = thread_seconds();
	see_it_count(_metadata, r);
	sure = burner.used + thread_seconds() - sure;
	used = process_seconds() - used;
	counted = see_it_end(_metadata, r, discards).ticks - before;
	most = process_seconds() - most + kernel_seconds(&threads);
	wall = clock_seconds(CLOCK_MONOTONIC) - wall;
	ksft_print_msg("%d times\n", k);
	/*
	 * The burner and this thread may migrate. One that runs in bursts has no more
	 * than one tick in each period.
	 */
	if (in_bursts)
		EXPECT_COUNT_IN(counted, hz * sure, hz * (burner.used + wall), 4);
	else
		EXPECT_COUNT_IN(counted, hz * used, hz * most, 4);
	r->base = 0;
}

/* For fixtures that have it as "r": nothing stays pinned, here or elsewhere. */
#define TEARDOWN(fixture)						\
	FIXTURE_TEARDOWN(fixture)					\
	{								\
		stop(self->r.fd);					\
		EXPECT_EQ(0, pinned_kib());				\
		EXPECT_TRUE(pins_went_back_to(self->r.pins));		\
		close(self->r.fd);					\
	}

#endif /* SELFTESTS_ONE_COUNTER_H */
