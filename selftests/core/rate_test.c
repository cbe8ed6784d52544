// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rates: their limits, the clock of each, and the throttle; samples in user mode, in the kernel, or
 * in both.
 */
#include "kselftest_harness.h"
#include "profile/clock_profile.h"
#include "profile/expect_count.h"

FIXTURE(rate) {
	struct profile profile;
};

FIXTURE_SETUP(rate)
{
	SET_UP_CLOCK_PROFILE(&self->profile);
}

FIXTURE_TEARDOWN(rate)
{
	clean_up_clock_profile(&self->profile);
}

TEST_F(rate, automatic_clock)
{
	struct profile *profile = &self->profile;
	unsigned int hz = get_info(profile->fd).tick_hz;

	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_AUTO, hz));
	EXPECT_EQ(PROFIL_CLOCK_TICK, get_status(profile->fd).clock);
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_AUTO, hz + 1));
	EXPECT_EQ(PROFIL_CLOCK_RANDOM, get_status(profile->fd).clock);
	EXPECT_EQ(hz + 1, get_status(profile->fd).rate);
}

/*
 * When another clock takes over, nothing is counted twice or late. Each profile has one random end
 * with an even clock and two with a random one, each with a variance of 1/4.
 */
TEST_F(rate, change_of_clock)
{
	static const unsigned int clocks[] = {
		PROFIL_CLOCK_TICK, PROFIL_CLOCK_TIMER, PROFIL_CLOCK_RANDOM,
	};
	enum { ROUNDS = 6 };
	struct profile *profile = &self->profile;
	unsigned int hz = get_info(profile->fd).tick_hz;
	double used = 0;
	int i;

	for (i = 0; i < 3 * ROUNDS; i++) {
		ASSERT_EQ(0, start_with_clock(profile, clocks[i % 3], hz));
		if (!i)
			used = profile->used;
		/* vary the distance from the tick */
		burn(0.03 + tick_fraction(profile, (unsigned int)i));
	}
	used = process_seconds() - used;
	stop(profile->fd);
	EXPECT_COUNT_BY_CHANCE(*profile->counter, hz * used, ROUNDS * 4 / 4.0);
}

/* A higher rate does not apply to the time before its start. */
TEST_F(rate, higher_than_before)
{
	struct profile *profile = &self->profile;
	struct profil_status status;
	double before, begin, end, after;
	long preempted;

	ASSERT_EQ(0, put_on_cpu(0, 0));
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 1));
	burn(0.1);
	preempted = preemptions();
	before = process_seconds();
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 4000));
	begin = process_seconds();
	burn(0.01);
	end = process_seconds();
	status = stop(profile->fd);
	after = process_seconds();
	preempted = preemptions() - preempted;
	EXPECT_COUNT_IN(status.samples, 4000 * (end - begin), 4000 * (after - before),
			1 + preemption_allowance(preempted));
}

/* A start that pins much memory takes long. That time is not sampled. */
TEST_F(rate, start_is_not_sampled)
{
	struct profile *profile = &self->profile;
	struct profil_status status;
	double used;

	profile->region.bytes = 32 << 20;
	profile->counter = map_memory(profile->region.bytes);
	used = process_seconds();
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000));
	status = stop(profile->fd);
	used = process_seconds() - used;
	ksft_print_msg("%llu points, %.0f in the time of both calls\n",
		       (unsigned long long)status.samples, 20000 * used);
	/* stop unpins, which takes as long or less */
	EXPECT_ON_TIME(20000 * used / 10 > (double)(status.samples + status.skipped));
}

