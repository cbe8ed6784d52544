/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile with one counter for all ticks, in memory of the test's choice, and
 * what it counts seen by the program: what is there and the figure "counted"
 * are the same number where nothing is discarded, and go up by the same amount
 * where it is. To be included after the harness.
 */
#ifndef SELFTESTS_ONE_COUNTER_H
#define SELFTESTS_ONE_COUNTER_H

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
	EXPECT_GE(1, last.status.pending);
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
	EXPECT_EQ(0, status.pending);
	EXPECT_EQ(0, status.out_of_range);
	EXPECT_EQ(status.samples, status.counted);
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

/* A thread that is counted while another one changes the memory in a tight loop. */
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

static inline void storm(struct __test_metadata *_metadata, struct remap *r,
			 int (*make)(struct remap *r), int times, bool discards)
{
	struct burner burner = { .end = false };
	double used, sure, wall, hz = r->start.rate;
	uint64_t before, counted;
	int k, error = 0;

	wall = clock_seconds(CLOCK_MONOTONIC);
	before = get_status(r->fd).samples;
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
	counted = see_it_end(_metadata, r, discards).samples - before;
	wall = clock_seconds(CLOCK_MONOTONIC) - wall;
	ksft_print_msg("%d times\n", k);
	/*
	 * Each thread may migrate once. The worker takes a CPU after each change, in phase
	 * with the ticks that wake it. So each of the two threads has one tick in each
	 * period at the most; at the least, the one that makes changes has none.
	 */
	EXPECT_COUNT_IN(counted, hz * sure, hz * 2 * wall, 4);
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
