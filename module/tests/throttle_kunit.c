// SPDX-License-Identifier: GPL-2.0-only
/*
 * When rates are lowered, and by how much (throttle.c, compiled in here). The tests pass the
 * cost of samples as an argument, so no timer is needed.
 */
#include "../clock/throttle.c"

#include <linux/cpumask.h>
#include <linux/smp.h>

#include "suites.h"

#define RATE	20000

/* Throttle of the profile under test */
static struct profil_throttle throttle;

/* Samples of the same cost */
struct samples {
	struct profil_throttle *throttle;
	u64 took_ns;
	unsigned int nr;
};

/* In hard interrupt context, like the timer */
static void take_samples(void *data)
{
	struct samples *samples = data;
	unsigned int i;

	for (i = 0; i < samples->nr; i++)
		profil_throttle_account(samples->throttle, RATE, samples->took_ns, 1);
}

/* Return: the mean cost after @nr samples that took @took_ns each. */
static u64 sample_on(struct kunit *test, struct profil_throttle *to, u64 took_ns,
		     unsigned int nr)
{
	struct samples samples = { .throttle = to, .took_ns = took_ns, .nr = nr };

	KUNIT_ASSERT_EQ(test, smp_call_function_single(cpumask_first(cpu_online_mask),
						       take_samples, &samples, 1),
			0);
	return to->cost_ns / AVERAGED;
}

static int init(struct kunit *test)
{
	max_cpu_percent = 5;
	profil_throttle_init(&throttle);
	return 0;
}

/* Enough samples to forget earlier ones: e^-20 of their share is left. */
#define MANY	(20 * AVERAGED)

static void mean_follows_the_cost(struct kunit *test)
{
	static const u64 costs[] = { 0, 1, 100, 1234, 1000000, LONGEST_NS };
	unsigned int i;

	max_cpu_percent = 100;
	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		u64 mean = sample_on(test, &throttle, costs[i], 2 * MANY);

		/* rounded down, and up to 1 more while it falls */
		KUNIT_EXPECT_LE(test, mean, costs[i] + 1);
		KUNIT_EXPECT_GE(test, mean + 1, costs[i]);
	}
	/* longer samples are cut off, or the sum would overflow */
	KUNIT_EXPECT_LE(test, sample_on(test, &throttle, U64_MAX, 2 * MANY),
			(u64)LONGEST_NS + 1);
}

static void cheap_samples_keep_the_rate(struct kunit *test)
{
	/* 2400 ns including the interrupt: 4.8 percent at 20 kHz */
	sample_on(test, &throttle, 1400, MANY);
	KUNIT_EXPECT_EQ(test, throttle.max_rate, (u32)U32_MAX);
	KUNIT_EXPECT_EQ(test, profil_throttle_rate(&throttle, RATE), (u32)RATE);
}

/* A virtual CPU was stopped for 4 seconds in the middle of a sample. */
static void one_sample_of_seconds_keeps_the_rate(struct kunit *test)
{
	sample_on(test, &throttle, 500, MANY);
	sample_on(test, &throttle, 4000000000, 1);
	KUNIT_EXPECT_EQ(test, throttle.max_rate, (u32)U32_MAX);
}

/* At the lowered rate, samples use the allowed share, and not much less. */
static void expensive_samples_lower_the_rate(struct kunit *test)
{
	static const u32 percents[] = { 1, 5, 50, 99 };
	unsigned int i;
	u64 took;

	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		for (took = 10000; took <= 1000000; took *= 10) {
			u64 budget = 10000000ULL * percents[i];
			u64 affordable = div64_u64(budget, took);

			profil_throttle_init(&throttle);
			max_cpu_percent = percents[i];
			sample_on(test, &throttle, took - INTERRUPT_NS, MANY);
			if (affordable >= RATE) {
				KUNIT_EXPECT_EQ(test, profil_throttle_rate(&throttle, RATE),
						(u32)RATE);
			} else if (affordable <= HZ) {
				KUNIT_EXPECT_EQ(test, profil_throttle_rate(&throttle, RATE),
						(u32)HZ);
			} else {
				/* the mean is up to 1 ns off */
				KUNIT_EXPECT_LE(test, profil_throttle_rate(&throttle, RATE) *
						(took - 1), budget);
				KUNIT_EXPECT_GE(test, (profil_throttle_rate(&throttle, RATE) + 1) *
						(took + 1), budget);
			}
		}
	}
}

static void never_below_the_tick(struct kunit *test)
{
	sample_on(test, &throttle, 1000000000, MANY);
	KUNIT_EXPECT_EQ(test, throttle.max_rate, (u32)HZ);
	/* a rate below the tick's is not changed */
	KUNIT_EXPECT_EQ(test, profil_throttle_rate(&throttle, 1), 1U);

	profil_throttle_init(&throttle);
	max_cpu_percent = 0;
	sample_on(test, &throttle, 1, MANY);
	KUNIT_EXPECT_EQ(test, throttle.max_rate, (u32)HZ);
}

