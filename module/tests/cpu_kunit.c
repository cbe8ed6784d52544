// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots of a session (cpu.c), compiled in here: who takes memory away waits for the
 * samples that still write there, and CPUs get own slots when they share one in turns.
 */
#include "../cpu.c"

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

/* The shared slot is used by CPUs in turns, until so many changes are noted. */
static void take_turns(struct profil_cpus *cpus, unsigned int changes)
{
	int cpu = cpumask_first(cpu_possible_mask);

	while (changes--) {
		profil_cpus_change(cpus, cpu);
		cpu = cpumask_next(cpu, cpu_possible_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_possible_mask);
	}
}

/* All possible CPUs have slots of their own. */
static void give_slots(struct kunit *test, struct profil_cpus *cpus)
{
	int cpu;

	take_turns(cpus, PROFIL_CPU_CHANGES);
	profil_cpus_grow(cpus, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cpus->own);
	take_turns(cpus, num_possible_cpus());
	profil_cpus_grow(cpus, GFP_KERNEL);
	for_each_possible_cpu(cpu)
		KUNIT_ASSERT_GT(test, (unsigned long)cpus->own[cpu],
				(unsigned long)PROFIL_CPU_WANTED);
}

/* One thread samples, slowly; the other takes away what it writes to. */
struct taken_away {
	struct profil_cpus *cpus;
	struct completion began;
	bool sampling;
	unsigned int too_early;
};

/* As in the tick: interrupts are off. */
static void sample(struct taken_away *memory)
{
	struct profil_cpu *this;
	unsigned long flags;

	local_irq_save(flags);
	this = profil_cpus_here(memory->cpus);
	raw_spin_lock(&this->lock);
	WRITE_ONCE(memory->sampling, true);
	complete(&memory->began);
	/* much longer than the other takes to wake up and look */
	mdelay(5);
	WRITE_ONCE(memory->sampling, false);
	raw_spin_unlock(&this->lock);
	local_irq_restore(flags);
}

static void take_away(struct taken_away *memory)
{
	wait_for_completion(&memory->began);
	profil_cpus_barrier(memory->cpus);
	if (READ_ONCE(memory->sampling))
		memory->too_early++;
}

static void sample_or_take_away(struct worker *worker)
{
	if (worker->number)
		take_away(worker->data);
	else
		sample(worker->data);
}

static void barrier_waits_for_samples(struct kunit *test)
{
	struct taken_away memory = { .sampling = false };
	struct worker workers[2];
	int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU: nobody else can sample meanwhile");
	memory.cpus = make_cpus(test);
	for (i = 0; i < 2 * TIMES; i++) {
		/* the shared slot first, then own ones */
		if (i == TIMES)
			give_slots(test, memory.cpus);
		init_completion(&memory.began);
		run_workers(test, workers, 2, sample_or_take_away, &memory);
	}
	profil_cpus_free(memory.cpus);
	KUNIT_EXPECT_EQ(test, memory.too_early, 0);
}

static void barrier_forgets_pages(struct kunit *test)
{
	struct profil_cpus *cpus = make_cpus(test);
	struct page page;
	int cpu;

	give_slots(test, cpus);
	cpus->shared.page = &page;
	for_each_possible_cpu(cpu)
		cpus->own[cpu]->page = &page;
	profil_cpus_barrier(cpus);
	KUNIT_EXPECT_NULL(test, cpus->shared.page);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_NULL(test, cpus->own[cpu]->page);
	profil_cpus_free(cpus);
}

/*
 * A barrier finds no slot that is published after it has visited the shared one. So none
 * may be published while the shared one's lock is held.
 */
struct published {
	struct profil_cpus *cpus;
	struct completion locked;
	unsigned int too_early;
};

static bool is_published(const struct profil_cpus *cpus)
{
	int cpu = cpumask_first(cpu_possible_mask);

	return READ_ONCE(cpus->shared.next) ||
	       READ_ONCE(cpus->own[cpu]) != PROFIL_CPU_WANTED;
}

static void hold_or_publish(struct worker *worker)
{
	struct published *published = worker->data;
	unsigned long flags;

	if (worker->number) {
		wait_for_completion(&published->locked);
		profil_cpus_grow(published->cpus, GFP_KERNEL);
		return;
	}
	raw_spin_lock_irqsave(&published->cpus->shared.lock, flags);
	complete(&published->locked);
	mdelay(5);
	published->too_early += is_published(published->cpus);
	raw_spin_unlock_irqrestore(&published->cpus->shared.lock, flags);
}

