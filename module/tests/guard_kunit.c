// SPDX-License-Identifier: GPL-2.0-only
/*
 * When rates are lowered, and how far (guard.c, compiled in here, as user.c is in
 * user_kunit.c). What a sample takes is told to it, so no timer is needed.
 */
#include "../guard.c"

#include <linux/cpumask.h>
#include <linux/smp.h>

#include "suites.h"

#define RATE	20000

/* Samples of one cost each, on one CPU. */
struct samples {
	u64 took_ns;
	unsigned int nr;
	u64 mean;
};

/* In hard interrupt context, as the timer is. */
static void take_samples(void *data)
{
	struct samples *samples = data;
	unsigned int i;

	for (i = 0; i < samples->nr; i++)
		profil_guard_account(RATE, samples->took_ns);
	samples->mean = div_u64(*this_cpu_ptr(&cost_ns), AVERAGED);
}

/* Return: what the CPU takes a sample to cost, after so many of this cost. */
static u64 sample_on(struct kunit *test, int cpu, u64 took_ns, unsigned int nr)
{
	struct samples samples = { .took_ns = took_ns, .nr = nr };

	KUNIT_ASSERT_EQ(test, smp_call_function_single(cpu, take_samples, &samples, 1),
			0);
	return samples.mean;
}

static int init(struct kunit *test)
{
	max_cpu_percent = 5;
	profil_guard_reset();
	return 0;
}

static int first_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

/* Enough samples that what was before is forgotten: e^-20 of it is left. */
#define MANY	(20 * AVERAGED)

static void mean_settles(struct kunit *test)
{
	static const u64 costs[] = { 0, 1, 100, 1234, 1000000, 4000000000 };
	unsigned int i;

	max_cpu_percent = 100;
	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		u64 mean = sample_on(test, first_cpu(), costs[i], 2 * MANY);

		/* rounded down, and up to 1 more while it falls */
		KUNIT_EXPECT_LE(test, mean, costs[i] + 1);
		KUNIT_EXPECT_GE(test, mean + 1, costs[i]);
	}
}

static void cheap_samples_lower_nothing(struct kunit *test)
{
	/* 2400 ns at 20 kHz are 4.8 percent */
	sample_on(test, first_cpu(), 2400, MANY);
	KUNIT_EXPECT_EQ(test, profil_guard_highest, (u32)U32_MAX);
	KUNIT_EXPECT_EQ(test, profil_guard_rate(RATE), (u32)RATE);
}

/* A virtual CPU that was stopped in the middle of a sample, for 4 seconds */
static void one_long_sample_lowers_nothing(struct kunit *test)
{
	sample_on(test, first_cpu(), 500, MANY);
	sample_on(test, first_cpu(), 4000000000, 1);
	KUNIT_EXPECT_EQ(test, profil_guard_highest, (u32)U32_MAX);
}

/* At the rate that is left, samples take the share that they may, and no less. */
static void dear_samples_lower_rates(struct kunit *test)
{
	static const u32 percents[] = { 1, 5, 50, 99 };
	unsigned int i;
	u64 took;

	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		for (took = 10000; took <= 1000000; took *= 10) {
			u64 budget = 10000000ULL * percents[i];
			u64 affordable = div64_u64(budget, took);

			profil_guard_reset();
			max_cpu_percent = percents[i];
			sample_on(test, first_cpu(), took, MANY);
			if (affordable >= RATE) {
				KUNIT_EXPECT_EQ(test, profil_guard_rate(RATE),
						(u32)RATE);
			} else if (affordable <= HZ) {
				KUNIT_EXPECT_EQ(test, profil_guard_rate(RATE),
						(u32)HZ);
			} else {
				KUNIT_EXPECT_LE(test, profil_guard_rate(RATE) * took,
						budget);
				/* the mean is up to 1 ns off */
				KUNIT_EXPECT_GE(test, (profil_guard_rate(RATE) + 1) *
						(took + 1), budget);
			}
		}
	}
}

