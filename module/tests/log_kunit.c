// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log of records (log.c and log_read.c, compiled in here): records of all sizes go around the
 * ring whole, the samples of all CPUs are merged into their order, with stacks of all sizes, too,
 * and what finds no room is counted.
 */
#include "../attach/log.c"
#include "../attach/log_read.c"

#include "pseudo.h"
#include "suites.h"

#define SIZE	PROFIL_LOG_MIN
#define RING	(SIZE / 2)
#define CHUNKS	((SIZE - RING) / sizeof(struct profil_log_chunk))
#define SAMPLE	sizeof(struct profil_record_sample)
/* Of a stack: 32 of the largest fit into the log (attachment.c) */
#define WORDS	((SIZE / 32 - sizeof(struct profil_record_stack)) / 8)

static struct profil_log log;
/* What was read last */
static u64 buffer[2 * SIZE / 8];

static int init(struct kunit *test)
{
	memset(&log, 0, sizeof(log));
	return profil_log_init(&log, SIZE, 0);
}

static void finish(struct kunit *test)
{
	if (log.data)
		profil_log_close(&log);
	profil_log_free(&log);
}

/* A CPU takes samples. Return: false: they are lost. */
static bool write_sample_of(int cpu, u64 pc, u32 samples)
{
	struct profil_log_slot *slot = per_cpu_ptr(log.slots, cpu);
	unsigned long flags;
	bool written;

	raw_spin_lock_irqsave(&slot->lock, flags);
	written = profil_log_write_sample(&log, slot, (struct profil_log_sample) {
		.place = READ_ONCE(log.place), .pc = pc, .samples = samples,
	});
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	return written;
}

static bool write_samples(u32 samples)
{
	return write_sample_of(0, 0, samples);
}

/* A record of process @pid with a path of @length characters, all of them 'a' + @pid % 26. */
static void write_map(pid_t pid, u32 length)
{
	static char path[PROFIL_RECORD_MAX];
	struct profil_record_map map = { .head.pid = pid, .start = pid };

	memset(path, 'a' + pid % 26, length);
	path[length] = 0;
	profil_log_write(&log, &map.head, PROFIL_RECORD_MAP, sizeof(map), path, length + 1);
}

/* Whose record has 128 bytes, so that they fill the ring to the last byte */
static void write_small_map(pid_t pid)
{
	write_map(pid, 128 - sizeof(struct profil_record_map) - 1);
}

static void fill_ring(void)
{
	u32 nr;

	for (nr = 0; nr < RING / 128; nr++)
		write_small_map(1);
}

/* Read into the buffer. Return: as profil_log_read(). */
static ssize_t take(size_t bytes)
{
	struct kvec vec = { .iov_base = buffer, .iov_len = bytes };
	struct iov_iter to;

	iov_iter_kvec(&to, ITER_DEST, &vec, 1, bytes);
	return profil_log_read(&log, &to, true);
}

/* The record at @*at of @bytes in the buffer, which is advanced; NULL: there is none. */
static void *next(u32 *at, ssize_t bytes)
{
	struct profil_record *record = (void *)buffer + *at;

	if ((ssize_t)*at >= bytes)
		return NULL;
	*at += record->bytes;
	return record;
}

static void check_lost(struct kunit *test, const struct profil_record_lost *lost, u64 samples,
		       u64 records)
{
	KUNIT_ASSERT_NOT_NULL(test, lost);
	KUNIT_EXPECT_EQ(test, (u32)lost->head.type, (u32)PROFIL_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, lost->samples, samples);
	KUNIT_EXPECT_EQ(test, lost->records, records);
}

static void check_sample(struct kunit *test, const struct profil_record_sample *sample, u32 samples)
{
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, (u32)sample->head.type, (u32)PROFIL_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, (u32)sample->head.bytes, (u32)SAMPLE);
	KUNIT_EXPECT_EQ(test, sample->samples, samples);
}

static void check_map(struct kunit *test, const struct profil_record_map *map, pid_t pid)
{
	u32 length, whole;

	KUNIT_ASSERT_NOT_NULL(test, map);
	length = strlen(map->path);
	whole = sizeof(*map) + length + 1;
	KUNIT_EXPECT_EQ(test, (u32)map->head.type, (u32)PROFIL_RECORD_MAP);
	KUNIT_EXPECT_EQ(test, map->head.pid, pid);
	KUNIT_EXPECT_EQ(test, map->start, (u64)pid);
	KUNIT_EXPECT_EQ(test, (u32)map->head.bytes, (u32)ALIGN(whole, 8));
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(map->path, 'a' + pid % 26, length), (void *)NULL);
}

