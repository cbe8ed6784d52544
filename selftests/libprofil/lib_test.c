// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil() of libprofil in its default dialect: the C library's prototype and rule, without its
 * signal.
 */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "common.h"
#include "kselftest_harness.h"
#include "profile/expect_count.h"
#include "profil.h"

#define RATE	100	/* the default */

FIXTURE(lib) {
	int fd;
	char *text;
	unsigned short *buf;
	size_t bytes;
};

FIXTURE_SETUP(lib)
{
	REQUIRE_DEVICE(self->fd);
	setenv("PROFIL_FALLBACK", "fatal", 1);
	self->bytes = 2 * PAGE;
	self->text = map_code(self->bytes);
	ASSERT_NE(MAP_FAILED, self->text);
	self->buf = map_memory(self->bytes);
	ASSERT_NE(MAP_FAILED, self->buf);
}

FIXTURE_TEARDOWN(lib)
{
	profil(self->buf, 0, 0, 0);
	close(self->fd);
}

/* Returns the sum of all counters; *where is the last counter that is not 0. */
static uint64_t sum_of_counters(struct _test_data_lib *self, size_t *where)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < self->bytes / 2; i++) {
		if (self->buf[i])
			*where = i;
		sum += self->buf[i];
	}
	return sum;
}

/* Some of the vectors of glibc: d, scale, bytes, byte of the counter or -1 */
static const struct {
	size_t d;
	unsigned int scale;
	size_t bytes;
	long byte;
} rows[] = {
	{ 0, 0x10000, 0x400, 0 },
	{ 4, 0x8000, 0x400, 2 },
	{ 4, 0xffff, 0x400, 2 },
	{ 0x100, 0x20000, 0x400, 512 },
	{ 0x400 - sizeof(instruction), 0x10000, 0x400,
	  0x400 - sizeof(instruction) },
	{ 0x400, 0x10000, 0x400, -1 },
	{ 4, 0x10000, 5, -1 },
};

TEST_F(lib, counter_follows_rule)
{
	struct profil_status status;
	uint64_t sum;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool hits = rows[i].byte >= 0;
		size_t where = ~0UL;

		memset(self->buf, 0, self->bytes);
		ASSERT_EQ(0, profil(self->buf, rows[i].bytes, (size_t)self->text, rows[i].scale));
		ASSERT_EQ(0, stay_at_pc(self->text + rows[i].d, seconds_for(4, RATE)));
		sum = sum_of_counters(self, &where);
		status = stop(self->fd);
		EXPECT_EQ(RATE, status.rate);
		if (!hits) {
			EXPECT_EQ(0, sum);
			EXPECT_LE(4, status.out_of_range);
		} else {
			EXPECT_LE(4, sum);
			EXPECT_EQ(rows[i].byte, 2 * (long)where) {
				TH_LOG("row %zu", i);
			}
			EXPECT_EQ(sum, self->buf[where]);
		}
	}
	/* below the offset */
	memset(self->buf, 0, self->bytes);
	ASSERT_EQ(0, profil(self->buf, 0x400, (size_t)self->text + 0x100, 0x10000));
	ASSERT_EQ(0, stay_at_pc(self->text + 0xf0, seconds_for(4, RATE)));
	EXPECT_EQ(0, sum_of_counters(self, &i));
	EXPECT_LE(4, stop(self->fd).out_of_range);
}

TEST_F(lib, off_by_scale_null_or_size)
{
	unsigned short *volatile null = NULL;	/* declared nonnull */
	size_t where;

	ASSERT_EQ(0, profil(self->buf, 0x400, (size_t)self->text, 0x10000));
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(self->fd).state);
	ASSERT_EQ(0, profil(self->buf, 0x400, (size_t)self->text, 0));
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(self->fd).state);
	memset(self->buf, 0, self->bytes);
	ASSERT_EQ(0, stay_at_pc(self->text, seconds_for(4, RATE)));
	EXPECT_EQ(0, sum_of_counters(self, &where));

	ASSERT_EQ(0, profil(self->buf, 0x400, (size_t)self->text, 0x10000));
	ASSERT_EQ(0, profil(null, 0x400, (size_t)self->text, 0x10000));
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(self->fd).state);

	ASSERT_EQ(0, profil(self->buf, 0x400, (size_t)self->text, 0x10000));
	ASSERT_EQ(0, profil(self->buf, 1, (size_t)self->text, 0x10000));
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(self->fd).state);
	/* turning it off again is no error */
	EXPECT_EQ(0, profil(self->buf, 0, 0, 0));
}

