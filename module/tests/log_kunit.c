// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log of records (log.c, compiled in here): records of all sizes go around the ring whole
 * and in order, and what finds no room is counted.
 */
#include "../attach/log.c"

#include "pseudo.h"
#include "suites.h"

#define SIZE	PROFIL_LOG_MIN

static struct profil_log log;

static int init(struct kunit *test)
{
	memset(&log, 0, sizeof(log));
	return profil_log_init(&log, SIZE);
}

static void finish(struct kunit *test)
{
	if (log.data)
		profil_log_close(&log);
}

static bool write_samples(u32 samples)
{
	struct profil_record_sample sample = {
		.head = { .type = PROFIL_RECORD_SAMPLE, .bytes = sizeof(sample) },
		.samples = samples,
	};
	unsigned long flags;
	bool written;

	raw_spin_lock_irqsave(&log.lock, flags);
	written = profil_log_write_sample(&log, sample);
	raw_spin_unlock_irqrestore(&log.lock, flags);
	return written;
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

/* Take the next record out, as the reader does. Return: its size, or 0. */
static u32 take(void *record)
{
	u32 used = log_used(&log), offset = log.tail & (SIZE - 1), bytes, first;

	if (!used)
		return 0;
	bytes = ((struct profil_record *)(log.data + offset))->bytes;
	first = min(bytes, SIZE - offset);
	memcpy(record, log.data + offset, first);
	memcpy(record + first, log.data, bytes - first);
	log.tail += bytes;
	return bytes;
}

static void check_map(struct kunit *test, const struct profil_record_map *map, pid_t pid)
{
	u32 length = strlen(map->path), whole = sizeof(*map) + length + 1;

	KUNIT_EXPECT_EQ(test, (u32)map->head.type, (u32)PROFIL_RECORD_MAP);
	KUNIT_EXPECT_EQ(test, map->head.pid, pid);
	KUNIT_EXPECT_EQ(test, map->start, (u64)pid);
	KUNIT_EXPECT_EQ(test, (u32)map->head.bytes, (u32)ALIGN(whole, 8));
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(map->path, 'a' + pid % 26, length), (void *)NULL);
}

/* 2,000 records of 64 to 4,160 bytes: 64 times around the ring */
static void records_go_around_whole(struct kunit *test)
{
	static u64 record[PROFIL_RECORD_MAX / 8];
	pid_t written = 0, taken = 0;
	struct rnd_state random;

	prandom_seed_state(&random, 1);
	while (taken < 2000) {
		while (log_has_room(&log, SIZE, PROFIL_RECORD_MAX))
			write_map(++written, prandom_u32_state(&random) % (PATH_MAX + 1));
		while (taken < written && take(record))
			check_map(test, (void *)record, ++taken);
	}
	KUNIT_EXPECT_EQ(test, log_used(&log), 0);
	KUNIT_EXPECT_FALSE(test, log.has_lost);
}

/* Samples get three quarters of the log. */
static void samples_leave_room_for_other_records(struct kunit *test)
{
	static u64 record[PROFIL_RECORD_MAX / 8];
	struct profil_record_lost *lost = (void *)record;
	u32 nr = 0;

	while (write_samples(1))
		nr++;
	KUNIT_EXPECT_EQ(test, nr, SIZE / 4 * 3 / sizeof(struct profil_record_sample));
	write_map(1, 5);
	KUNIT_EXPECT_FALSE(test, write_samples(2));
	while (nr--)
		take(record);
	/* the sample that ended the first loop is before the other record, the next is after it */
	take(record);
	KUNIT_EXPECT_EQ(test, (u32)lost->head.type, (u32)PROFIL_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, lost->samples, 1);
	KUNIT_EXPECT_EQ(test, lost->records, 0);
	take(record);
	check_map(test, (void *)record, 1);
	KUNIT_EXPECT_EQ(test, take(record), 0);
	KUNIT_EXPECT_EQ(test, log.lost_samples, 2);
}

static void full_log_loses_and_says_so(struct kunit *test)
{
	static u64 record[PROFIL_RECORD_MAX / 8];
	struct profil_record_lost *lost = (void *)record;
	/* records of 128 bytes fill the log to the last byte */
	const u32 length = 128 - sizeof(struct profil_record_map) - 1;
	u32 nr = 0;

	while (!log.has_lost) {
		write_map(1, length);
		nr++;
	}
	KUNIT_EXPECT_FALSE(test, write_samples(2));
	/* room for one record: not enough for LOST and a record */
	take(record);
	write_map(1, length);
	take(record);
	write_map(2, length);
	while (take(record) && lost->head.type != PROFIL_RECORD_LOST)
		nr--;
	/* one did not fit, and two were taken */
	KUNIT_EXPECT_EQ(test, nr, 1 + 2);
	KUNIT_EXPECT_EQ(test, lost->samples, 2);
	KUNIT_EXPECT_EQ(test, lost->records, 1 + 1);
	KUNIT_EXPECT_EQ(test, log.lost, 2);
	take(record);
	check_map(test, (void *)record, 2);
	KUNIT_EXPECT_EQ(test, take(record), 0);
}

