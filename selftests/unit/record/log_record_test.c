// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checking the records of the log.
 */
#include <string.h>

#include <record/log_record.h>

#include "support/test.h"

#define PATH_BYTES	16

/* The longest record of the tests */
union any {
	struct profil_record head;
	struct profil_record_sample sample;
	struct profil_record_fork fork;
	struct profil_record_exec exec;
	struct profil_record_thread thread;
	struct profil_record_map map;
	struct profil_record_stack stack;
	struct profil_record_lost lost;
	unsigned char bytes[sizeof(struct profil_record_stack) + 8];
};

static union any make(unsigned int type, size_t bytes)
{
	union any record = { .head = { (__u16)type, (__u16)bytes, 7 } };

	if (type == PROFIL_RECORD_SAMPLE || type == PROFIL_RECORD_KERNEL_SAMPLE ||
	    type == PROFIL_RECORD_STACK)
		record.sample.samples = 1;
	if (type == PROFIL_RECORD_MAP)
		record.map.end = 1;
	if (type == PROFIL_RECORD_THREAD)
		record.thread.tid = 8;
	if (type == PROFIL_RECORD_LOST) {
		record.head.pid = 0;
		record.lost.records = 1;
	}
	return record;
}

static const struct {
	unsigned int type;
	size_t bytes;
} kinds[] = {
	{ PROFIL_RECORD_SAMPLE, sizeof(struct profil_record_sample) },
	{ PROFIL_RECORD_KERNEL_SAMPLE, sizeof(struct profil_record_sample) },
	{ PROFIL_RECORD_FORK, sizeof(struct profil_record_fork) },
	{ PROFIL_RECORD_EXEC, sizeof(struct profil_record_exec) },
	{ PROFIL_RECORD_MAP, sizeof(struct profil_record_map) + PATH_BYTES },
	{ PROFIL_RECORD_EXIT, sizeof(struct profil_record_exit) },
	{ PROFIL_RECORD_LOST, sizeof(struct profil_record_lost) },
	{ PROFIL_RECORD_RUN, sizeof(struct profil_record_run) },
	{ PROFIL_RECORD_THREAD, sizeof(struct profil_record_thread) },
	{ PROFIL_RECORD_ARGS, sizeof(struct profil_record_args) },
	{ PROFIL_RECORD_STACK, sizeof(struct profil_record_stack) },
};

TEST(lengths_are_checked)
{
	size_t i, nr;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		union any record = make(kinds[i].type, kinds[i].bytes);

		assert_ptr_equal(log_record_check(&record, sizeof(record)), &record);
		for (nr = 1; nr < kinds[i].bytes; nr++)
			assert_null(log_record_check(&record, nr));
		/* shorter, as the record itself says, down to 0 bytes */
		for (nr = 0; nr < kinds[i].bytes; nr++) {
			record.head.bytes = (__u16)nr;
			/* a path of fewer bytes is still a path */
			if (kinds[i].type == PROFIL_RECORD_MAP && nr % 8 == 0 &&
			    nr > sizeof(record.map))
				assert_non_null(log_record_check(&record, sizeof(record)));
			else
				assert_null(log_record_check(&record, sizeof(record)));
		}
	}
}

/* As a newer module may write them */
TEST(longer_and_unknown_records_are_valid)
{
	union any record = make(PROFIL_RECORD_SAMPLE, sizeof(record.sample) + 8);

	assert_ptr_equal(log_record_check(&record, sizeof(record)), &record);
	assert_null(log_record_check(&record, sizeof(record.sample)));
	record = make(PROFIL_RECORD_STACK + 1, sizeof(record.head));
	assert_ptr_equal(log_record_check(&record, sizeof(record)), &record);
	record.head.bytes = 0;
	assert_null(log_record_check(&record, sizeof(record)));
}

