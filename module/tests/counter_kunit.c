// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adding to a counter (counter.h): the overflow rules at all widths, the neighbouring
 * counters, and concurrent adds by other CPUs and by interrupts between the load and the
 * compare-and-exchange. selftests/unit tests such interrupts step by step.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "concurrent.h"
#include "counters/counter.h"
#include "suites.h"

/* 32-bit kernels have no 64-bit counters (config.c). */
#define WIDEST	(IS_ENABLED(CONFIG_64BIT) ? 3 : 2)

static u64 highest(unsigned int shift)
{
	return shift == 3 ? U64_MAX : (1ULL << (8 << shift)) - 1;
}

static u64 get(const void *counter, unsigned int shift)
{
	switch (shift) {
	case 1:
		return READ_ONCE(*(const u16 *)counter);
	case 2:
		return READ_ONCE(*(const u32 *)counter);
	default:
		return READ_ONCE(*(const u64 *)counter);
	}
}

static void set(void *counter, unsigned int shift, u64 value)
{
	switch (shift) {
	case 1:
		*(u16 *)counter = value;
		break;
	case 2:
		*(u32 *)counter = value;
		break;
	default:
		*(u64 *)counter = value;
		break;
	}
}

/* Count the samples one by one, by the rules of <linux/profil.h>. */
static u64 slow_count(u64 value, u64 samples, u32 overflow, u64 limit, u64 max)
{
	for (; samples; samples--) {
		if (overflow == PROFIL_OVERFLOW_WRAP)
			value = value == max ? 0 : value + 1;
		else if (value < limit)
			value++;
	}
	return value;
}

/*
 * Add to counters in the middle of a buffer. The counters around them, with all bits set,
 * clear or mixed, show that no carry or borrow leaves the counter.
 */
static void check_add(struct kunit *test, unsigned int shift, u32 overflow,
		      u64 limit, u64 before, u64 samples)
{
	static const u8 patterns[] = { 0x00, 0xff, 0xa5 };
	u64 want = slow_count(before, samples, overflow, limit, highest(shift));
	u64 buffer[3], wanted[3], was;
	unsigned int at, i;
	u8 *counter;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		for (at = 8; at < 16; at += 1 << shift) {
			memset(buffer, patterns[i], sizeof(buffer));
			memcpy(wanted, buffer, sizeof(buffer));
			counter = (u8 *)buffer + at;
			set(counter, shift, before);
			set((u8 *)wanted + at, shift, want);
			KUNIT_ASSERT_TRUE(test,
					  profil_counter_add(counter, samples, shift,
							     overflow, limit, &was));
			KUNIT_ASSERT_EQ(test, before, was);
			KUNIT_ASSERT_TRUE_MSG(test,
					      !memcmp(buffer, wanted, sizeof(buffer)),
					      "%u bits: %llu + %llu, rule %u, limit %llu: got %llu, or wrote a neighbour",
					      8 << shift, before, samples, overflow,
					      limit, get(counter, shift));
		}
	}
}

static void check_rule(struct kunit *test, u32 overflow)
{
	unsigned int shift, i, k;
	u64 samples;

	for (shift = 1; shift <= WIDEST; shift++) {
		u64 max = highest(shift);
		u64 limits[] = { 1, 2, 1000, max / 2, max - 1, max };

		for (i = 0; i < ARRAY_SIZE(limits); i++) {
			u64 limit = limits[i];
			/* also values above the limit, which a program may have written */
			u64 olds[] = { 0, 1, limit - 1, limit, limit + 1, max / 2,
				       max - 1, max };

			for (k = 0; k < ARRAY_SIZE(olds); k++)
				for (samples = 1; samples <= 5; samples++)
					check_add(test, shift, overflow, limit,
						  olds[k] & max, samples);
			check_add(test, shift, overflow, limit, 0, 3000);
		}
	}
}

static void wraps_at_each_width(struct kunit *test)
{
	check_rule(test, PROFIL_OVERFLOW_WRAP);
}

static void saturates_at_each_limit(struct kunit *test)
{
	check_rule(test, PROFIL_OVERFLOW_SATURATE);
}

static void stops_at_each_limit(struct kunit *test)
{
	check_rule(test, PROFIL_OVERFLOW_STOP);
}

/* More samples at once than the counter can hold */
static void adds_more_than_a_counter_holds(struct kunit *test)
{
	unsigned int shift;

	for (shift = 1; shift <= 2; shift++) {
		u64 max = highest(shift), buffer = 0, was;

		profil_counter_add(&buffer, 3 * (max + 1) + 7, shift,
				   PROFIL_OVERFLOW_WRAP, 0, &was);
		KUNIT_EXPECT_EQ(test, get(&buffer, shift), 7ULL);
		profil_counter_add(&buffer, U64_MAX, shift,
				   PROFIL_OVERFLOW_SATURATE, max - 1, &was);
		KUNIT_EXPECT_EQ(test, get(&buffer, shift), max - 1);
	}
}

#define ADDS		20000
#define THREADS		8
#define INTERRUPTS	1500

/* A word of several counters that threads and interrupts add to */
struct shared {
	u64 counters;
	unsigned int shift;
	u32 overflow;
	u64 limit;
	u64 added[THREADS];
	struct interrupter interrupter;
};

static void *counter_of(struct shared *shared, unsigned int number)
{
	unsigned int nr = 8 >> shared->shift;

	return (u8 *)&shared->counters + (number % nr << shared->shift);
}

