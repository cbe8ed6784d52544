// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several open files that sample one process: each log has all records and all samples, at its own
 * rate, and none changes another.
 */
#include "kselftest_harness.h"
#include "attach/target.h"
#include "load/loops.h"
#include "profile/expect_count.h"
#include "profile/process.h"

/* What the logs differ in; rate 0: that of the tick */
static const struct kind {
	unsigned int clock;
	unsigned int rate;
	unsigned int flags;
} kinds[] = {
	{ PROFIL_CLOCK_TICK, 0, PROFIL_FOLLOW_EXEC },
	{ PROFIL_CLOCK_TICK, 50, PROFIL_FOLLOW_EXEC | PROFIL_USER_ONLY },
	{ PROFIL_CLOCK_TIMER, 997, PROFIL_FOLLOW_EXEC },
	{ PROFIL_CLOCK_RANDOM, 1500, PROFIL_FOLLOW_EXEC },
	{ PROFIL_CLOCK_RANDOM, 1500, PROFIL_FOLLOW_EXEC | PROFIL_KERNEL_ONLY },
	/* attached last, so found first: the slowest does not hold up the others */
	{ PROFIL_CLOCK_TIMER, 100, PROFIL_FOLLOW_EXEC },
};

#define LOGS	ARRAY_SIZE(kinds)

/* What the target reports, in shared memory */
struct loop_report {
	char *code;		/* of its loop */
	double in_loop;		/* CPU time there, and of reading the clock */
	bool enough;		/* the target ends */
	pid_t child;
};

FIXTURE(several) {
	int device[LOGS];
	struct records records[LOGS];
	unsigned int hz;
	struct target target;
	struct loop_report *report;
	long long sessions;
};

FIXTURE_SETUP(several)
{
	size_t i;

	REQUIRE_ATTACH(self->device[0]);
	if (geteuid())
		SKIP(return, "needs root: a user may have fewer logs of a process");
	set_throttle(false);
	self->sessions = settled_figure("sessions");
	self->hz = get_info(self->device[0]).tick_hz;
	self->report = map_shared(PAGE);
	for (i = 0; i < LOGS; i++) {
		if (i)
			self->device[i] = open_device();
		ASSERT_LE(0, self->device[i]);
		self->records[i] = (struct records) { 0 };
	}
}

FIXTURE_TEARDOWN(several)
{
	size_t i;

	kill_target(&self->target);
	for (i = 0; i < LOGS; i++) {
		free_records(&self->records[i]);
		close(self->device[i]);
	}
	EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
	set_throttle(true);
}

/* Starts a target on the last CPU that has no device open. */
static void start(struct __test_metadata *_metadata, struct _test_data_several *self,
		  void (*run)(void *arg))
{
	ASSERT_EQ(0, start_target(&self->target, -1, run, self));
	ASSERT_EQ(0, put_on_cpu(self->target.pid, (int)sysconf(_SC_NPROCESSORS_ONLN) - 1));
	self->target.base = seconds_of(self->target.pid);
}

static int attach_log(const struct _test_data_several *self, size_t i)
{
	struct profil_attach attach = attachment(self->device[i], &self->target);

	attach.clock = kinds[i].clock;
	attach.rate = kinds[i].rate ? kinds[i].rate : self->hz;
	attach.flags = kinds[i].flags;
	attach.log_bytes = 16 * LEAST_LOG;
	return call(self->device[i], PROFIL_IOC_ATTACH, &attach);
}

static void close_devices(const struct _test_data_several *self)
{
	size_t i;

	for (i = 0; i < LOGS; i++)
		close(self->device[i]);
}

static void spin(void *data)
{
	struct _test_data_several *self = data;

	close_devices(self);
	self->report->code = map_loops(1);
	self->report->in_loop = thread_seconds();
	stay_in_loop(self->report->code, 0, 0.4);
	self->report->in_loop = thread_seconds() - self->report->in_loop;
}

static void spin_until_told(void *data)
{
	struct _test_data_several *self = data;

	close_devices(self);
	self->report->code = map_loops(1);
	self->report->in_loop = thread_seconds();
	while (!__atomic_load_n(&self->report->enough, __ATOMIC_ACQUIRE))
		stay_in_loop(self->report->code, 0, 0.01);
	self->report->in_loop = thread_seconds() - self->report->in_loop;
}

/* As in attach_samples_test: a stretch is off by less than one tick or point at each end. */
static double allowance(const struct kind *kind, double hz, long preempted)
{
	double rate = kind->rate ? kind->rate : hz;

	if (kind->clock == PROFIL_CLOCK_TICK)
		return rate / hz + (rate < hz) + preemption_allowance(preempted);
	return (kind->clock == PROFIL_CLOCK_RANDOM ? 2 : 1) + preemption_allowance(preempted);
}

static uint64_t samples_in_loop(const struct _test_data_several *self, size_t i)
{
	return samples_between(&self->records[i], ANY, self->report->code,
			       self->report->code + LOOP_BYTES);
}

