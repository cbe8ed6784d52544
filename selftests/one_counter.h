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
#include "memory.h"
#include "share.h"

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
	int uffd;		/* who handles its page faults, or -1 */
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

/* The running profile counts what it says where the program sees it. */
static inline void see_it_count(struct __test_metadata *_metadata,
				struct remap *r)
{
	struct look first = take_look(r), last;
	int64_t least, most, told = 0;
	int i;

	/*
	 * On a busy host, ticks may come later than what they are for, and many in
	 * one: also just when status is asked.
	 */
	for (i = 0; i < 10 && (told < 20 || last.status.waiting > 2); i++) {
		burn(ticks(r, 20));
		last = take_look(r);
		told = (int64_t)(last.status.counted - first.status.counted);
	}
	least = last.before - first.after;
	most = last.after - first.before;
	EXPECT_EQ(PROFIL_STATE_RUNNING, last.status.state);
	EXPECT_EQ(0, last.status.error);
	EXPECT_EQ(0, last.status.lost);
	EXPECT_GE(2, last.status.waiting);
	EXPECT_LE(20, told);
	EXPECT_TRUE(told >= least - 2 && told <= most + 2) {
		TH_LOG("%lld told, %lld to %lld seen", (long long)told,
		       (long long)least, (long long)most);
	}
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
		unsigned long ticks;	/* of 1/_SC_CLK_TCK s */
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
	unsigned long user, system;
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
		    sscanf(strrchr(line, ')'), ") %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %lu %lu",
			   &flags, &user, &system) != 3 || !(flags & KERNEL_THREAD))
			continue;
		threads->each[threads->nr].pid = atoi(entry->d_name);
		threads->each[threads->nr++].ticks = user + system;
	}
	closedir(proc);
}

/* CPU time of these threads since then, in s. Who has ended was idle for minutes. */
static inline double kernel_seconds(const struct kernel_time *since)
{
	static struct kernel_time now;
	unsigned long sum = 0;
	int i, k;

	read_kernel_time(&now);
	for (i = 0; i < now.nr; i++) {
		for (k = 0; k < since->nr && since->each[k].pid != now.each[i].pid; k++)
			;
		sum += now.each[i].ticks - (k < since->nr ? since->each[k].ticks : 0);
	}
	return (double)sum / (double)sysconf(_SC_CLK_TCK);
}

/* Ticks / those due, where they are fewer than of what is sure, or more than of all. */
static inline double share_of_storm(struct __test_metadata *_metadata,
				    struct remap *r,
				    int (*make)(struct remap *r), int times,
				    bool discards, bool in_bursts)
{
	static struct kernel_time threads;
	struct burner burner = { .end = false };
	double used, most, sure, seconds;
	uint64_t before;
	int k, error = 0;

	/* measured anew */
	if (get_status(r->fd).state == PROFIL_STATE_OFF) {
		r->base = counter(r);
		ASSERT_EQ(0, begin(r, r->counter, r->start.flags));
	}
	read_kernel_time(&threads);
	most = process_seconds();
	before = get_status(r->fd).ticks;
	used = process_seconds();
	ASSERT_EQ(0, pthread_create(&burner.thread, NULL, burn_until_end,
				    &burner));
	times = races(times);
	for (k = 0; !error && (k < times || process_seconds() < used + 1); k++)
		error = make(r);
	__atomic_store_n(&burner.end, true, __ATOMIC_RELAXED);
	pthread_join(burner.thread, NULL);
	EXPECT_EQ(0, error);
	sure = thread_seconds();
	see_it_count(_metadata, r);
	sure = burner.used + thread_seconds() - sure;
	used = process_seconds() - used;
	seconds = ticks(r, (double)(see_it_end(_metadata, r, discards).ticks -
				    before));
	/* what the two calls take, which is much on debug kernels, has ticks too */
	most = process_seconds() - most + kernel_seconds(&threads);
	ksft_print_msg("%d times: %.3f s of ticks in %.3f to %.3f s\n", k, seconds,
		       used, most);
	return share_of_range(seconds, in_bursts ? sure : used, most);
}

static inline void storm(struct __test_metadata *_metadata, struct remap *r,
			 int (*make)(struct remap *r), int times, bool discards,
			 bool in_bursts)
{
	EXPECT_SHARE(0.9, in_bursts ? 1.6 : 1.1,
		     share_of_storm(_metadata, r, make, times, discards,
				    in_bursts));
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