/* Return: the increase of the counter: 0 if concurrent writes made the add fail. */
static u64 add(struct shared *shared, unsigned int number, u64 samples)
{
	void *counter = counter_of(shared, number);
	u64 max = highest(shared->shift);
	u64 before;

	if (!profil_counter_add(counter, samples, shared->shift,
				shared->overflow, shared->limit, &before))
		return 0;
	return (profil_count(before, samples, shared->overflow, shared->limit,
			     max) - before) & max;
}

static void add_many(struct test_thread *thread)
{
	struct shared *shared = thread->data;
	u64 added = 0;
	unsigned int i;

	for (i = 0; i < ADDS; i++) {
		added += add(shared, thread->number, 1 + i % 3);
		if (!(i % 1024))
			cond_resched();
	}
	shared->added[thread->number] = added;
}

/* Return: what the threads have added to the counter. */
static u64 sum_of(const struct shared *shared, unsigned int number)
{
	unsigned int nr = 8 >> shared->shift, i;
	u64 sum = 0;

	for (i = number; i < THREADS; i += nr)
		sum += shared->added[i];
	return sum;
}

static void concurrent_threads_lose_no_adds(struct kunit *test)
{
	struct test_thread *threads = kunit_kzalloc(test, THREADS * sizeof(*threads),
						    GFP_KERNEL);
	struct shared *shared = kunit_kzalloc(test, sizeof(*shared), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, threads);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, shared);
	for (shared->shift = 1; shared->shift <= WIDEST; shared->shift++) {
		shared->overflow = PROFIL_OVERFLOW_WRAP;
		shared->counters = 0;
		run_threads(test, threads, THREADS, add_many, shared);
		for (i = 0; i < 8 >> shared->shift; i++)
			KUNIT_EXPECT_EQ(test, get(counter_of(shared, i), shared->shift),
					sum_of(shared, i) & highest(shared->shift));

		/* the limit is reached during concurrent adds, and is not exceeded */
		shared->overflow = PROFIL_OVERFLOW_SATURATE;
		shared->limit = ADDS + 1;
		shared->counters = 0;
		run_threads(test, threads, THREADS, add_many, shared);
		for (i = 0; i < 8 >> shared->shift; i++) {
			KUNIT_EXPECT_EQ(test, get(counter_of(shared, i), shared->shift),
					shared->limit);
			KUNIT_EXPECT_EQ(test, sum_of(shared, i), shared->limit);
		}
	}
}

/*
 * One thread writes the word of a counter without pause, as a hostile program may. Each add
 * of the other thread returns: it either adds, or reports that it has not.
 */
struct hostile {
	u64 word;
	bool done;
	u32 failed_adds;
};

static void write_or_add(struct test_thread *thread)
{
	struct hostile *hostile = thread->data;
	unsigned int i, shift = thread->number;
	u64 before;

	if (!shift) {
		while (!READ_ONCE(hostile->done)) {
			for (i = 0; i < 1000; i++)
				xchg(&hostile->word, i);
			cond_resched();
		}
		return;
	}
	for (i = 0; i < ADDS; i++) {
		if (!profil_counter_add(&hostile->word, 1, shift,
					PROFIL_OVERFLOW_SATURATE, U16_MAX, &before))
			hostile->failed_adds++;
		if (!(i % 1024))
			cond_resched();
	}
	WRITE_ONCE(hostile->done, true);
}

static void add_returns_while_program_writes(struct kunit *test)
{
	struct hostile *hostile = kunit_kzalloc(test, sizeof(*hostile), GFP_KERNEL);
	struct test_thread threads[2];

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, hostile);
	run_threads(test, threads, ARRAY_SIZE(threads), write_or_add, hostile);
	kunit_info(test, "%u of %u adds failed\n", hostile->failed_adds, ADDS);
}

/* Add to other counters, in the word of the thread's counter if that holds several. */
static void add_in_interrupt(struct interrupter *interrupter)
{
	struct shared *shared = interrupter->data;

	shared->added[1] += add(shared, 1, 1);
	shared->added[2] += add(shared, 2, 1);
}

static void add_while_interrupted(struct test_thread *thread)
{
	struct shared *shared = thread->data;

	interrupter_start(&shared->interrupter, INTERRUPTS, add_in_interrupt, shared);
	while (!interrupter_is_done(&shared->interrupter)) {
		shared->added[0] += add(shared, 0, 1);
		cond_resched();
	}
	interrupter_stop(&shared->interrupter);
}

static void interrupts_lose_no_adds(struct kunit *test)
{
	struct shared *shared = kunit_kzalloc(test, sizeof(*shared), GFP_KERNEL);
	struct test_thread thread;
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, shared);
	for (shared->shift = 1; shared->shift <= WIDEST; shared->shift++) {
		shared->counters = 0;
		memset(shared->added, 0, sizeof(shared->added));
		run_threads(test, &thread, 1, add_while_interrupted, shared);
		for (i = 0; i < 8 >> shared->shift; i++)
			KUNIT_EXPECT_EQ(test, get(counter_of(shared, i), shared->shift),
					sum_of(shared, i) & highest(shared->shift));
		KUNIT_EXPECT_EQ(test, shared->added[1], (u64)INTERRUPTS);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(wraps_at_each_width),
	KUNIT_CASE(saturates_at_each_limit),
	KUNIT_CASE(stops_at_each_limit),
	KUNIT_CASE(adds_more_than_a_counter_holds),
	KUNIT_CASE(concurrent_threads_lose_no_adds),
	KUNIT_CASE(interrupts_lose_no_adds),
	KUNIT_CASE(add_returns_while_program_writes),
	{}
};

struct kunit_suite profil_counter_suite = {
	.name = "profil_counter",
	.test_cases = cases,
};