/* A kernel thread has no memory: nothing can be read. The record is whole, as is the next one. */
static void unreadable_memory_is_left_out(struct kunit *test)
{
	static u64 record[PROFIL_RECORD_MAX / 8];
	struct profil_record_args args = { .head.pid = 7, .args_bytes = 3 };
	struct profil_record_args *taken = (void *)record;

	memset(log.data, 0xff, SIZE);
	profil_log_write_user(&log, &args.head, PROFIL_RECORD_ARGS, sizeof(args), NULL, 3);
	write_map(2, 5);
	KUNIT_EXPECT_EQ(test, take(record), sizeof(args));
	KUNIT_EXPECT_EQ(test, (u32)taken->head.type, (u32)PROFIL_RECORD_ARGS);
	KUNIT_EXPECT_EQ(test, taken->head.pid, 7);
	KUNIT_EXPECT_EQ(test, taken->args_bytes, 3);
	take(record);
	check_map(test, (void *)record, 2);
	KUNIT_EXPECT_EQ(test, take(record), 0);
}

/* Memory of processes is lost like other records. */
static void full_log_loses_memory(struct kunit *test)
{
	struct profil_record_args args = { .head.pid = 7 };
	const u32 bytes = SIZE - sizeof(args);

	profil_log_write_user(&log, &args.head, PROFIL_RECORD_ARGS, sizeof(args), NULL, bytes + 1);
	KUNIT_EXPECT_EQ(test, log.head, 0);
	KUNIT_EXPECT_TRUE(test, log.has_lost);
	KUNIT_EXPECT_EQ(test, log.lost_records, 1);
}

static void last_loss_is_reported(struct kunit *test)
{
	static u64 record[PROFIL_RECORD_MAX / 8];
	struct profil_record_lost *lost = (void *)record;

	while (write_samples(1))
		;
	while (take(record))
		;
	KUNIT_EXPECT_EQ(test, log_flush_lost(&log), sizeof(*lost));
	take(record);
	KUNIT_EXPECT_EQ(test, (u32)lost->head.type, (u32)PROFIL_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, lost->samples, 1);
	KUNIT_EXPECT_EQ(test, log_flush_lost(&log), 0);
}

static void quarter_is_readable(struct kunit *test)
{
	while (log_used(&log) + sizeof(struct profil_record_sample) < SIZE / 4)
		write_samples(1);
	KUNIT_EXPECT_FALSE(test, profil_log_is_readable(&log));
	write_samples(1);
	KUNIT_EXPECT_TRUE(test, profil_log_is_readable(&log));
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
	while (log_used(&log) < SIZE / 2)
		write_samples(1);
	log.tail = log.head;
	add_wait_queue(&log.wait, &entry);
	KUNIT_EXPECT_FALSE(test, profil_log_is_readable(&log));
	/* what the writer sees */
	log.tail -= SIZE / 2;
	write_samples(1);
	irq_work_sync(&log.wake_work);
	KUNIT_EXPECT_EQ(test, wakes, 1);
	/* not for each record */
	write_samples(1);
	irq_work_sync(&log.wake_work);
	KUNIT_EXPECT_EQ(test, wakes, 1);
	remove_wait_queue(&log.wait, &entry);
}

static void only_whole_records_are_read(struct kunit *test)
{
	const u32 one = sizeof(struct profil_record_sample);

	write_samples(1);
	write_samples(1);
	KUNIT_EXPECT_EQ(test, log_whole_records(&log, log_used(&log), one - 1), 0);
	KUNIT_EXPECT_EQ(test, log_whole_records(&log, log_used(&log), 2 * one - 1), one);
	KUNIT_EXPECT_EQ(test, log_whole_records(&log, log_used(&log), SIZE), 2 * one);
}

static void closed_log_takes_nothing(struct kunit *test)
{
	struct profil_record_args args = { .head.pid = 7 };

	profil_log_close(&log);
	write_map(1, 5);
	profil_log_write_user(&log, &args.head, PROFIL_RECORD_ARGS, sizeof(args), NULL, 0);
	KUNIT_EXPECT_EQ(test, log.head, 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(records_go_around_whole),
	KUNIT_CASE(samples_leave_room_for_other_records),
	KUNIT_CASE(full_log_loses_and_says_so),
	KUNIT_CASE(unreadable_memory_is_left_out),
	KUNIT_CASE(full_log_loses_memory),
	KUNIT_CASE(last_loss_is_reported),
	KUNIT_CASE(quarter_is_readable),
	KUNIT_CASE(reader_that_just_missed_a_record_is_woken),
	KUNIT_CASE(only_whole_records_are_read),
	KUNIT_CASE(closed_log_takes_nothing),
	{}
};

struct kunit_suite profil_log_suite = {
	.name = "profil_log",
	.init = init,
	.exit = finish,
	.test_cases = cases,
};
