// SPDX-License-Identifier: GPL-2.0-only
/*
 * Late interrupts: samples that were due while interrupts were off are counted for the process that
 * was running, and for no other. selftests/late keeps interrupts off (after_loss.h).
 *
 * A thread that is on its CPU for a time t without interruption passes rate x t sampling points:
 * less or more by less than one if they are at even intervals; by less than two, one at each end,
 * if they are at random places in the intervals. Each interruption adds a stretch with ends of its
 * own.
 */
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "profile/clock_profile.h"
#include "kernel/late.h"

#define OFF	"off"
#define LEAVE	"leave"
#define ROUNDS	10

/* CPU time of the process or of a thread, and its number of stretches on CPUs */
struct use {
	double seconds;
	long stretches;
};

FIXTURE(late) {
	struct profile profile;
	unsigned int clock;
	unsigned int rate;	/* that of the tick, or another one */
	int ends;		/* at most so many points more or less in a stretch */
};

FIXTURE_VARIANT(late) {
	unsigned int clock;
};

FIXTURE_VARIANT_ADD(late, tick) { PROFIL_CLOCK_TICK };
FIXTURE_VARIANT_ADD(late, timer) { PROFIL_CLOCK_TIMER };
FIXTURE_VARIANT_ADD(late, random) { PROFIL_CLOCK_RANDOM };

FIXTURE_SETUP(late)
{
	SET_UP_CLOCK_PROFILE(&self->profile);
	REQUIRE_LATE();
	self->clock = variant->clock;
	self->rate = variant->clock == PROFIL_CLOCK_TICK ? self->profile.hz :
							    1000;
	self->ends = variant->clock == PROFIL_CLOCK_RANDOM ? 2 : 1;
	/* the first start after a boot takes a second to attach the clock */
	ASSERT_EQ(0, start_with_clock(&self->profile, self->clock, self->rate));
	stop(self->profile.fd);
	*self->profile.counter = 0;
}

FIXTURE_TEARDOWN(late)
{
	clean_up_clock_profile(&self->profile);
}

/* Keeps interrupts off for @periods periods of @rate. Returns 0 or an errno. */
static int keep_off(const char *how, double periods, unsigned int rate)
{
	return keep_interrupts_off(how, periods / rate);
}

static struct use get_use(bool of_thread)
{
	/* the kernel's ID of the CPU-time clock of a thread */
	clockid_t main_thread = ~getpid() << 3 | 6;
	struct rusage usage;
	struct use use;

	getrusage(of_thread ? RUSAGE_THREAD : RUSAGE_SELF, &usage);
	use.stretches = usage.ru_nvcsw + usage.ru_nivcsw;
	if (of_thread)
		use.seconds = thread_seconds();
	else if (gettid() == getpid())
		use.seconds = process_seconds();
	else	/* the clock of the process includes other threads only up to their last tick */
		use.seconds = thread_seconds() + clock_seconds(main_thread);
	return use;
}

/* Samples of a profile, and the CPU time before and after its start and stop */
struct account {
	struct use start, started, end, ended;
	int others;		/* number of threads besides the main thread */
	bool of_thread;		/* with PROFIL_THREAD_ONLY */
	struct profil_status status;
};

static int begin_account(struct _test_data_late *self, struct account *account)
{
	int error;

	account->start = get_use(account->of_thread);
	error = start_with_clock(&self->profile, self->clock, self->rate);
	account->started = get_use(account->of_thread);
	return error;
}

static void end_account(struct _test_data_late *self, struct account *account)
{
	account->end = get_use(account->of_thread);
	account->status = stop(self->profile.fd);
	account->ended = get_use(account->of_thread);
}

/* Samples, and those skipped because they were too late: 40 slow ticks are more than 100 ms. */
static uint64_t counted_or_skipped(const struct profil_status *status)
{
	return status->counted + status->skipped;
}

/* Expects the samples due; fewer if @lost, and up to @more in addition in each stretch. */
static void expect_exact(struct __test_metadata *_metadata,
			 const struct _test_data_late *self,
			 const struct account *account, uint64_t nr, bool lost,
			 int more)
{
	double least = account->end.seconds - account->started.seconds;
	double most = account->ended.seconds - account->start.seconds;
	long stretches = 1 + account->others + account->ended.stretches -
			 account->start.stretches;

	ksft_print_msg("%llu counted, %.2f to %.2f due, %ld stretches\n",
		       (unsigned long long)nr, self->rate * least,
		       self->rate * most, stretches);
	EXPECT_EQ(PROFIL_STATE_RUNNING, account->status.state);
	EXPECT_EQ(account->status.samples, account->status.counted);
	if (!lost)
		EXPECT_LE(self->rate * least - self->ends * stretches, nr);
	EXPECT_GE(self->rate * most + (self->ends + more) * stretches, nr);
}

