// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slots of a session (cpu.c, compiled in here): profil_cpus_barrier() waits for
 * samples in progress, and CPUs that alternate on the shared slot get their own.
 */
#include "../counters/cpu.c"

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/sched.h>

#include "concurrent.h"
#include "suites.h"

#define TIMES	20

static struct profil_cpus *make_cpus(struct kunit *test)
{
	struct profil_cpus *cpus = kunit_kzalloc(test, sizeof(*cpus), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cpus);
	profil_cpus_init(cpus);
	return cpus;
}

/* This CPU uses the shared slot after another one, @changes times. Return: requests. */
static unsigned int take_turns(struct profil_cpus *cpus, unsigned int changes)
{
	unsigned int requests = 0;
	unsigned long flags;

	raw_spin_lock_irqsave(&cpus->shared.lock, flags);
	while (changes--) {
		cpus->last = -1;
		requests += profil_cpus_used(cpus, &cpus->shared);
	}
	raw_spin_unlock_irqrestore(&cpus->shared.lock, flags);
	return requests;
}

/* Give each possible CPU a slot of its own. */
static void give_slots(struct kunit *test, struct profil_cpus *cpus)
{
	take_turns(cpus, PROFIL_CPU_CHANGES);
	profil_cpus_grow(cpus, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, cpus->own);
}

/* One thread takes a slow sample; the other waits for it before memory is unpinned. */
struct slow_sample {
	struct profil_cpus *cpus;
	struct completion began;
	bool sampling;
	unsigned int too_early;
};

/* With interrupts off, as in the tick */
static void sample(struct slow_sample *slow)
{
	struct profil_cpu *this;
	unsigned long flags;

	local_irq_save(flags);
	this = profil_cpus_here(slow->cpus);
	raw_spin_lock(&this->lock);
	WRITE_ONCE(slow->sampling, true);
	complete(&slow->began);
	/* much longer than the other thread needs to wake up and check */
	mdelay(5);
	WRITE_ONCE(slow->sampling, false);
	raw_spin_unlock(&this->lock);
	local_irq_restore(flags);
}

static void wait_and_check(struct slow_sample *slow)
{
	wait_for_completion(&slow->began);
	profil_cpus_barrier(slow->cpus);
	if (READ_ONCE(slow->sampling))
		slow->too_early++;
}

static void sample_or_wait(struct test_thread *thread)
{
	if (thread->number)
		wait_and_check(thread->data);
	else
		sample(thread->data);
}

static void barrier_waits_for_samples(struct kunit *test)
{
	struct slow_sample slow = { .sampling = false };
	struct test_thread threads[2];
	int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	slow.cpus = make_cpus(test);
	for (i = 0; i < 2 * TIMES; i++) {
		/* first with the shared slot, then with slots of their own */
		if (i == TIMES)
			give_slots(test, slow.cpus);
		init_completion(&slow.began);
		run_threads(test, threads, 2, sample_or_wait, &slow);
	}
	profil_cpus_free(slow.cpus);
	KUNIT_EXPECT_EQ(test, slow.too_early, 0);
}

static void barrier_forgets_pages(struct kunit *test)
{
	struct profil_cpus *cpus = make_cpus(test);
	struct page page;
	int cpu;

	give_slots(test, cpus);
	cpus->shared.page = &page;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(cpus->own, cpu)->page = &page;
	profil_cpus_barrier(cpus);
	KUNIT_EXPECT_NULL(test, cpus->shared.page);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_NULL(test, per_cpu_ptr(cpus->own, cpu)->page);
	profil_cpus_free(cpus);
}

/*
 * A barrier misses slots that are published after it has visited the shared slot. Therefore
 * slots are published with the shared slot's lock held.
 */
struct published {
	struct profil_cpus *cpus;
	struct completion locked;
	unsigned int too_early;
};

static void hold_or_publish(struct test_thread *thread)
{
	struct published *published = thread->data;
	unsigned long flags;

	if (thread->number) {
		wait_for_completion(&published->locked);
		profil_cpus_grow(published->cpus, GFP_KERNEL);
		return;
	}
	raw_spin_lock_irqsave(&published->cpus->shared.lock, flags);
	complete(&published->locked);
	mdelay(5);
	if (READ_ONCE(published->cpus->own))
		published->too_early++;
	raw_spin_unlock_irqrestore(&published->cpus->shared.lock, flags);
}

static void slots_are_published_under_shared_lock(struct kunit *test)
{
	struct published published = { .too_early = 0 };
	struct test_thread threads[2];
	int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	for (i = 0; i < TIMES; i++) {
		published.cpus = make_cpus(test);
		take_turns(published.cpus, PROFIL_CPU_CHANGES);
		init_completion(&published.locked);
		run_threads(test, threads, 2, hold_or_publish, &published);
		KUNIT_EXPECT_TRUE(test, published.cpus->own);
		profil_cpus_free(published.cpus);
	}
	KUNIT_EXPECT_EQ(test, published.too_early, 0);
}