/* 2,000 records of 64 to 4,160 bytes: 128 times around the ring */
static void records_go_around_whole(struct kunit *test)
{
	pid_t written = 0, taken = 0;
	struct rnd_state random;
	ssize_t bytes;
	u32 at;

	prandom_seed_state(&random, 1);
	while (taken < 2000) {
		while (log_has_room(&log, PROFIL_RECORD_MAX))
			write_map(++written, prandom_u32_state(&random) % (PATH_MAX + 1));
		at = 0;
		bytes = take(PROFIL_RECORD_MAX + prandom_u32_state(&random) % SIZE);
		KUNIT_ASSERT_GT(test, bytes, 0);
		while ((ssize_t)at < bytes)
			check_map(test, next(&at, bytes), ++taken);
	}
	while ((bytes = take(PROFIL_RECORD_MAX)) > 0)
		for (at = 0; (ssize_t)at < bytes;)
			check_map(test, next(&at, bytes), ++taken);
	KUNIT_EXPECT_EQ(test, bytes, -EAGAIN);
	KUNIT_EXPECT_EQ(test, taken, written);
	KUNIT_EXPECT_FALSE(test, log.has_lost);
}

/* Neither takes room from the other. */
static void samples_have_half_of_the_log(struct kunit *test)
{
	u32 nr = 0, at = 0;
	ssize_t bytes;

	while (write_samples(1))
		nr++;
	KUNIT_EXPECT_EQ(test, nr, CHUNKS * PROFIL_LOG_CHUNK_SAMPLES);
	fill_ring();
	KUNIT_EXPECT_FALSE(test, log.has_lost);
	KUNIT_EXPECT_FALSE(test, write_samples(2));
	bytes = take(sizeof(buffer));
	while (nr--)
		check_sample(test, next(&at, bytes), 1);
	for (nr = 0; nr < RING / 128; nr++)
		check_map(test, next(&at, bytes), 1);
	check_lost(test, next(&at, bytes), 3, 0);
	KUNIT_EXPECT_NULL(test, next(&at, bytes));
	KUNIT_EXPECT_EQ(test, take(sizeof(buffer)), -EAGAIN);
	/* there is room again */
	KUNIT_EXPECT_TRUE(test, write_samples(1));
	KUNIT_EXPECT_EQ(test, log.used, 1);
}

/* Samples after the loss are after the LOST record. */
static void full_ring_loses_and_says_so(struct kunit *test)
{
	u32 nr, at = 0;
	ssize_t bytes;

	fill_ring();
	write_samples(1);
	write_small_map(1);
	write_samples(2);
	/* room for one record: not enough for LOST and a record */
	KUNIT_EXPECT_EQ(test, take(128), 128);
	write_small_map(1);
	write_samples(3);
	KUNIT_EXPECT_EQ(test, take(128), 128);
	write_small_map(2);
	write_samples(4);
	bytes = take(sizeof(buffer));
	for (nr = 2; nr < RING / 128; nr++)
		check_map(test, next(&at, bytes), 1);
	check_sample(test, next(&at, bytes), 1);
	check_lost(test, next(&at, bytes), 0, 2);
	check_sample(test, next(&at, bytes), 2);
	check_sample(test, next(&at, bytes), 3);
	check_map(test, next(&at, bytes), 2);
	check_sample(test, next(&at, bytes), 4);
	KUNIT_EXPECT_NULL(test, next(&at, bytes));
}

/* A kernel thread has no memory: nothing can be read. The record is whole, as is the next one. */
static void unreadable_memory_is_left_out(struct kunit *test)
{
	struct profil_record_args args = { .head.pid = 7, .args_bytes = 3 };
	const struct profil_record_args *taken;
	ssize_t bytes;
	u32 at = 0;

	memset(log.data, 0xff, RING);
	profil_log_write_user(&log, &args.head, PROFIL_RECORD_ARGS, sizeof(args), NULL, 3);
	write_map(2, 5);
	bytes = take(sizeof(buffer));
	taken = next(&at, bytes);
	KUNIT_ASSERT_NOT_NULL(test, taken);
	KUNIT_EXPECT_EQ(test, (u32)taken->head.type, (u32)PROFIL_RECORD_ARGS);
	KUNIT_EXPECT_EQ(test, (u32)taken->head.bytes, (u32)sizeof(args));
	KUNIT_EXPECT_EQ(test, taken->head.pid, 7);
	KUNIT_EXPECT_EQ(test, taken->args_bytes, 3);
	check_map(test, next(&at, bytes), 2);
	KUNIT_EXPECT_NULL(test, next(&at, bytes));
}