/* A thread that stays on its CPU loses no samples. */
TEST_F(late, counted)
{
	struct account account = { .others = 0 };
	int i;

	ASSERT_EQ(0, begin_account(self, &account));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, keep_off(OFF, 9.3 + 0.37 * i, self->rate));
		burn(1.7 / self->rate);
	}
	end_account(self, &account);
	expect_exact(_metadata, self, &account, counted_or_skipped(&account.status), false, 0);
}

/*
 * A child alternates with its parent on one CPU. At the end of each turn, it keeps interrupts off
 * until the parent runs, which the late interrupts hit. The timer's points are nevertheless counted
 * for the child. A late tick is counted once for the parent, and missed ticks are not counted.
 */
static void take_turns(struct __test_metadata *_metadata,
		       struct _test_data_late *self, double periods)
{
	struct account *child = map_shared(sizeof(*child));
	bool tick = self->clock == PROFIL_CLOCK_TICK;
	struct account account = { .others = 0 };
	int *over = map_shared(sizeof(*over));
	pid_t pid;
	int i;

	ASSERT_EQ(0, begin_account(self, &account));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		/* its CPU time and its status start at 0 */
		for (i = 0; i < ROUNDS; i++) {
			if (periods > 0)
				burn(periods / self->rate);
			if (keep_off(LEAVE, 9.3 + 0.37 * i, self->rate))
				_exit(1);
		}
		end_account(self, child);
		__atomic_store_n(over, 1, __ATOMIC_RELEASE);
		_exit(0);
	}
	while (!__atomic_load_n(over, __ATOMIC_ACQUIRE))
		burn(0.1 / self->rate);
	end_account(self, &account);
	EXPECT_EQ(0, wait_for(pid));
	expect_exact(_metadata, self, &account, counted_or_skipped(&account.status), false, tick);
	expect_exact(_metadata, self, child, counted_or_skipped(&child->status), tick, 0);
}

/* The last tick before has hit the child. */
TEST_F(late, turns)
{
	take_turns(_metadata, self, 2.2);
}

/* The last tick before has hit the parent, as if it had run all the time. */
TEST_F(late, short_turns)
{
	take_turns(_metadata, self, 0);
}

static void *leave_often(void *data)
{
	struct _test_data_late *self = data;
	intptr_t error = 0;
	int i;

	for (i = 0; i < ROUNDS && !error; i++)
		error = keep_off(LEAVE, 9.3 + 0.37 * i, self->rate);
	return (void *)error;
}

static void take_turns_of_threads(struct __test_metadata *_metadata,
				  struct _test_data_late *self,
				  struct account *account)
{
	pthread_t thread;
	void *error;

	ASSERT_EQ(0, begin_account(self, account));
	ASSERT_EQ(0, pthread_create(&thread, NULL, leave_often, self));
	while (pthread_tryjoin_np(thread, &error))
		burn(0.1 / self->rate);
	end_account(self, account);
	EXPECT_EQ(NULL, error);
}

/* Between threads of a profiled process, nothing is lost. */
TEST_F(late, threads)
{
	struct account account = { .others = 1 };

	take_turns_of_threads(_metadata, self, &account);
	expect_exact(_metadata, self, &account, counted_or_skipped(&account.status), false, 0);
}

/* With PROFIL_THREAD_ONLY, the time of another thread is not counted. */
TEST_F(late, one_thread)
{
	struct account account = { .of_thread = true };

	self->profile.start.flags = PROFIL_THREAD_ONLY;
	take_turns_of_threads(_metadata, self, &account);
	expect_exact(_metadata, self, &account, counted_or_skipped(&account.status), false,
		     self->clock == PROFIL_CLOCK_TICK);
}

/* A thread on another CPU starts a profile while interrupts are off. */
struct meanwhile {
	struct _test_data_late *self;
	int pipe[2];		/* a byte starts the thread */
	struct account *account;
	int error;
};