/* A single CPU never gets its own slot; CPUs that take turns do. */
static void slots_only_for_cpus_in_turns(struct kunit *test)
{
	struct profil_cpus *cpus = make_cpus(test);
	unsigned long flags;
	unsigned int i;
	bool own;

	raw_spin_lock_irqsave(&cpus->shared.lock, flags);
	for (i = 0; i < 100 * PROFIL_CPU_CHANGES; i++)
		if (profil_cpus_used(cpus, profil_cpus_here(cpus)))
			break;
	raw_spin_unlock_irqrestore(&cpus->shared.lock, flags);
	KUNIT_EXPECT_EQ(test, i, 100 * PROFIL_CPU_CHANGES);
	KUNIT_EXPECT_EQ(test, take_turns(cpus, PROFIL_CPU_CHANGES - 2), 0);
	KUNIT_EXPECT_FALSE(test, profil_cpus_wants_grow(cpus));

	KUNIT_EXPECT_EQ(test, take_turns(cpus, 1), 1);
	KUNIT_EXPECT_TRUE(test, profil_cpus_wants_grow(cpus));
	profil_cpus_grow(cpus, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, cpus->own);
	KUNIT_EXPECT_FALSE(test, profil_cpus_wants_grow(cpus));
	local_irq_save(flags);
	own = profil_cpus_here(cpus) == this_cpu_ptr(cpus->own);
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, own);
	profil_cpus_free(cpus);
}

/* If slots could not be allocated, the worker is requested again. */
static void retries_without_memory(struct kunit *test)
{
	struct profil_cpus *cpus = make_cpus(test);

	KUNIT_EXPECT_EQ(test, take_turns(cpus, 5 * PROFIL_CPU_CHANGES), 5);
	profil_cpus_free(cpus);
}

static void counts_add_up_all_slots(struct kunit *test)
{
	struct profil_cpus *cpus = make_cpus(test);
	struct profil_counts sum;
	u64 nr = 1 + num_possible_cpus();
	int cpu;

	give_slots(test, cpus);
	/* more than 32 bits: 12 days at 4 kHz */
	cpus->shared.counts = (struct profil_counts) {
		1ULL << 33, 1ULL << 34, 1ULL << 35, 1ULL << 36
	};
	for_each_possible_cpu(cpu)
		per_cpu_ptr(cpus->own, cpu)->counts = cpus->shared.counts;
	sum = profil_cpus_counts(cpus);
	KUNIT_EXPECT_EQ(test, sum.samples, nr << 33);
	KUNIT_EXPECT_EQ(test, sum.counted, nr << 34);
	KUNIT_EXPECT_EQ(test, sum.out_of_range, nr << 35);
	KUNIT_EXPECT_EQ(test, sum.lost, nr << 36);
	profil_cpus_free(cpus);
}

#define PARTS	10

/*
 * Distribute the initial phases of all slots of consecutive sessions over tenths of a
 * sample. Return: the difference between the fullest tenth and the emptiest.
 */
static unsigned int spread(u32 sessions, u32 slots)
{
	unsigned int nr[PARTS] = {}, least = UINT_MAX, most = 0, i;
	u32 serial, number;

	for (serial = 1; serial <= sessions; serial++)
		for (number = 0; number < slots; number++)
			nr[profil_clock_phase(serial, number) * PARTS / HZ]++;
	for (i = 0; i < PARTS; i++) {
		least = min(least, nr[i]);
		most = max(most, nr[i]);
	}
	return most - least;
}

/*
 * Multiples of the golden ratio and of the square root of 2 are almost evenly spread, and so
 * is their sum: the difference is 2 with one slot, and 17 with 144 (a Fibonacci number).
 * Random phases would give three times the square root of a tenth's number: 16 and 200.
 */
static void phases_are_evenly_spread(struct kunit *test)
{
	static const u32 slots[] = { 1, 2, 8, 13, 64, 144, 256 };
	unsigned int i;

	KUNIT_EXPECT_LE(test, spread(1, 256), 4U);
	for (i = 0; i < ARRAY_SIZE(slots); i++)
		KUNIT_EXPECT_LE_MSG(test, spread(300, slots[i]),
				    4 + slots[i] / 6, "%u slots", slots[i]);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(barrier_waits_for_samples),
	KUNIT_CASE(barrier_forgets_pages),
	KUNIT_CASE(slots_are_published_under_shared_lock),
	KUNIT_CASE(slots_only_for_cpus_in_turns),
	KUNIT_CASE(retries_without_memory),
	KUNIT_CASE(counts_add_up_all_slots),
	KUNIT_CASE(phases_are_evenly_spread),
	{}
};

struct kunit_suite profil_cpu_suite = {
	.name = "profil_cpu",
	.test_cases = cases,
};
