// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue of pending samples (pending.c, compiled in here): random operations compared with
 * a table, adds while the first entry is counted, growth, the cost of a full queue, and
 * interrupts and other CPUs that add while a thread removes samples.
 */
#include "../counters/pending.c"

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "concurrent.h"
#include "pseudo.h"
#include "suites.h"

/* More than the queue holds after it has grown, so that it is full at times */
#define NR_COUNTERS		(2 * PROFIL_PENDING_MIN)

/* Samples of each counter: in range, and out of range */
struct tally {
	u64 samples[NR_COUNTERS][2];
	u64 since[NR_COUNTERS][2];	/* serial number of the entry */
};

/* A pc that depends on the counter, as for a pc log */
static u64 pc_of(u64 buf_offset)
{
	return buf_offset * 0x10001;
}

static struct profil_sample sample_at(u32 number, u32 samples)
{
	u64 buf_offset = number % NR_COUNTERS;

	return (struct profil_sample){
		.buf_offset = buf_offset,
		.pc = pc_of(buf_offset),
		.samples = samples,
		.out_of_range = number / NR_COUNTERS % 2,
	};
}

static u64 *entry_of(struct tally *tally, const struct profil_sample *sample)
{
	return &tally->samples[sample->buf_offset][sample->out_of_range];
}

static u64 *since_of(struct tally *tally, const struct profil_sample *sample)
{
	return &tally->since[sample->buf_offset][sample->out_of_range];
}

static void *test_zalloc(struct kunit *test, size_t size)
{
	void *memory = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, memory);
	return memory;
}

/* @grows: number of the operation before which the queue grows; UINT_MAX: never */
static void run_operations(struct kunit *test, unsigned int grows)
{
	struct profil_pending *queue = test_zalloc(test, sizeof(*queue));
	struct tally *tally = test_zalloc(test, sizeof(*tally));
	unsigned int i, pending = 0, refused = 0, merged = 0, rotated = 0;
	u32 size = PROFIL_PENDING_INLINE;
	struct profil_sample sample;
	struct rnd_state rnd;
	u64 sum = 0, begun = 0, last = 0, *entry;
	bool room;

	profil_pending_init(queue);
	prandom_seed_state(&rnd, 9);
	for (i = 0; i < 16000; i++) {
		if (i == grows) {
			size = PROFIL_PENDING_MIN;
			profil_pending_grow(queue, size, GFP_KERNEL);
		}
		/* mostly adding for a while, then mostly taking */
		if (prandom_u32_state(&rnd) % 8 < (i % 2048 < 1024 ? 7 : 2)) {
			sample = sample_at(prandom_u32_state(&rnd),
					   1 + prandom_u32_state(&rnd) % 9);
			entry = entry_of(tally, &sample);
			room = *entry || pending < size;
			KUNIT_ASSERT_EQ(test, profil_pending_add(queue, &sample), room);
			if (room) {
				if (!*entry)
					*since_of(tally, &sample) = ++begun;
				pending += !*entry;
				merged += !!*entry;
				*entry += sample.samples;
				sum += sample.samples;
			}
			refused += !room;
		} else {
			room = profil_pending_first(queue, &sample);
			KUNIT_ASSERT_TRUE(test, room == (pending > 0));
			if (!room)
				continue;
			if (prandom_u32_state(&rnd) % 8 == 0) {
				profil_pending_rotate(queue);
				*since_of(tally, &sample) = ++begun;
				rotated++;
				continue;
			}
			profil_pending_done(queue, sample.samples);
			entry = entry_of(tally, &sample);
			KUNIT_ASSERT_EQ(test, (u64)sample.samples, *entry);
			KUNIT_ASSERT_EQ(test, sample.pc, pc_of(sample.buf_offset));
			/* first in, first out */
			KUNIT_ASSERT_GT(test, *since_of(tally, &sample), last);
			last = *since_of(tally, &sample);
			sum -= *entry;
			*entry = 0;
			pending--;
		}
		KUNIT_ASSERT_EQ(test, READ_ONCE(queue->nr), pending);
		KUNIT_ASSERT_EQ(test, profil_pending_sum(queue), sum);
	}
	/* all cases have occurred */
	KUNIT_EXPECT_GT(test, refused, 300U);
	KUNIT_EXPECT_GT(test, merged, 300U);
	KUNIT_EXPECT_GT(test, rotated, 300U);
	profil_pending_free(queue);
}

static void random_operations_match_a_table(struct kunit *test)
{
	run_operations(test, UINT_MAX);
	run_operations(test, 0);
	/* while the queue is full, and while it is nearly empty */
	run_operations(test, 1000);
	run_operations(test, 2040);
}