/* Memory of processes is lost like other records. */
static void full_log_loses_memory(struct kunit *test)
{
	struct profil_record_args args = { .head.pid = 7 };
	const u32 bytes = RING - sizeof(args);

	profil_log_write_user(&log, &args.head, PROFIL_RECORD_ARGS, sizeof(args), NULL, bytes + 1);
	KUNIT_EXPECT_EQ(test, log.head, 0);
	KUNIT_EXPECT_TRUE(test, log.has_lost);
	KUNIT_EXPECT_EQ(test, log.lost_records, 1);
}

static void last_loss_is_reported(struct kunit *test)
{
	ssize_t bytes;
	u32 at = 0;

	fill_ring();
	write_small_map(1);
	profil_log_end(&log);
	KUNIT_EXPECT_EQ(test, take(sizeof(buffer)), RING);
	bytes = take(sizeof(buffer));
	check_lost(test, next(&at, bytes), 0, 1);
	KUNIT_EXPECT_EQ(test, take(sizeof(buffer)), 0);
}

static void quarter_of_the_ring_is_readable(struct kunit *test)
{
	u32 nr;

	for (nr = 1; nr < RING / 4 / 128; nr++)
		write_small_map(1);
	KUNIT_EXPECT_FALSE(test, profil_log_is_readable(&log));
	write_small_map(1);
	KUNIT_EXPECT_TRUE(test, profil_log_is_readable(&log));
	take(sizeof(buffer));
	KUNIT_EXPECT_FALSE(test, profil_log_is_readable(&log));
}

/* Chunks of CPUs that are not full are no reason to read, except in a small log. */
static void quarter_of_the_samples_is_readable(struct kunit *test)
{
	u32 expected = min_t(u32, CHUNKS / 4 + num_possible_cpus(), CHUNKS / 4 * 3);
	u32 nr = 0;

	while (!profil_log_is_readable(&log)) {
		KUNIT_ASSERT_TRUE(test, write_samples(1));
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, (expected - 1) * PROFIL_LOG_CHUNK_SAMPLES + 1);
	take(sizeof(buffer));
	KUNIT_EXPECT_FALSE(test, profil_log_is_readable(&log));
}

static int count_wake(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	++*(int *)entry->private;
	return 0;
}

/*
 * A reader takes records while one more is written: the writer sees more than a quarter before and
 * after its record, the reader less than a quarter, and waits.
 */
static void reader_that_just_missed_a_record_is_woken(struct kunit *test)
{
	struct wait_queue_entry entry;
	int wakes = 0;

	init_waitqueue_func_entry(&entry, count_wake);
	entry.private = &wakes;
	fill_ring();
	log.tail = log.head;
	add_wait_queue(&log.wait, &entry);
	KUNIT_EXPECT_FALSE(test, profil_log_is_readable(&log));
	/* what the writer sees */
	log.tail -= RING / 2;
	write_small_map(1);
	irq_work_sync(&log.wake_work);
	KUNIT_EXPECT_EQ(test, wakes, 1);
	/* not for each record */
	write_small_map(1);
	irq_work_sync(&log.wake_work);
	KUNIT_EXPECT_EQ(test, wakes, 1);
	remove_wait_queue(&log.wait, &entry);
}

static void samples_wake_the_reader_once(struct kunit *test)
{
	struct wait_queue_entry entry;
	int wakes = 0;

	init_waitqueue_func_entry(&entry, count_wake);
	entry.private = &wakes;
	add_wait_queue(&log.wait, &entry);
	KUNIT_EXPECT_FALSE(test, profil_log_is_readable(&log));
	while (write_samples(1))
		irq_work_sync(&log.wake_work);
	KUNIT_EXPECT_EQ(test, wakes, 1);
	remove_wait_queue(&log.wait, &entry);
}