TEST_F(rate, limit_for_users)
{
	struct profile *profile = &self->profile;
	unsigned int limit = get_info(profile->fd).tick_hz + 250;
	char text[16];
	pid_t pid;

	if (geteuid())
		SKIP(return, "needs root");
	EXPECT_EQ(20000, get_info(profile->fd).max_rate);
	EXPECT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000));
	EXPECT_EQ(EINVAL, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20001));
	snprintf(text, sizeof(text), "%u", limit);
	ASSERT_EQ(0, write_text(PARAMETERS "max_rate", text));
	pid = fork();
	if (!pid) {
		int fd;

		/* opened as root, but the caller's rights apply */
		if (become_user(12345, 16))
			_exit(100);
		fd = profile->fd;
		if (get_info(fd).max_rate != limit)
			_exit(101);
		if (start_with_clock(profile, PROFIL_CLOCK_RANDOM, limit))
			_exit(102);
		if (start_with_clock(profile, PROFIL_CLOCK_RANDOM, limit + 1) != EPERM)
			_exit(103);
		/* a refused start keeps the earlier session */
		_exit(get_status(fd).rate != limit);
	}
	EXPECT_EQ(0, wait_for(pid));
	/* the rate of the tick costs nothing, so every user may have it */
	ASSERT_EQ(0, write_text(PARAMETERS "max_rate", "1"));
	pid = fork();
	if (!pid) {
		unsigned int hz = get_info(profile->fd).tick_hz;

		if (become_user(12345, 16))
			_exit(100);
		_exit(start_with_clock(profile, PROFIL_CLOCK_TICK, hz));
	}
	EXPECT_EQ(0, wait_for(pid));
}

/* Returns how often the kernel has logged a lowered rate; -1 if the log cannot be read. */
static int nr_logged(void)
{
	FILE *log = popen("dmesg | grep -c 'rate lowered to'", "re");
	int nr = -1;

	if (log && fscanf(log, "%d", &nr) != 1)
		nr = -1;
	if (log)
		pclose(log);
	return nr;
}

/* Returns whether a profile gets the requested rate, and the throttle then lowers it. */
static bool lowered_again(struct profile *profile, int logged)
{
	if (start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000))
		return false;
	burn(0.05);
	stop(profile->fd);
	return nr_logged() > logged;
}

/* With a limit of 0 %, every sample costs too much. */
TEST_F(rate, throttled)
{
	struct profile *profile = &self->profile;
	struct profil_status status;
	int logged = nr_logged();
	double used;

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "0"));
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000));
	used = thread_seconds();
	burn(0.1);
	used = thread_seconds() - used;
	status = stop(profile->fd);
	EXPECT_GT(20000, status.rate);
	EXPECT_LE(get_info(profile->fd).tick_hz, status.rate);
	/* half of the samples due at the requested rate */
	EXPECT_GT(20000 * used / 2, status.samples);
	/* once: the rate cannot be lowered any further */
	EXPECT_EQ(logged + 1, nr_logged());
	/* the next profile is measured again */
	EXPECT_TRUE(lowered_again(profile, logged + 1));
	/* a new limit applies at once */
	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "100"));
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000));
	EXPECT_EQ(20000, get_status(profile->fd).rate);
}

/*
 * Works in both modes. Returns the samples; sets *@due to those due for the CPU time used, and adds
 * the preemptions to *@preempted.
 */
static double samples_of_view(struct __test_metadata *_metadata, struct profile *profile,
			      uint32_t view, double *due, long *preempted)
{
	int k, zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char zeroes[512];
	double used, end;

	profile->start.flags = view;
	EXPECT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_RANDOM, 1000));
	*preempted -= preemptions();
	used = thread_seconds();
	for (end = used + 0.25; thread_seconds() < end;)
		for (k = 0; k < 1000; k++) {
			loop(100);
			EXPECT_EQ(sizeof(zeroes), read(zero, zeroes, sizeof(zeroes)));
		}
	*due = 1000 * (thread_seconds() - used);
	*preempted += preemptions();
	close(zero);
	return (double)stop(profile->fd).samples;
}

/*
 * Samples in user mode and in the kernel add up to all samples. Each sampling point hits one mode
 * at random, with a variance of 1/4 at most. At each end, one point is random.
 */
TEST_F(rate, user_and_kernel_add_up)
{
	struct profile *profile = &self->profile;
	double all, user, kernel, due, more_due;
	long preempted = 0;

	ASSERT_EQ(0, put_on_cpu(0, 0));
	all = samples_of_view(_metadata, profile, 0, &due, &preempted);
	EXPECT_COUNT(all, due, 2 + preemption_allowance(preempted));
	user = samples_of_view(_metadata, profile, PROFIL_USER_ONLY, &due, &preempted);
	kernel = samples_of_view(_metadata, profile, PROFIL_KERNEL_ONLY, &more_due, &preempted);
	due = (due + more_due) / 2;
	/* about the same number of each */
	EXPECT_LT(due / 10, user);
	EXPECT_LT(due / 10, kernel);
	EXPECT_COUNT_BY_CHANCE(user + kernel, due, 2 * due / 4);
}

TEST_HARNESS_MAIN