TEST_F(lib, failed_call_keeps_profile)
{
	struct rlimit old, none = { 0, 0 };

	ASSERT_EQ(0, profil(self->buf, 0x400, (size_t)self->text, 0x10000));
	errno = 0;
	EXPECT_EQ(-1, profil((unsigned short *)8, 0x400, 0, 0x10000));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, profil((void *)((char *)self->buf + 1), 0x400, 0, 0x10000));
	EXPECT_EQ(EINVAL, errno);
	setenv("PROFIL_RATE", "many", 1);
	EXPECT_EQ(-1, profil(self->buf, 0x400, 0, 0x10000));
	EXPECT_EQ(EINVAL, errno);
	setenv("PROFIL_RATE", "1000000", 1);
	EXPECT_EQ(-1, profil(self->buf, 0x400, 0, 0x10000));
	EXPECT_EQ(EINVAL, errno);
	unsetenv("PROFIL_RATE");
	/* all of them are refused: the first profile continues */
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(self->fd).state);

	/* a running profile can be replaced and turned off without another descriptor */
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	none.rlim_max = old.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_EQ(0, profil(self->buf, 0x400, 0, 0x10000));
	EXPECT_EQ(0, profil(self->buf, 0, 0, 0));
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(self->fd).state);
	/* a start needs one; PROFIL_FALLBACK=fatal makes the call fail with the reason */
	errno = 0;
	EXPECT_EQ(-1, profil(self->buf, 0x400, 0, 0x10000));
	EXPECT_EQ(EMFILE, errno);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
}

TEST_F(lib, environment_sets_rate)
{
	setenv("PROFIL_RATE", "50", 1);
	ASSERT_EQ(0, profil(self->buf, 0x400, (size_t)self->text, 0x10000));
	EXPECT_EQ(50, get_status(self->fd).rate);
	unsetenv("PROFIL_RATE");
	ASSERT_EQ(0, profil(self->buf, 0x400, (size_t)self->text, 0x10000));
	EXPECT_EQ(RATE, get_status(self->fd).rate);
}

/* The program changes its root and its user, and cannot open the device any more. */
static int stop_without_device(struct _test_data_lib *self)
{
	if (profil(self->buf, 0x400, (size_t)self->text, 0x10000))
		return 1;
	if (chroot("/proc/self/fdinfo") || chdir("/"))
		return 2;
	if (setgid(65534) || setuid(65534))
		return 3;
	if (access("/dev/profil", F_OK) != -1)
		return 4;
	if (profil(self->buf, 0, 0, 0))
		return 5;
	return get_status(self->fd).state == PROFIL_STATE_OFF ? 0 : 6;
}

TEST_F(lib, can_turn_off_after_chroot)
{
	int status;
	pid_t pid;

	if (geteuid())
		SKIP(return, "needs root, for chroot()");
	pid = fork();
	if (!pid)
		_exit(stop_without_device(self));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

static volatile int signals;

static void on_signal(int number)
{
	(void)number;
	signals++;
}

/* The library does not use the program's signals and timers, and leaves no descriptor open. */
TEST_F(lib, leaves_signals_and_timers_alone)
{
	struct itimerval timer = { { 0, 50000 }, { 0, 50000 } }, now;
	double seconds = 0.2, used = process_seconds();
	struct sigaction action = { .sa_handler = on_signal }, old;
	int before = descriptors();
	sigset_t pending;
	size_t where;

	ASSERT_EQ(0, sigaction(SIGPROF, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_PROF, &timer, NULL));
	errno = 77;
	ASSERT_EQ(0, profil(self->buf, self->bytes, (size_t)self->text, 0x10000));
	EXPECT_EQ(77, errno);
	ASSERT_EQ(0, stay_at_pc(self->text, seconds));
	used = process_seconds() - used;
	EXPECT_COUNT(sum_of_counters(self, &where), seconds * RATE, 2);
	/* the timer is checked at ticks: each signal is up to two ticks late */
	EXPECT_LE(3, signals);
	EXPECT_GE(used / 0.05, signals);
	ASSERT_EQ(0, getitimer(ITIMER_PROF, &now));
	EXPECT_EQ(50000, now.it_interval.tv_usec);
	ASSERT_EQ(0, sigaction(SIGPROF, NULL, &old));
	EXPECT_TRUE(old.sa_handler == on_signal);
	ASSERT_EQ(0, profil(self->buf, 0, 0, 0));
	ASSERT_EQ(0, getitimer(ITIMER_PROF, &now));
	EXPECT_EQ(50000, now.it_interval.tv_usec);
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_PROF, &timer, NULL);
	ASSERT_EQ(0, sigpending(&pending));
	EXPECT_EQ(0, sigismember(&pending, SIGPROF));
	EXPECT_EQ(before, descriptors());
}

/* With SIGPROF blocked, glibc's profil() would count nothing. */
TEST_F(lib, counts_with_signals_blocked)
{
	sigset_t all;
	size_t where;

	sigfillset(&all);
	ASSERT_EQ(0, sigprocmask(SIG_SETMASK, &all, NULL));
	ASSERT_EQ(0, profil(self->buf, self->bytes, (size_t)self->text, 0x10000));
	ASSERT_EQ(0, stay_at_pc(self->text, 0.2));
	EXPECT_COUNT(sum_of_counters(self, &where), 0.2 * RATE, 2);
}

/* Calls succeed although signals interrupt them. */
TEST_F(lib, signals_do_not_break_calls)
{
	struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = on_signal };
	int i;

	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, profil(self->buf, self->bytes, (size_t)self->text, 0x10000)) {
			TH_LOG("call %d: errno %d", i, errno);
		}
		ASSERT_EQ(0, profil(self->buf, 0, 0, 0));
	}
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	EXPECT_LT(0, signals);
}

TEST_HARNESS_MAIN
