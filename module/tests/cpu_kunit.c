// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who takes memory away waits for the samples that still write there (cpu.h).
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/sched.h>

#include "concurrent.h"
#include "cpu.h"
#include "suites.h"

#define TIMES	20

/* One thread samples, slowly; the other takes away what it writes to. */
struct taken_away {
	struct profil_cpu __percpu *cpus;
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
	this = this_cpu_ptr(memory->cpus);
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

static struct profil_cpu __percpu *alloc_cpus(struct kunit *test)
{
	struct profil_cpu __percpu *cpus = alloc_percpu(struct profil_cpu);
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, cpus);
	for_each_possible_cpu(cpu)
		raw_spin_lock_init(&per_cpu_ptr(cpus, cpu)->lock);
	return cpus;
}

static void barrier_waits_for_samples(struct kunit *test)
{
	struct taken_away memory = { .sampling = false };
	struct worker workers[2];
	int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU: nobody else can sample meanwhile");
	memory.cpus = alloc_cpus(test);
	for (i = 0; i < TIMES; i++) {
		init_completion(&memory.began);
		run_workers(test, workers, 2, sample_or_take_away, &memory);
	}
	free_percpu(memory.cpus);
	KUNIT_EXPECT_EQ(test, memory.too_early, 0);
}

static void barrier_forgets_pages(struct kunit *test)
{
	struct profil_cpu __percpu *cpus = alloc_cpus(test);
	struct page page;
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(cpus, cpu)->page = &page;
	profil_cpus_barrier(cpus);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_NULL(test, per_cpu_ptr(cpus, cpu)->page);
	free_percpu(cpus);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(barrier_waits_for_samples),
	KUNIT_CASE(barrier_forgets_pages),
	{}
};

struct kunit_suite profil_cpu_suite = {
	.name = "profil_cpu",
	.test_cases = cases,
};