static void slots_are_published_under_the_shared_lock(struct kunit *test)
{
	struct published published = { .too_early = 0 };
	struct worker workers[2];
	int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU: nobody else can publish meanwhile");
	for (i = 0; i < TIMES; i++) {
		published.cpus = make_cpus(test);
		take_turns(published.cpus, PROFIL_CPU_CHANGES);
		profil_cpus_grow(published.cpus, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, published.cpus->own);
		take_turns(published.cpus, num_possible_cpus());
		init_completion(&published.locked);
		run_workers(test, workers, 2, hold_or_publish, &published);
		KUNIT_EXPECT_TRUE(test, is_published(published.cpus));
		profil_cpus_free(published.cpus);
	}
	KUNIT_EXPECT_EQ(test, published.too_early, 0);
}

/* One CPU, however long it samples, allocates nothing; CPUs in turns do, each its slot. */
static void slots_are_for_turns(struct kunit *test)
{
	struct profil_cpus *cpus = make_cpus(test);
	unsigned long flags;
	unsigned int i;
	bool own;

	local_irq_save(flags);
	for (i = 0; i < 100 * PROFIL_CPU_CHANGES; i++)
		if (profil_cpus_used(cpus, profil_cpus_here(cpus)))
			break;
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, i, 100 * PROFIL_CPU_CHANGES);
	KUNIT_EXPECT_FALSE(test, profil_cpus_crowded(cpus));
	KUNIT_EXPECT_NULL(test, cpus->own);
	KUNIT_EXPECT_NULL(test, cpus->shared.next);

	take_turns(cpus, PROFIL_CPU_CHANGES - 1);
	KUNIT_EXPECT_TRUE(test, profil_cpus_crowded(cpus));
	give_slots(test, cpus);
	KUNIT_EXPECT_FALSE(test, profil_cpus_crowded(cpus));

	local_irq_save(flags);
	own = profil_cpus_here(cpus) == cpus->own[smp_processor_id()];
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, own);
	profil_cpus_free(cpus);
}

/* Where no slots have come, for want of memory, the worker is called again. */
static void worker_is_called_again(struct kunit *test)
{
	struct profil_cpus *cpus = make_cpus(test);
	unsigned int i, called = 0;

	take_turns(cpus, PROFIL_CPU_CHANGES);
	profil_cpus_grow(cpus, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cpus->own);
	for (i = 0; i < 4 * PROFIL_CPU_CHANGES; i++)
		called += profil_cpus_change(cpus, cpumask_first(cpu_possible_mask));
	KUNIT_EXPECT_EQ(test, called, 4U);
	KUNIT_EXPECT_NULL(test, cpus->shared.next);
	profil_cpus_free(cpus);
}

static void figures_are_of_all_slots(struct kunit *test)
{
	struct profil_cpus *cpus = make_cpus(test);
	struct profil_figures sum;
	u64 nr = 1 + num_possible_cpus();
	int cpu;

	give_slots(test, cpus);
	/* more than 32 bits, as in 12 days at 4 kHz */
	cpus->shared.figures = (struct profil_figures) {
		1ULL << 33, 1ULL << 34, 1ULL << 35, 1ULL << 36
	};
	for_each_possible_cpu(cpu)
		cpus->own[cpu]->figures = cpus->shared.figures;
	sum = profil_cpus_figures(cpus);
	KUNIT_EXPECT_EQ(test, sum.samples, nr << 33);
	KUNIT_EXPECT_EQ(test, sum.counted, nr << 34);
	KUNIT_EXPECT_EQ(test, sum.out_of_range, nr << 35);
	KUNIT_EXPECT_EQ(test, sum.lost, nr << 36);
	profil_cpus_free(cpus);
}

#define PARTS	10

/*
 * How far the numbers of phases in each tenth of a sample are from each other. So many
 * slots for each of so many sessions that follow one another.
 */
static unsigned int spread(u32 sessions, u32 slots)
{
	unsigned int nr[PARTS] = {}, least = UINT_MAX, most = 0, i;
	struct profil_cpus cpus = {};
	struct profil_cpu slot;
	u32 number;

	for (cpus.serial = 1; cpus.serial <= sessions; cpus.serial++) {
		for (number = 0; number < slots; number++) {
			cpus_init_slot(&cpus, &slot, number);
			nr[slot.phase * PARTS / HZ]++;
		}
	}
	for (i = 0; i < PARTS; i++) {
		least = min(least, nr[i]);
		most = max(most, nr[i]);
	}
	return most - least;
}

/*
 * Multiples of the golden ratio and of the square root of 2 differ from an even spread by a
 * few, and so does their sum: by 2 with one slot, 17 with 144. At random it would be three
 * square roots of what there is in a part: 16 and 200. 144 is a Fibonacci number.
 */
static void phases_are_spread(struct kunit *test)
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
	KUNIT_CASE(slots_are_published_under_the_shared_lock),
	KUNIT_CASE(slots_are_for_turns),
	KUNIT_CASE(worker_is_called_again),
	KUNIT_CASE(figures_are_of_all_slots),
	KUNIT_CASE(phases_are_spread),
	{}
};

struct kunit_suite profil_cpu_suite = {
	.name = "profil_cpu",
	.test_cases = cases,
};