static void *start_meanwhile(void *data)
{
	struct meanwhile *meanwhile = data;
	struct _test_data_late *self = meanwhile->self;

	put_on_cpu(0, 0);
	receive_byte(meanwhile->pipe[0]);
	usleep((useconds_t)(1e6 * 35 / self->rate));
	meanwhile->error = begin_account(self, meanwhile->account);
	return NULL;
}

/* Keeps interrupts off for 40 periods, after 35 of which another thread starts the profile. */
static void stay_off_while_started(struct __test_metadata *_metadata,
				   struct _test_data_late *self,
				   struct account *account)
{
	struct meanwhile meanwhile = { .self = self, .account = account };
	pthread_t thread;

	ASSERT_EQ(0, pipe(meanwhile.pipe));
	ASSERT_EQ(0, pthread_create(&thread, NULL, start_meanwhile, &meanwhile));
	/* until it sleeps on the other CPU */
	usleep(10000);
	burn(2.0 / self->rate);
	ASSERT_EQ(0, send_byte(meanwhile.pipe[1]));
	ASSERT_EQ(0, keep_off(OFF, 40.3, self->rate));
	pthread_join(thread, NULL);
	burn(2.0 / self->rate);
	ASSERT_EQ(0, meanwhile.error);
	end_account(self, account);
}

/* Points before the start of the first profile are not counted. */
TEST_F(late, started)
{
	struct account account = { .others = 1 };

	stay_off_while_started(_metadata, self, &account);
	expect_exact(_metadata, self, &account, counted_or_skipped(&account.status), false, 0);
}

/* Points due for a profile that was replaced are counted. */
TEST_F(late, replaced)
{
	struct account account = { .others = 1 }, last = account;

	ASSERT_EQ(0, begin_account(self, &account));
	stay_off_while_started(_metadata, self, &last);
	account.end = last.end;
	account.ended = last.ended;
	account.status = last.status;
	expect_exact(_metadata, self, &account,
		     counted(&self->profile) + account.status.skipped, false, 0);
}

static void expect_nothing_inherited(struct __test_metadata *_metadata,
				     struct _test_data_late *self,
				     unsigned int clock, unsigned int rate)
{
	struct account account = { .others = 1 };

	ASSERT_EQ(0, start_with_clock(&self->profile, clock, rate));
	stay_off_while_started(_metadata, self, &account);
	expect_exact(_metadata, self, &account, counted_or_skipped(&account.status), false, 0);
}

/* They are not counted if the new profile has another clock, or a timer with another rate. */
TEST_F(late, replaced_with_another_clock)
{
	bool tick = self->clock == PROFIL_CLOCK_TICK;

	if (!tick)
		expect_nothing_inherited(_metadata, self, self->clock, 500);
	self->rate = self->profile.hz;
	expect_nothing_inherited(_metadata, self, tick ? PROFIL_CLOCK_TIMER : PROFIL_CLOCK_TICK,
				 self->rate);
}

/*
 * A late interrupt causes more samples than fit in a pc log. The timer fires once for each late
 * point, but at every 16th time it reads the clock and counts all of them.
 */
TEST_F(late, log_overflows)
{
	const unsigned int room = 20, late = 60;
	unsigned int width, i;
	unsigned char *log;

	for (width = 32; width <= 64; width += 32) {
		struct profil_status status;
		size_t bytes = room * width / 8;

		log = map_memory(PAGE);
		memset(log, 0xee, PAGE);
		self->profile.start = (struct profil_start) {
			.size = sizeof(self->profile.start),
			.flags = PROFIL_PC_LOG,
			.clock = self->clock,
			.rate = self->rate,
			.width = width,
			.log = (uintptr_t)log,
			.log_bytes = bytes,
		};
		ASSERT_EQ(0, call(self->profile.fd, PROFIL_IOC_START, &self->profile.start));
		ASSERT_EQ(0, keep_off(OFF, late, self->rate));
		status = stop(self->profile.fd);
		EXPECT_EQ(PROFIL_STATE_FULL, status.state);
		EXPECT_EQ(room, status.counted);
		EXPECT_LE(late - self->ends - room, status.lost + status.skipped);
		EXPECT_EQ(status.samples, status.counted + status.lost);
		for (i = bytes; i < PAGE; i++)
			ASSERT_EQ(0xee, log[i]);
		munmap(log, PAGE);
	}
}

TEST_HARNESS_MAIN