static void only_whole_records_are_read(struct kunit *test)
{
	u32 nr;

	for (nr = 0; nr < 20; nr++)
		write_samples(1);
	write_small_map(1);
	KUNIT_EXPECT_EQ(test, take(SAMPLE - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, take(2 * SAMPLE - 1), SAMPLE);
	KUNIT_EXPECT_EQ(test, take(18 * SAMPLE), 18 * SAMPLE);
	KUNIT_EXPECT_EQ(test, take(SAMPLE + 127), SAMPLE);
	KUNIT_EXPECT_EQ(test, take(127), -EINVAL);
	KUNIT_EXPECT_EQ(test, take(128), 128);
	KUNIT_EXPECT_EQ(test, take(128), -EAGAIN);
}

/*
 * All CPUs write samples that say after how many maps they come. They are read in pieces of any
 * size, in this order.
 */
static void samples_are_merged_with_records(struct kunit *test)
{
	u32 maps = 0, maps_read = 0, samples = 0, samples_read = 0, turns, at;
	const struct profil_record_sample *sample;
	struct rnd_state random;
	ssize_t bytes;

	prandom_seed_state(&random, 3);
	for (turns = 0; turns < 30000 || samples_read < samples; turns++) {
		u32 what = prandom_u32_state(&random) % 8;

		if (turns < 30000 && what < 6)
			samples += write_sample_of(cpumask_nth(prandom_u32_state(&random) %
							       num_possible_cpus(),
							       cpu_possible_mask), maps, 1);
		else if (turns < 30000 && what == 6 && log_has_room(&log, 128))
			write_small_map(++maps);
		if (what < 7 && turns < 30000)
			continue;
		bytes = take(128 + prandom_u32_state(&random) % 1000);
		for (at = 0; (sample = next(&at, bytes));) {
			if (sample->head.type == PROFIL_RECORD_MAP) {
				maps_read++;
				KUNIT_EXPECT_EQ(test, (u32)sample->head.pid, maps_read);
			} else if (sample->head.type == PROFIL_RECORD_SAMPLE) {
				samples_read++;
				KUNIT_EXPECT_EQ(test, sample->pc, (u64)maps_read);
			}
		}
	}
	while ((bytes = take(sizeof(buffer))) > 0)
		maps_read += bytes / 128;
	KUNIT_EXPECT_EQ(test, maps_read, maps);
	KUNIT_EXPECT_EQ(test, log.used, 0);
	KUNIT_EXPECT_FALSE(test, log.has_lost);
	KUNIT_EXPECT_LT(test, 1000U, maps);
}

/* --- stacks ------------------------------------------------------------------- */

static void init_stacks(void)
{
	finish(NULL);
	memset(&log, 0, sizeof(log));
	profil_log_init(&log, SIZE, WORDS);
}

/* A CPU takes a sample with a stack of @nr words, each of them @nr. Return: false: it is lost. */
static bool write_stack_of(int cpu, u64 pc, u32 nr)
{
	struct profil_log_slot *slot = per_cpu_ptr(log.slots, cpu);
	struct profil_log_stack *stack;
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->lock, flags);
	stack = profil_log_stack_room(&log, slot);
	if (stack) {
		stack->sample = (struct profil_log_sample) {
			.place = READ_ONCE(log.place) | (nr % 2 ? PROFIL_LOG_IN_KERNEL : 0),
			.pid = 7, .pc = pc, .samples = 1,
		};
		stack->nr_words = nr;
		memset64(stack->words, nr, nr);
		profil_log_add_stack(slot, stack);
	}
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	return stack;
}

static void check_stack(struct kunit *test, const struct profil_record_stack *stack)
{
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, stack);
	KUNIT_ASSERT_EQ(test, (u32)stack->sample.head.type, (u32)PROFIL_RECORD_STACK);
	KUNIT_ASSERT_EQ(test, (u32)stack->sample.head.bytes,
			(u32)sizeof(*stack) + 8 * stack->nr_words);
	KUNIT_EXPECT_EQ(test, stack->sample.head.pid, 7);
	for (i = 0; i < stack->nr_words; i++)
		KUNIT_EXPECT_EQ(test, stack->words[i], (u64)stack->nr_words);
}

/* The largest ones fill a half of each chunk at least, and no byte behind it. */
static void chunks_hold_the_largest_stacks(struct kunit *test)
{
	u32 written = 0, taken = 0, at = 0;
	ssize_t bytes;

	init_stacks();
	while (write_stack_of(0, 0, WORDS))
		written++;
	KUNIT_EXPECT_LE(test, 2 * (SIZE - RING) / log.chunk_bytes, written);
	KUNIT_EXPECT_LE(test, (SIZE - RING) / 2, written * log.most);
	KUNIT_EXPECT_LE(test, 4U, (SIZE - RING) / log.chunk_bytes);
	bytes = take(sizeof(buffer));
	for (; (ssize_t)at < bytes; taken++)
		check_stack(test, next(&at, bytes));
	KUNIT_EXPECT_EQ(test, taken, written);
	KUNIT_EXPECT_EQ(test, log.used, 0);
	/* there is room again */
	KUNIT_EXPECT_TRUE(test, write_stack_of(0, 0, WORDS));
}