static void never_below_the_tick(struct kunit *test)
{
	sample_on(test, first_cpu(), 1000000000, MANY);
	KUNIT_EXPECT_EQ(test, profil_guard_highest, (u32)HZ);
	/* who asks for less than the tick has it */
	KUNIT_EXPECT_EQ(test, profil_guard_rate(1), 1U);

	profil_guard_reset();
	max_cpu_percent = 0;
	sample_on(test, first_cpu(), 1, MANY);
	KUNIT_EXPECT_EQ(test, profil_guard_highest, (u32)HZ);
}

static void no_limit(struct kunit *test)
{
	max_cpu_percent = 100;
	sample_on(test, first_cpu(), 1000000000, MANY);
	KUNIT_EXPECT_EQ(test, profil_guard_highest, (u32)U32_MAX);
}

/* 100 us once, where 1 us is usual: an interrupt of the machine's own. */
static void one_dear_sample(struct kunit *test)
{
	sample_on(test, first_cpu(), 1000, MANY);
	sample_on(test, first_cpu(), 100000, 1);
	KUNIT_EXPECT_EQ(test, profil_guard_highest, (u32)U32_MAX);
	sample_on(test, first_cpu(), 100000, 10);
	KUNIT_EXPECT_LT(test, profil_guard_highest, (u32)RATE);
}

static void stays_low_until_reset(struct kunit *test)
{
	u32 lowered;

	sample_on(test, first_cpu(), 10000, MANY);
	lowered = profil_guard_highest;
	KUNIT_EXPECT_LT(test, lowered, (u32)RATE);
	sample_on(test, first_cpu(), 10, MANY);
	KUNIT_EXPECT_EQ(test, profil_guard_highest, lowered);

	profil_guard_reset();
	KUNIT_EXPECT_EQ(test, profil_guard_rate(RATE), (u32)RATE);
	/* what samples cost before is forgotten too */
	KUNIT_EXPECT_EQ(test, sample_on(test, first_cpu(), 0, 1), 0ULL);
}

/* Each has its mean, but the rate is one. */
static void two_cpus(struct kunit *test)
{
	int other = cpumask_next(first_cpu(), cpu_online_mask);

	if (other >= nr_cpu_ids) {
		kunit_info(test, "one CPU only: nothing to tell apart\n");
		return;
	}
	sample_on(test, first_cpu(), 10000, MANY);
	KUNIT_EXPECT_LT(test, profil_guard_highest, (u32)RATE);
	KUNIT_EXPECT_EQ(test, sample_on(test, other, 0, 1), 0ULL);
}

/* As root does it in sysfs. */
static void parameter(struct kunit *test)
{
	const struct kernel_param param = { .arg = &max_cpu_percent };

	sample_on(test, first_cpu(), 10000, MANY);
	KUNIT_EXPECT_LT(test, profil_guard_highest, (u32)RATE);
	KUNIT_EXPECT_EQ(test, max_cpu_percent_ops.set("50", &param), 0);
	KUNIT_EXPECT_EQ(test, max_cpu_percent, 50U);
	KUNIT_EXPECT_EQ(test, profil_guard_highest, (u32)U32_MAX);
	sample_on(test, first_cpu(), 10000, MANY);
	KUNIT_EXPECT_EQ(test, profil_guard_rate(RATE), (u32)RATE);

	sample_on(test, first_cpu(), 100000, MANY);
	KUNIT_EXPECT_LT(test, profil_guard_highest, (u32)RATE);
	KUNIT_EXPECT_EQ(test, max_cpu_percent_ops.set("five", &param), -EINVAL);
	KUNIT_EXPECT_EQ(test, max_cpu_percent, 50U);
	KUNIT_EXPECT_LT(test, profil_guard_highest, (u32)RATE);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(mean_settles),
	KUNIT_CASE(cheap_samples_lower_nothing),
	KUNIT_CASE(one_long_sample_lowers_nothing),
	KUNIT_CASE(dear_samples_lower_rates),
	KUNIT_CASE(never_below_the_tick),
	KUNIT_CASE(no_limit),
	KUNIT_CASE(one_dear_sample),
	KUNIT_CASE(stays_low_until_reset),
	KUNIT_CASE(two_cpus),
	KUNIT_CASE(parameter),
	{}
};

struct kunit_suite profil_guard_suite = {
	.name = "profil_guard",
	.init = init,
	.test_cases = cases,
};