/* The first of two entries moves to the end, with all its samples; a single one stays. */
static void rotate_moves_first_to_end(struct kunit *test)
{
	struct profil_pending *queue = test_zalloc(test, sizeof(*queue));
	struct profil_sample sample;
	unsigned int i;

	profil_pending_init(queue);
	sample = sample_at(7, 2);
	profil_pending_add(queue, &sample);
	profil_pending_rotate(queue);
	sample = sample_at(3, 1);
	profil_pending_add(queue, &sample);
	KUNIT_ASSERT_TRUE(test, profil_pending_first(queue, &sample));
	KUNIT_EXPECT_EQ(test, sample.buf_offset, 7ULL);

	sample = sample_at(7, 5);
	profil_pending_add(queue, &sample);
	profil_pending_rotate(queue);
	sample = sample_at(7, 1);
	profil_pending_add(queue, &sample);
	KUNIT_ASSERT_TRUE(test, profil_pending_first(queue, &sample));
	KUNIT_EXPECT_EQ(test, sample.buf_offset, 3ULL);
	profil_pending_done(queue, 1);
	KUNIT_ASSERT_TRUE(test, profil_pending_first(queue, &sample));
	KUNIT_EXPECT_EQ(test, sample.buf_offset, 7ULL);
	KUNIT_EXPECT_EQ(test, sample.samples, 8U);
	KUNIT_EXPECT_EQ(test, READ_ONCE(queue->nr), 1U);
	profil_pending_done(queue, 8);

	/* three times around a full queue */
	for (i = 0; i < PROFIL_PENDING_INLINE; i++) {
		sample = sample_at(i, 1);
		KUNIT_ASSERT_TRUE(test, profil_pending_add(queue, &sample));
	}
	for (i = 0; i < 3 * PROFIL_PENDING_INLINE; i++) {
		KUNIT_ASSERT_TRUE(test, profil_pending_first(queue, &sample));
		KUNIT_ASSERT_EQ(test, sample.buf_offset, (u64)i % PROFIL_PENDING_INLINE);
		profil_pending_rotate(queue);
	}
	KUNIT_EXPECT_EQ(test, profil_pending_sum(queue), (u64)PROFIL_PENDING_INLINE);
}

/* There is room for the samples that CPUs take until the worker runs. */
static void room_grows_with_rate_and_cpus(struct kunit *test)
{
	struct profil_pending *queue = test_zalloc(test, sizeof(*queue));

	/* a few threads at the tick's rate fit into the initial queue */
	KUNIT_EXPECT_LE(test, profil_pending_want(1000, 3, 8), PROFIL_PENDING_INLINE);
	KUNIT_EXPECT_LE(test, profil_pending_want(250, 10, 8), PROFIL_PENDING_INLINE);
	/* one thread at 20 kHz takes 120 samples in 6 ms */
	KUNIT_EXPECT_GE(test, profil_pending_want(20000, 1, 6), 120U);
	KUNIT_EXPECT_GE(test, profil_pending_want(20000, 34, 6), 120U * 34);
	KUNIT_EXPECT_EQ(test, profil_pending_want(UINT_MAX, UINT_MAX, 120), PROFIL_PENDING_MAX);

	profil_pending_init(queue);
	profil_pending_grow(queue, PROFIL_PENDING_INLINE, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, pending_size(queue), PROFIL_PENDING_INLINE);
	profil_pending_grow(queue, PROFIL_PENDING_INLINE + 1, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, pending_size(queue), PROFIL_PENDING_MIN);
	/* a queue grows only once */
	profil_pending_grow(queue, PROFIL_PENDING_MAX, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, pending_size(queue), PROFIL_PENDING_MIN);
	profil_pending_free(queue);

	profil_pending_init(queue);
	profil_pending_grow(queue, PROFIL_PENDING_MAX - 1, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, pending_size(queue), PROFIL_PENDING_MAX);
	profil_pending_free(queue);
}

/* The worker makes a queue grow that was more than half full, once. */
static void half_full_queue_wants_to_grow(struct kunit *test)
{
	struct profil_pending *queue = test_zalloc(test, sizeof(*queue));
	struct profil_sample sample;
	unsigned int i;

	profil_pending_init(queue);
	for (i = 0; i < PROFIL_PENDING_INLINE / 2 + 1; i++) {
		KUNIT_EXPECT_FALSE(test, profil_pending_wants_grow(queue));
		sample = sample_at(i, 1);
		KUNIT_ASSERT_TRUE(test, profil_pending_add(queue, &sample));
	}
	KUNIT_EXPECT_TRUE(test, profil_pending_wants_grow(queue));
	profil_pending_grow(queue, PROFIL_PENDING_MIN, GFP_KERNEL);
	KUNIT_EXPECT_FALSE(test, profil_pending_wants_grow(queue));
	profil_pending_free(queue);
}

