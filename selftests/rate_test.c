// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rates: who may ask for which, and of which clock; the guard; and the three views of
 * CPU time.
 */
#include "kselftest_harness.h"
#include "clocked.h"

FIXTURE(rate) {
	struct profile profile;
};

FIXTURE_SETUP(rate)
{
	SET_UP(&self->profile);
}

FIXTURE_TEARDOWN(rate)
{
	clean_up(&self->profile);
}

TEST_F(rate, clock_of_ones_own)
{
	struct profile *profile = &self->profile;
	unsigned int hz = get_info(profile->fd).tick_hz;

	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_AUTO, hz));
	EXPECT_EQ(PROFIL_CLOCK_TICK, get_status(profile->fd).clock);
	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_AUTO, hz + 1));
	EXPECT_EQ(PROFIL_CLOCK_RANDOM, get_status(profile->fd).clock);
	EXPECT_EQ(hz + 1, get_status(profile->fd).rate);
}

/* Nothing is counted twice, nor long after, when another clock takes over. */
static double share_with_changes(struct profile *profile)
{
	static const unsigned int clocks[] = {
		PROFIL_CLOCK_TICK, PROFIL_CLOCK_TIMER, PROFIL_CLOCK_RANDOM,
	};
	double used = process_seconds();
	unsigned int hz = get_info(profile->fd).tick_hz;
	int i;

	*profile->counter = 0;
	for (i = 0; i < 30; i++) {
		if (begin_by(profile, clocks[i % 3], hz))
			return -1;
		burn(0.03);
	}
	used = process_seconds() - used;
	stop(profile->fd);
	return (double)*profile->counter / (hz * used);
}

TEST_F(rate, one_clock_after_the_other)
{
	EXPECT_SHARE(0.8, 1.2, share_with_changes(&self->profile));
}

/* It does not count the time before it, in which there were few points. */
TEST_F(rate, more_than_before)
{
	struct profile *profile = &self->profile;
	struct profil_status status;
	double used;
	int k;

	for (k = 0; k < 5; k++) {
		ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TIMER, 1));
		burn(0.5);
		used = process_seconds();
		ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TIMER, 4000));
		status = stop(profile->fd);
		used = process_seconds() - used;
		EXPECT_GT(500 + 4000 * used, status.ticks);
	}
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
	EXPECT_EQ(0, begin_by(profile, PROFIL_CLOCK_TIMER, 20000));
	EXPECT_EQ(EINVAL, begin_by(profile, PROFIL_CLOCK_TIMER, 20001));
	snprintf(text, sizeof(text), "%u", limit);
	ASSERT_EQ(0, write_text(PARAMETERS "max_rate", text));
	pid = fork();
	if (!pid) {
		int fd;

		/* still opened as root: what counts is who calls */
		if (become_user(12345, 16))
			_exit(100);
		fd = profile->fd;
		if (get_info(fd).max_rate != limit)
			_exit(101);
		if (begin_by(profile, PROFIL_CLOCK_RANDOM, limit))
			_exit(102);
		if (begin_by(profile, PROFIL_CLOCK_RANDOM, limit + 1) != EPERM)
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
		_exit(begin_by(profile, PROFIL_CLOCK_TICK, hz));
	}
	EXPECT_EQ(0, wait_for(pid));
}

/* Times that the kernel's log says so; -1 if it cannot be read. */
static int times_told(void)
{
	FILE *log = popen("dmesg | grep -c 'rates lowered to'", "re");
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
	if (begin_by(profile, PROFIL_CLOCK_TIMER, 20000))
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
	int told = times_told(), tries;

	if (geteuid())
		SKIP(return, "wants to be root");
	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "0"));
	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TIMER, 20000));
	burn(0.5);
	status = stop(profile->fd);
	EXPECT_GT(20000, status.rate);
	EXPECT_LE(get_info(profile->fd).tick_hz, status.rate);
	EXPECT_GT(5000, status.ticks);
	/* once: it cannot be lowered any further */
	EXPECT_EQ(told + 1, times_told());
	/* all are as they were when nothing has been timed for a while, of some seconds */
	for (tries = 15; tries && !lowered_anew(profile, told + 1); tries--)
		sleep(2);
	EXPECT_LT(0, tries);
	/* and at once if who has set the limit sets another */
	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "100"));
	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TIMER, 20000));
	EXPECT_EQ(20000, get_status(profile->fd).rate);
}

/* Work in both modes, about as much: samples / (rate x CPU seconds). */
static double share_of_view(struct profile *profile, uint32_t view)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char zeroes[512];
	double used, end;
	int k;

	profile->start.flags = view;
	if (begin_by(profile, PROFIL_CLOCK_RANDOM, 1000))
		return -1;
	used = thread_seconds();
	for (end = used + 0.5; thread_seconds() < end;)
		for (k = 0; k < 1000; k++) {
			loop(100);
			if (read(zero, zeroes, sizeof(zeroes)) < 0)
				return -1;
		}
	used = thread_seconds() - used;
	close(zero);
	return (double)stop(profile->fd).ticks / (1000 * used);
}

/* User and kernel mode are all there is. */
static double share_of_both_views(struct profile *profile)
{
	double user = share_of_view(profile, PROFIL_USER_ONLY);
	double kernel = share_of_view(profile, PROFIL_KERNEL_ONLY);

	ksft_print_msg("user %.3f, kernel %.3f\n", user, kernel);
	return user < 0.1 || kernel < 0.1 ? -1 : user + kernel;
}

TEST_F(rate, three_views)
{
	EXPECT_SHARE(0.85, 1.15, share_of_view(&self->profile, 0));
	EXPECT_SHARE(0.8, 1.2, share_of_both_views(&self->profile));
}

TEST_HARNESS_MAIN