/* What does not fit stays, and comes whole with the next read. */
static void only_whole_stacks_are_read(struct kunit *test)
{
	const u32 large = profil_log_stack_size(WORDS), small = profil_log_stack_size(0);
	u32 at = 0;

	init_stacks();
	write_stack_of(0, 0, WORDS);
	write_stack_of(0, 0, 0);
	write_stack_of(0, 0, WORDS);
	KUNIT_EXPECT_EQ(test, take(large - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, take(2 * large), large + small);
	check_stack(test, next(&at, large + small));
	check_stack(test, next(&at, large + small));
	KUNIT_EXPECT_EQ(test, take(large), large);
	KUNIT_EXPECT_EQ(test, take(large), -EAGAIN);
}

/* As samples_are_merged_with_records, with stacks of all sizes */
static void stacks_are_merged_with_records(struct kunit *test)
{
	u32 maps = 0, maps_read = 0, stacks = 0, stacks_read = 0, turns, at;
	const struct profil_record_stack *stack;
	struct rnd_state random;
	ssize_t bytes;

	init_stacks();
	prandom_seed_state(&random, 3);
	for (turns = 0; turns < 30000 || stacks_read < stacks; turns++) {
		u32 what = turns < 30000 ? prandom_u32_state(&random) % 8 : 7;
		u32 cpu = cpumask_nth(prandom_u32_state(&random) % num_possible_cpus(),
				      cpu_possible_mask);

		if (what < 6)
			stacks += write_stack_of(cpu, maps,
						 prandom_u32_state(&random) % (WORDS + 1));
		else if (what == 6 && log_has_room(&log, 128))
			write_small_map(++maps);
		if (what < 7)
			continue;
		bytes = take(SIZE / 32 + prandom_u32_state(&random) % SIZE);
		for (at = 0; (stack = next(&at, bytes));) {
			if (stack->sample.head.type == PROFIL_RECORD_MAP) {
				maps_read++;
			} else if (stack->sample.head.type == PROFIL_RECORD_STACK) {
				stacks_read++;
				check_stack(test, stack);
				KUNIT_EXPECT_EQ(test, stack->sample.pc, (u64)maps_read);
			}
		}
	}
	while ((bytes = take(sizeof(buffer))) > 0)
		maps_read += bytes / 128;
	KUNIT_EXPECT_EQ(test, maps_read, maps);
	KUNIT_EXPECT_EQ(test, log.used, 0);
	KUNIT_EXPECT_LT(test, 1000U, maps);
	KUNIT_EXPECT_LT(test, 10000U, stacks);
}

static void closed_log_of_stacks_takes_nothing(struct kunit *test)
{
	init_stacks();
	KUNIT_EXPECT_TRUE(test, write_stack_of(0, 0, 1));
	profil_log_close(&log);
	KUNIT_EXPECT_FALSE(test, write_stack_of(0, 0, 1));
}

static void closed_log_takes_nothing(struct kunit *test)
{
	struct profil_record_args args = { .head.pid = 7 };

	write_samples(1);
	profil_log_close(&log);
	write_map(1, 5);
	profil_log_write_user(&log, &args.head, PROFIL_RECORD_ARGS, sizeof(args), NULL, 0);
	KUNIT_EXPECT_EQ(test, log.head, 0);
	KUNIT_EXPECT_FALSE(test, write_samples(1));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(records_go_around_whole),
	KUNIT_CASE(samples_have_half_of_the_log),
	KUNIT_CASE(full_ring_loses_and_says_so),
	KUNIT_CASE(unreadable_memory_is_left_out),
	KUNIT_CASE(full_log_loses_memory),
	KUNIT_CASE(last_loss_is_reported),
	KUNIT_CASE(quarter_of_the_ring_is_readable),
	KUNIT_CASE(quarter_of_the_samples_is_readable),
	KUNIT_CASE(reader_that_just_missed_a_record_is_woken),
	KUNIT_CASE(samples_wake_the_reader_once),
	KUNIT_CASE(only_whole_records_are_read),
	KUNIT_CASE(samples_are_merged_with_records),
	KUNIT_CASE(closed_log_takes_nothing),
	KUNIT_CASE(chunks_hold_the_largest_stacks),
	KUNIT_CASE(only_whole_stacks_are_read),
	KUNIT_CASE(stacks_are_merged_with_records),
	KUNIT_CASE(closed_log_of_stacks_takes_nothing),
	{}
};

struct kunit_suite profil_log_suite = {
	.name = "profil_log",
	.init = init,
	.exit = finish,
	.test_cases = cases,
};