/*
 * The shortest time of 100 adds, measured with interrupts off, from @buf_offset on: to
 * counters that a full queue holds, or to new ones, which it refuses.
 */
static u64 ns_of_adds(struct profil_pending *queue, u64 buf_offset)
{
	struct profil_sample sample = { .samples = 1 };
	u64 least = U64_MAX, ns;
	unsigned long flags;
	unsigned int i, k;

	for (i = 0; i < 10; i++) {
		local_irq_save(flags);
		ns = ktime_get_ns();
		for (k = 0; k < 100; k++) {
			sample.buf_offset = buf_offset + k % 16 * 8;
			profil_pending_add(queue, &sample);
		}
		ns = ktime_get_ns() - ns;
		local_irq_restore(flags);
		least = min(least, ns);
	}
	return least;
}

static struct profil_pending *make_full_log(struct kunit *test, u32 want)
{
	struct profil_pending *queue = test_zalloc(test, sizeof(*queue));
	struct profil_sample sample = { .samples = 1 };

	profil_pending_init(queue);
	profil_pending_grow(queue, want, GFP_KERNEL);
	while (profil_pending_add(queue, &sample))
		sample.buf_offset += 8;
	return queue;
}

static void cost_does_not_depend_on_size(struct kunit *test)
{
	struct profil_pending *few = make_full_log(test, 0);
	struct profil_pending *most = make_full_log(test, PROFIL_PENDING_MAX);

	KUNIT_ASSERT_EQ(test, READ_ONCE(most->nr), PROFIL_PENDING_MAX);
	/* a search of all entries would take 128 times as long */
	KUNIT_EXPECT_LE(test, ns_of_adds(most, 0), 8 * ns_of_adds(few, 0));
	KUNIT_EXPECT_LE(test, ns_of_adds(most, 1 << 20),
			8 * ns_of_adds(few, 1 << 20));
	profil_pending_free(most);
}

#define CHOSEN	512U

/* If all counters hash to one bucket, its chain stays short, and no sample is lost. */
static void chains_stay_short(struct kunit *test)
{
	struct profil_pending *queue = test_zalloc(test, sizeof(*queue));
	u32 chain, most = 0, links = 0, taken = 0, i;
	struct profil_sample sample = { .samples = 1 };
	u16 link;

	profil_pending_init(queue);
	profil_pending_grow(queue, CHOSEN, GFP_KERNEL);
	while (READ_ONCE(queue->nr) < CHOSEN) {
		sample.buf_offset += 8;
		if (pending_bucket(queue, &sample) == queue->buckets)
			KUNIT_ASSERT_TRUE(test, profil_pending_add(queue, &sample));
	}
	for (i = 0; i < pending_size(queue); i++) {
		chain = 0;
		for (link = queue->buckets[i]; link; link = queue->next[link - 1])
			chain++;
		most = max(most, chain);
		links += chain;
	}
	KUNIT_EXPECT_EQ(test, most, PROFIL_PENDING_CHAIN);
	KUNIT_EXPECT_EQ(test, links, PROFIL_PENDING_CHAIN);
	while (profil_pending_first(queue, &sample)) {
		profil_pending_done(queue, sample.samples);
		taken += sample.samples;
	}
	KUNIT_EXPECT_EQ(test, taken, CHOSEN);
	for (i = 0; i < pending_size(queue); i++)
		KUNIT_ASSERT_EQ(test, queue->buckets[i], 0);
	profil_pending_free(queue);
}

/* Samples added to the first entry while it is counted stay there, first in the queue. */
static void samples_added_to_first_stay_first(struct kunit *test)
{
	struct profil_pending *queue = test_zalloc(test, sizeof(*queue));
	struct profil_sample sample;

	profil_pending_init(queue);
	sample = sample_at(7, 2);
	KUNIT_ASSERT_TRUE(test, profil_pending_add(queue, &sample));
	sample = sample_at(3, 1);
	KUNIT_ASSERT_TRUE(test, profil_pending_add(queue, &sample));

	/* profil_pending_first() does not change the queue */
	KUNIT_ASSERT_TRUE(test, profil_pending_first(queue, &sample));
	KUNIT_ASSERT_TRUE(test, profil_pending_first(queue, &sample));
	KUNIT_EXPECT_EQ(test, sample.buf_offset, 7ULL);
	KUNIT_EXPECT_EQ(test, sample.samples, 2U);
	KUNIT_EXPECT_EQ(test, profil_pending_sum(queue), 3ULL);

	sample = sample_at(7, 5);
	KUNIT_ASSERT_TRUE(test, profil_pending_add(queue, &sample));
	profil_pending_done(queue, 2);
	KUNIT_ASSERT_TRUE(test, profil_pending_first(queue, &sample));
	KUNIT_EXPECT_EQ(test, sample.buf_offset, 7ULL);
	KUNIT_EXPECT_EQ(test, sample.samples, 5U);
	profil_pending_done(queue, 5);

	KUNIT_ASSERT_TRUE(test, profil_pending_first(queue, &sample));
	KUNIT_EXPECT_EQ(test, sample.buf_offset, 3ULL);
	profil_pending_done(queue, 1);
	KUNIT_EXPECT_FALSE(test, profil_pending_first(queue, &sample));
}