TEST(texts_must_end)
{
	union any record = make(PROFIL_RECORD_EXEC, sizeof(record.exec));

	memset(record.exec.comm, 'x', sizeof(record.exec.comm));
	assert_null(log_record_check(&record, sizeof(record)));
	record.exec.comm[15] = 0;
	assert_non_null(log_record_check(&record, sizeof(record)));
	record = make(PROFIL_RECORD_THREAD, sizeof(record.thread));
	memset(record.thread.comm, 'x', sizeof(record.thread.comm));
	assert_null(log_record_check(&record, sizeof(record)));
	record.thread.comm[15] = 0;
	assert_non_null(log_record_check(&record, sizeof(record)));
	record = make(PROFIL_RECORD_MAP, PATH_BYTES + sizeof(record.map));
	memset(record.map.path, 'x', PATH_BYTES);
	assert_null(log_record_check(&record, sizeof(record)));
	record.map.path[PATH_BYTES - 1] = 0;
	assert_non_null(log_record_check(&record, sizeof(record)));
	/* the 0 must be in the record */
	record.head.bytes -= 8;
	assert_null(log_record_check(&record, sizeof(record)));
}

TEST(numbers_are_checked)
{
	union any record = make(PROFIL_RECORD_FORK, sizeof(record.fork));

	record.fork.parent = LOG_RECORD_PIDS;
	assert_null(log_record_check(&record, sizeof(record)));
	record.fork.parent = LOG_RECORD_PIDS - 1;
	assert_non_null(log_record_check(&record, sizeof(record)));
	record.head.pid = LOG_RECORD_PIDS;
	assert_null(log_record_check(&record, sizeof(record)));
	record.head.pid = -1;
	assert_null(log_record_check(&record, sizeof(record)));
	record = make(PROFIL_RECORD_THREAD, sizeof(record.thread));
	record.thread.tid = LOG_RECORD_PIDS;
	assert_null(log_record_check(&record, sizeof(record)));
	record.thread.tid = -1;
	assert_null(log_record_check(&record, sizeof(record)));
	record = make(PROFIL_RECORD_SAMPLE, sizeof(record.sample));
	record.sample.samples = 0;
	assert_null(log_record_check(&record, sizeof(record)));
	record.head.type = PROFIL_RECORD_KERNEL_SAMPLE;
	assert_null(log_record_check(&record, sizeof(record)));
	record = make(PROFIL_RECORD_MAP, PATH_BYTES + sizeof(record.map));
	record.map.start = 1;
	assert_null(log_record_check(&record, sizeof(record)));
}

TEST(words_of_a_stack_are_in_its_record)
{
	union any record = make(PROFIL_RECORD_STACK, sizeof(record.stack));

	record.stack.seen_bytes = PROFIL_STACK_BYTES_MAX;
	assert_non_null(log_record_check(&record, sizeof(record)));
	record.stack.nr_words = 1;
	assert_null(log_record_check(&record, sizeof(record)));
	record.stack.nr_words = 0;
	record.stack.seen_bytes = PROFIL_STACK_BYTES_MAX + 8;
	assert_null(log_record_check(&record, sizeof(record)));
	record.stack.seen_bytes = 4;
	assert_null(log_record_check(&record, sizeof(record)));
}

/* What the kernel cannot say, although each number is one that it could say */
TEST(contradictions_are_refused)
{
	union any record = make(PROFIL_RECORD_FORK, sizeof(record.fork));

	record.fork.parent = 7;
	assert_null(log_record_check(&record, sizeof(record)));
	/* two processes outside of the namespace, or only the parent */
	record.fork.parent = 0;
	assert_non_null(log_record_check(&record, sizeof(record)));
	record.head.pid = 0;
	assert_non_null(log_record_check(&record, sizeof(record)));
	record = make(PROFIL_RECORD_THREAD, sizeof(record.thread));
	record.head.pid = 0;
	assert_null(log_record_check(&record, sizeof(record)));
	record.thread.tid = 0;
	assert_non_null(log_record_check(&record, sizeof(record)));
	record.head.pid = 7;
	assert_null(log_record_check(&record, sizeof(record)));
	/* a thread that another CPU has just released has samples, without its ID */
	record = make(PROFIL_RECORD_SAMPLE, sizeof(record.sample));
	assert_non_null(log_record_check(&record, sizeof(record)));
	record.sample.tid = 7;
	record.head.pid = 0;
	assert_null(log_record_check(&record, sizeof(record)));
	record.sample.tid = 0;
	assert_non_null(log_record_check(&record, sizeof(record)));
	record = make(PROFIL_RECORD_LOST, sizeof(record.lost));
	record.head.pid = 7;
	assert_null(log_record_check(&record, sizeof(record)));
	record.head.pid = 0;
	record.lost.records = 0;
	assert_null(log_record_check(&record, sizeof(record)));
	record.lost.samples = 1;
	assert_non_null(log_record_check(&record, sizeof(record)));
}
