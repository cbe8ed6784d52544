// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rates: the limits, the clock of each, the guard; and the three views of CPU time.
 */
#include "kselftest_harness.h"
#include "clock_profile.h"
#include "expect_count.h"

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

TEST_F(rate, clock_of_ones_own)
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
 * Nothing is counted twice, nor long after, when another clock takes over. Of each
 * profile one end is by chance with an even clock, two are with a random one, where each
 * has a variance of 1/4.
 */
TEST_F(rate, one_clock_after_the_other)
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
		/* not always at the same distance from a tick */
		burn(0.03 + tick_fraction(profile, (unsigned int)i));
	}
	used = process_seconds() - used;
	stop(profile->fd);
	EXPECT_COUNT_BY_CHANCE(*profile->counter, hz * used, ROUNDS * 4 / 4.0);
}

/* It does not count the time before it, in which there were few points. */
TEST_F(rate, more_than_before)
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

/* A start that has much to pin takes long, and none of that is the profile's. */
TEST_F(rate, from_the_end_of_the_start)
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
	/* stop unpins, which is as much or less */
	EXPECT_GT(20000 * used / 10, status.samples + status.skipped);
}

TEST_F(rate, limit_for_users)
{
	struct profile *profile = &self->profile;
	unsigned int limit = get_info(profile->fd).tick_hz + 250;
	char text[16];
	pid_t pid;

	if (geteuid())
		SKIP(return, "wants to be root");
	EXPECT_EQ(20000, get_info(profile->fd).max_rate);
	EXPECT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000));
	EXPECT_EQ(EINVAL, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20001));
	snprintf(text, sizeof(text), "%u", limit);
	ASSERT_EQ(0, write_text(PARAMETERS "max_rate", text));
	pid = fork();
	if (!pid) {
		int fd;

		/* still opened as root: the right is that of the caller */
		if (become_user(12345, 16))
			_exit(100);
		fd = profile->fd;
		if (get_info(fd).max_rate != limit)
			_exit(101);
		if (start_with_clock(profile, PROFIL_CLOCK_RANDOM, limit))
			_exit(102);
		if (start_with_clock(profile, PROFIL_CLOCK_RANDOM, limit + 1) != EPERM)
			_exit(103);
		/* a refused one leaves the earlier one */
		_exit(get_status(fd).rate != limit);
	}
	EXPECT_EQ(0, wait_for(pid));
	/* the tick's own rate costs nothing, so nobody is refused that */
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

/* Times that the kernel's log says so; -1 if it cannot be read. */
static int times_told(void)
{
	FILE *log = popen("dmesg | grep -c 'rate lowered to'", "re");
	int nr = -1;

	if (log && fscanf(log, "%d", &nr) != 1)
		nr = -1;
	if (log)
		pclose(log);
	return nr;
}

/* Whether a profile has had the rate that it asked for, and the guard lowered it. */
static bool lowered_anew(struct profile *profile, int told)
{
	if (start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000))
		return false;
	burn(0.05);
	stop(profile->fd);
	return times_told() > told;
}

/* Under emulation a sample takes far more than the share of a CPU that is let. */
TEST_F(rate, lowered_by_the_guard)
{
	struct profile *profile = &self->profile;
	struct profil_status status;
	int told = times_told();

	if (geteuid())
		SKIP(return, "wants to be root");
	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "0"));
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000));
	burn(0.1);
	status = stop(profile->fd);
	EXPECT_GT(20000, status.rate);
	EXPECT_LE(get_info(profile->fd).tick_hz, status.rate);
	/* half of what the rate is worth that was asked for */
	EXPECT_GT(1000, status.samples);
	/* once: it cannot be lowered any further */
	EXPECT_EQ(told + 1, times_told());
	/* the next one is measured anew */
	EXPECT_TRUE(lowered_anew(profile, told + 1));
	/* and at once if the limit is set anew */
	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "100"));
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000));
	EXPECT_EQ(20000, get_status(profile->fd).rate);
}

/* Work in both modes. Return: samples; *due: those that its CPU time is worth. */
static double samples_of_view(struct __test_metadata *_metadata,
			      struct profile *profile, uint32_t view, double *due)
{
	int k, zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char zeroes[512];
	double used, end;

	profile->start.flags = view;
	EXPECT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_RANDOM, 1000));
	used = thread_seconds();
	for (end = used + 0.25; thread_seconds() < end;)
		for (k = 0; k < 1000; k++) {
			loop(100);
			EXPECT_EQ(sizeof(zeroes), read(zero, zeroes, sizeof(zeroes)));
		}
	*due = 1000 * (thread_seconds() - used);
	close(zero);
	return (double)stop(profile->fd).samples;
}

/*
 * User and kernel mode are all there is. Each point meets either by chance, with a
 * variance of 1/4 at most. Of all points, one is by chance at each end.
 */
TEST_F(rate, three_views)
{
	struct profile *profile = &self->profile;
	double all, user, kernel, due, more_due;

	ASSERT_EQ(0, put_on_cpu(0, 0));
	all = samples_of_view(_metadata, profile, 0, &due);
	EXPECT_COUNT(all, due, 2);
	user = samples_of_view(_metadata, profile, PROFIL_USER_ONLY, &due);
	kernel = samples_of_view(_metadata, profile, PROFIL_KERNEL_ONLY, &more_due);
	due = (due + more_due) / 2;
	/* about as much of each */
	EXPECT_LT(due / 10, user);
	EXPECT_LT(due / 10, kernel);
	EXPECT_COUNT_BY_CHANCE(user + kernel, due, 2 * due / 4);
}

TEST_HARNESS_MAIN