/* A queue with two producers and one consumer, and their tallies */
struct flow {
	struct profil_pending queue;
	struct interrupter interrupter;
	struct rnd_state rnd[2];
	struct tally added[2];
	struct tally taken;
	atomic_t adders;
};

#define INTERRUPTS	2000
#define ADDS		10000

static void add_one(struct flow *flow, unsigned int number)
{
	struct rnd_state *rnd = &flow->rnd[number];
	struct profil_sample sample = sample_at(prandom_u32_state(rnd),
						1 + prandom_u32_state(rnd) % 3);

	if (profil_pending_add(&flow->queue, &sample))
		*entry_of(&flow->added[number], &sample) += sample.samples;
}

static bool take_one(struct flow *flow)
{
	struct profil_sample sample;

	if (!profil_pending_first(&flow->queue, &sample))
		return false;
	profil_pending_done(&flow->queue, sample.samples);
	*entry_of(&flow->taken, &sample) += sample.samples;
	return true;
}

static struct flow *make_flow(struct kunit *test)
{
	struct flow *flow = test_zalloc(test, sizeof(*flow));

	profil_pending_init(&flow->queue);
	profil_pending_grow(&flow->queue, PROFIL_PENDING_MIN, GFP_KERNEL);
	prandom_seed_state(&flow->rnd[0], 10);
	prandom_seed_state(&flow->rnd[1], 11);
	return flow;
}

static void expect_all_taken(struct kunit *test, struct flow *flow)
{
	unsigned int i, k;

	while (take_one(flow))
		;
	for (i = 0; i < NR_COUNTERS; i++)
		for (k = 0; k < 2; k++)
			KUNIT_ASSERT_EQ_MSG(test, flow->taken.samples[i][k],
					    flow->added[0].samples[i][k] +
					    flow->added[1].samples[i][k],
					    "buf_offset %u", i);
	KUNIT_EXPECT_EQ(test, profil_pending_sum(&flow->queue), 0ULL);
	profil_pending_free(&flow->queue);
}

/* Add more than the thread takes, so that the queue is full at times. */
static void add_in_interrupt(struct interrupter *interrupter)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		add_one(interrupter->data, 0);
}

static void take_while_interrupted(struct test_thread *thread)
{
	struct flow *flow = thread->data;

	interrupter_start(&flow->interrupter, INTERRUPTS, add_in_interrupt, flow);
	while (!interrupter_is_done(&flow->interrupter)) {
		take_one(flow);
		add_one(flow, 1);
		cond_resched();
	}
	interrupter_stop(&flow->interrupter);
}

static void interrupts_lose_no_samples(struct kunit *test)
{
	struct flow *flow = make_flow(test);
	struct test_thread thread;

	run_threads(test, &thread, 1, take_while_interrupted, flow);
	expect_all_taken(test, flow);
}

static void add_or_take(struct test_thread *thread)
{
	struct flow *flow = thread->data;
	unsigned int i;

	if (thread->number == 2) {
		while (atomic_read(&flow->adders)) {
			take_one(flow);
			cond_resched();
		}
		return;
	}
	for (i = 0; i < ADDS; i++) {
		add_one(flow, thread->number);
		if (!(i % 64))
			cond_resched();
	}
	atomic_dec(&flow->adders);
}

static void concurrent_threads_lose_no_samples(struct kunit *test)
{
	struct test_thread *threads = test_zalloc(test, 3 * sizeof(*threads));
	struct flow *flow = make_flow(test);

	atomic_set(&flow->adders, 2);
	run_threads(test, threads, 3, add_or_take, flow);
	expect_all_taken(test, flow);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(random_operations_match_a_table),
	KUNIT_CASE(rotate_moves_first_to_end),
	KUNIT_CASE(room_grows_with_rate_and_cpus),
	KUNIT_CASE(half_full_queue_wants_to_grow),
	KUNIT_CASE(cost_does_not_depend_on_size),
	KUNIT_CASE(chains_stay_short),
	KUNIT_CASE(samples_added_to_first_stay_first),
	KUNIT_CASE(interrupts_lose_no_samples),
	KUNIT_CASE(concurrent_threads_lose_no_samples),
	{}
};

struct kunit_suite profil_pending_suite = {
	.name = "profil_pending",
	.test_cases = cases,
};
