// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the new program of an attached process may be sampled is decided by a kprobe, before the
 * kernel sets up the program's registers. If kprobes are switched off, it is decided a few
 * microseconds after that: meanwhile no sample may have a pc, which would be an address of a
 * program that may have more rights. The process executes itself many times at the highest rate, so
 * some samples fall into that time. They have pc 0. Records of mappings are missing, and the log
 * says so.
 */
#include "kselftest_harness.h"
#include "attach/target.h"
#include "files.h"

#define KPROBES	"/sys/kernel/debug/kprobes/enabled"
#define EXECS	400
#define RATE	20000
/*
 * On arm64, exec clears all registers before it sets the pc: 50 instructions, 400 times, at 8 ns
 * take 0.16 ms, in which 3 samples are due.
 */
#ifdef __aarch64__
#define MOST_WITHOUT	10
#else
#define MOST_WITHOUT	0
#endif

FIXTURE(without_kprobes) {
	int device;
	struct target target;
	struct records records;
};

static void set_kprobes(bool enabled)
{
	write_text(KPROBES, enabled ? "1" : "0");
}

static void enable_kprobes(void)
{
	set_kprobes(true);
}

FIXTURE_SETUP(without_kprobes)
{
	REQUIRE_ATTACH(self->device);
	self->records = (struct records) { 0 };
	if (access(KPROBES, W_OK))
		SKIP(return, "needs root, and kprobes in debugfs");
}

FIXTURE_TEARDOWN(without_kprobes)
{
	set_kprobes(true);
	free_records(&self->records);
	close(self->device);
}

static void execute_again(int left)
{
	char number[16];

	if (!left)
		_exit(0);
	snprintf(number, sizeof(number), "%d", left - 1);
	execl("/proc/self/exe", "program", "again", number, NULL);
	_exit(99);
}

static void execute_often(void *unused)
{
	(void)unused;
	execute_again(EXECS);
}

/* Returns the number of mappings that are said to be of a program that was executed. */
static unsigned int programs_mapped(const struct records *records)
{
	unsigned int mapped = 0;

	EACH_RECORD(record, records) {
		const struct profil_record_map *map = (const void *)record;

		mapped += record->type == PROFIL_RECORD_MAP && map->flags & PROFIL_MAP_PROGRAM;
	}
	return mapped;
}

/* Returns the number of samples without a pc. */
static uint64_t sample_execs(struct __test_metadata *_metadata,
			     struct _test_data_without_kprobes *self)
{
	struct profil_attach attach;
	uint64_t without = 0;

	set_throttle(false);
	ASSERT_EQ(0, start_target(&self->target, self->device, execute_often, NULL));
	attach = attachment(self->device, &self->target);
	attach.rate = RATE;
	attach.log_bytes = 4 << 20;
	ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &attach));
	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(0, await_end(&self->target).status);
	set_throttle(true);
	EXPECT_EQ(EXECS, count_records(&self->records, PROFIL_RECORD_EXEC, self->target.pid));
	EACH_RECORD(record, &self->records) {
		const struct profil_record_sample *sample = (const void *)record;

		if (is_sample(record) && !sample->pc)
			without += sample->samples;
	}
	ksft_print_msg("%d programs: %llu of %llu samples have no pc\n", EXECS,
		       (unsigned long long)without,
		       (unsigned long long)samples_of(&self->records, self->target.pid));
	return without;
}

TEST_F_TIMEOUT(without_kprobes, all_samples_have_a_pc_with_them, 120)
{
	EXPECT_GE(MOST_WITHOUT, sample_execs(_metadata, self));
	EXPECT_EQ(0, sum_lost(&self->records).records);
	EXPECT_EQ(EXECS, programs_mapped(&self->records));
}

/* The kernel takes some microseconds for each: of 50 us between two samples */
TEST_F_TIMEOUT(without_kprobes, samples_of_undecided_programs_have_no_pc, 120)
{
	set_kprobes(false);
	EXPECT_LT(0, sample_execs(_metadata, self));
	EXPECT_EQ(EXECS, sum_lost(&self->records).records);
	/* of a library that it maps later is known that it is not the program */
	EXPECT_EQ(0, programs_mapped(&self->records));
}

/* Also the program that the target executes. Enables kprobes even if a test times out. */
int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "again"))
		execute_again(atoi(argv[2]));
	atexit(enable_kprobes);
	return test_harness_run(argc, argv);
}