/* Samples that are not late: one for each interrupt */
static unsigned int records_in_loop(const struct _test_data_several *self, size_t i)
{
	unsigned int nr = 0;

	EACH_RECORD(record, &self->records[i]) {
		const struct profil_record_sample *sample = (const void *)record;

		nr += is_sample(record) && sample->samples == 1 &&
		      (char *)sample->pc >= self->report->code &&
		      (char *)sample->pc < self->report->code + LOOP_BYTES;
	}
	return nr;
}

TEST_F(several, each_counts_at_its_rate)
{
	struct end end;
	size_t i;

	start(_metadata, self, spin);
	for (i = 0; i < LOGS; i++)
		ASSERT_EQ(0, attach_log(self, i));
	release(&self->target);
	for (i = 0; i < LOGS; i++)
		EXPECT_EQ(0, read_all(&self->records[i], self->device[i]));
	end = await_end(&self->target);
	EXPECT_EQ(0, end.status);
	for (i = 0; i < LOGS; i++) {
		double rate = kinds[i].rate ? kinds[i].rate : self->hz;

		/* its points, in a loop that never enters the kernel */
		if (kinds[i].flags & PROFIL_KERNEL_ONLY) {
			EXPECT_EQ(0, samples_of_type(&self->records[i], PROFIL_RECORD_SAMPLE, ANY));
		} else {
			EXPECT_COUNT_IN(samples_of(&self->records[i], ANY),
					rate * self->report->in_loop, rate * end.used,
					allowance(&kinds[i], self->hz, end.preempted));
			EXPECT_LE(samples_in_loop(self, i) * 9 / 10, records_in_loop(self, i));
		}
		EXPECT_EQ(0, log_status(self->device[i]).lost);
	}
}

/* A log that is added or closed while the others count does not change them. */
TEST_F(several, come_and_go)
{
	struct end end;
	size_t i;

	start(_metadata, self, spin_until_told);
	ASSERT_EQ(0, attach_log(self, 2));
	release(&self->target);
	for (i = 0; i < 40; i++) {
		/* the others, in turn, on the other CPU */
		size_t other = 3 + i % 3;

		EXPECT_EQ(0, attach_log(self, other));
		close(self->device[other]);
		self->device[other] = open_device();
		ASSERT_LE(0, self->device[other]);
	}
	__atomic_store_n(&self->report->enough, true, __ATOMIC_RELEASE);
	EXPECT_EQ(0, read_all(&self->records[2], self->device[2]));
	end = await_end(&self->target);
	EXPECT_EQ(0, end.status);
	EXPECT_COUNT_IN(samples_of(&self->records[2], ANY), kinds[2].rate * self->report->in_loop,
			kinds[2].rate * end.used, allowance(&kinds[2], self->hz, end.preempted));
}

/* A child that executes a program */
static void have_children(void *data)
{
	struct _test_data_several *self = data;
	pid_t child;

	close_devices(self);
	child = fork();
	if (!child) {
		execl("/proc/self/exe", "child", "burn", NULL);
		_exit(99);
	}
	self->report->child = child;
	_exit(wait_for(child));
}

TEST_F(several, each_has_all_records)
{
	size_t i;

	start(_metadata, self, have_children);
	for (i = 0; i < LOGS; i++)
		ASSERT_EQ(0, attach_log(self, i));
	release(&self->target);
	for (i = 0; i < LOGS; i++)
		EXPECT_EQ(0, read_all(&self->records[i], self->device[i]));
	EXPECT_EQ(0, await_end(&self->target).status);
	for (i = 0; i < LOGS; i++) {
		const struct records *records = &self->records[i];
		pid_t child = self->report->child;

		EXPECT_EQ(1, count_records(records, PROFIL_RECORD_FORK, ANY));
		EXPECT_EQ(1, count_records(records, PROFIL_RECORD_FORK, child));
		EXPECT_EQ(1, count_records(records, PROFIL_RECORD_EXEC, child));
		EXPECT_EQ(1, count_records(records, PROFIL_RECORD_ARGS, child));
		EXPECT_EQ(1, count_records(records, PROFIL_RECORD_RUN, child));
		EXPECT_LE(2, count_records(records, PROFIL_RECORD_MAP, child));
		EXPECT_EQ(1, count_records(records, PROFIL_RECORD_EXIT, child));
		EXPECT_EQ(2, count_records(records, PROFIL_RECORD_EXIT, ANY));
		EXPECT_EQ(2, count_records(records, PROFIL_RECORD_THREAD, ANY));
	}
}

/* One log is not two */
TEST_F(several, process_is_once_in_a_log)
{
	start(_metadata, self, spin);
	ASSERT_EQ(0, attach_log(self, 0));
	EXPECT_EQ(EBUSY, attach_log(self, 0));
	EXPECT_EQ(0, attach_log(self, 1));
	EXPECT_EQ(EBUSY, attach_log(self, 0));
}

int main(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "burn"))
		return test_harness_run(argc, argv);
	burn(0.05);
	return 0;
}