static void no_limit_at_100_percent(struct kunit *test)
{
	max_cpu_percent = 100;
	sample_on(test, &throttle, 1000000000, MANY);
	KUNIT_EXPECT_EQ(test, throttle.max_rate, (u32)U32_MAX);
}

/* One sample of 100 us among samples of 1 us: interrupted by the hypervisor or firmware */
static void one_expensive_sample_keeps_the_rate(struct kunit *test)
{
	sample_on(test, &throttle, 1000, MANY);
	sample_on(test, &throttle, 100000, 1);
	KUNIT_EXPECT_EQ(test, throttle.max_rate, (u32)U32_MAX);
	sample_on(test, &throttle, 100000, 10);
	KUNIT_EXPECT_LT(test, throttle.max_rate, (u32)RATE);
}

static void rate_stays_low_until_reset(struct kunit *test)
{
	u32 lowered;

	sample_on(test, &throttle, 10000, MANY);
	lowered = throttle.max_rate;
	KUNIT_EXPECT_LT(test, lowered, (u32)RATE);
	sample_on(test, &throttle, 10, MANY);
	KUNIT_EXPECT_EQ(test, throttle.max_rate, lowered);

	profil_throttle_init(&throttle);
	KUNIT_EXPECT_EQ(test, profil_throttle_rate(&throttle, RATE), (u32)RATE);
	/* the mean is reset, too */
	KUNIT_EXPECT_EQ(test, sample_on(test, &throttle, 0, 1), 0ULL);
}

/* A profile with expensive samples lowers only its own rate. */
static void other_profiles_keep_their_rates(struct kunit *test)
{
	struct profil_throttle other;

	profil_throttle_init(&other);
	sample_on(test, &throttle, 10000, MANY);
	sample_on(test, &other, 100, MANY);
	KUNIT_EXPECT_LT(test, profil_throttle_rate(&throttle, RATE), (u32)RATE);
	KUNIT_EXPECT_EQ(test, profil_throttle_rate(&other, RATE), (u32)RATE);
}

/* Samples that take no time: 20,000 interrupts of 1 us are 2 percent of a CPU. */
static void interrupts_are_included(struct kunit *test)
{
	max_cpu_percent = 3;
	sample_on(test, &throttle, 0, MANY);
	KUNIT_EXPECT_EQ(test, profil_throttle_rate(&throttle, RATE), (u32)RATE);
	max_cpu_percent = 1;
	sample_on(test, &throttle, 0, 1);
	KUNIT_EXPECT_EQ(test, profil_throttle_rate(&throttle, RATE), (u32)RATE / 2);
}

/* Write the parameter as through sysfs. */
static void writing_the_parameter_resets_the_rate(struct kunit *test)
{
	const struct kernel_param param = { .arg = &max_cpu_percent };

	sample_on(test, &throttle, 10000, MANY);
	KUNIT_EXPECT_LT(test, throttle.max_rate, (u32)RATE);
	KUNIT_EXPECT_EQ(test, max_cpu_percent_ops.set("50", &param), 0);
	KUNIT_EXPECT_EQ(test, max_cpu_percent, 50U);
	/* takes effect at the next measured sample */
	sample_on(test, &throttle, 10000, 1);
	KUNIT_EXPECT_EQ(test, throttle.max_rate, (u32)U32_MAX);
	sample_on(test, &throttle, 10000, MANY);
	KUNIT_EXPECT_EQ(test, profil_throttle_rate(&throttle, RATE), (u32)RATE);

	sample_on(test, &throttle, 100000, MANY);
	KUNIT_EXPECT_LT(test, throttle.max_rate, (u32)RATE);
	KUNIT_EXPECT_EQ(test, max_cpu_percent_ops.set("five", &param), -EINVAL);
	KUNIT_EXPECT_EQ(test, max_cpu_percent, 50U);
	KUNIT_EXPECT_LT(test, throttle.max_rate, (u32)RATE);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(mean_follows_the_cost),
	KUNIT_CASE(cheap_samples_keep_the_rate),
	KUNIT_CASE(one_sample_of_seconds_keeps_the_rate),
	KUNIT_CASE(expensive_samples_lower_the_rate),
	KUNIT_CASE(never_below_the_tick),
	KUNIT_CASE(no_limit_at_100_percent),
	KUNIT_CASE(one_expensive_sample_keeps_the_rate),
	KUNIT_CASE(rate_stays_low_until_reset),
	KUNIT_CASE(other_profiles_keep_their_rates),
	KUNIT_CASE(interrupts_are_included),
	KUNIT_CASE(writing_the_parameter_resets_the_rate),
	{}
};

struct kunit_suite profil_throttle_suite = {
	.name = "profil_throttle",
	.init = init,
	.test_cases = cases,
};
