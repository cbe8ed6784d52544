// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the program and its user select: the dialect of plain profil(), and the sampling rate.
 */
#include <sys/time.h>
#include <sys/wait.h>

#include "support/calls.h"

#define ON_HIT	(PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT)

/* Each differs from the others in at least one property */
static const struct dialect {
	const char *name;
	unsigned int overflow;
	unsigned int flags;
	int error;	/* for scale 0x10001, which is invalid in one dialect */
	bool core_clock;	/* scale 2 counts everything in the first counter */
} dialects[] = {
	{ "solaris", PROFIL_OVERFLOW_STOP, ON_HIT, 0, false },
	{ "bsd", PROFIL_OVERFLOW_WRAP, 0, EINVAL, false },
	{ "linux099", PROFIL_OVERFLOW_WRAP, ON_HIT | PROFIL_FAULT_SIGNAL, 0, false },
	{ "osf1", PROFIL_OVERFLOW_WRAP, ON_HIT, 0, false },
	{ "aix", PROFIL_OVERFLOW_SATURATE, 0, 0, true },
	{ "svid", PROFIL_OVERFLOW_WRAP, ON_HIT, 0, true },
	{ "glibc", PROFIL_OVERFLOW_WRAP, 0, 0, false },
};

/* No offset of 32 bits; this program is a PIE, so profil() takes all bits (dialect/select.c). */
#define HIGH	((1UL << 45) + 0x1000)

#define OSF1	(&dialects[3])
#define GLIBC	(&dialects[6])

/* The index of the counter for a pc 0x20000 above the offset, at scale 2; -1 if it has none. */
static long index_at_scale_2(void)
{
	uint64_t counter;

	if (profil(buffer, sizeof(buffer), HIGH, 2))
		return -1;
	counter = fake_device_counter(HIGH + 0x20000);
	if (!counter || profil(buffer, sizeof(buffer), HIGH, 0))
		return -1;
	return (long)(counter - (uintptr_t)buffer) / 2;
}

/* Whether plain profil() is this dialect's, and profil_dialect() returns its name. */
static bool is_dialect(const struct dialect *dialect)
{
	const char *name = profil_dialect(NULL);

	fake_device_reset();
	return name && !strcmp(name, dialect->name) &&
	       index_at_scale_2() == (dialect->core_clock ? 0 : 2) &&
	       !profil(buffer, sizeof(buffer), HIGH, 0x8000) && is_on() &&
	       fake_device_counter(HIGH + 4) == (uintptr_t)&buffer[1] &&
	       fake_device.start.overflow == dialect->overflow &&
	       fake_device.start.flags == dialect->flags &&
	       error_of(profil(buffer, 64, 0, 0x10001)) == dialect->error;
}

/* In a child process, since PROFIL_DIALECT is read once. */
static bool selected_by_environment(const struct dialect *dialect)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		setenv("PROFIL_DIALECT", dialect->name, 1);
		/* profil() is called before profil_dialect() */
		_exit(start_glibc() || !is_dialect(dialect));
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

static bool invalid_environment(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		setenv("PROFIL_DIALECT", "hpux", 1);
		begin_stderr();
		if (error_of(start_glibc()) != EINVAL || is_on() ||
		    profil_dialect(NULL) || errno != EINVAL ||
		    !end_stderr("hpux is not a dialect"))
			_exit(1);
		/* the program can still select a dialect */
		_exit(!profil_dialect("osf1") || !is_dialect(OSF1));
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

TEST_F(dialect_by_environment_and_call)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dialects); i++)
		assert_true(selected_by_environment(&dialects[i]));
	assert_true(invalid_environment());

	assert_true(is_dialect(GLIBC));
	for (i = 0; i < ARRAY_SIZE(dialects); i++) {
		assert_string_equal(dialects[i].name, profil_dialect(dialects[i].name));
		assert_true(is_dialect(&dialects[i]));
		/* the functions of one dialect keep it */
		assert_int_equal(0, start_osf1());
		assert_int_equal(OSF1->overflow, fake_device.start.overflow);
		assert_int_equal(OSF1->flags, fake_device.start.flags);
	}
	assert_prints("solaris bsd linux099 osf1 aix svid glibc",
		      assert_null(profil_dialect("hpux")); assert_int_equal(EINVAL, errno));
	assert_true(is_dialect(GLIBC));
}

/* The rate that is requested if the program asks for 20 Hz in the attributes */
static unsigned int rate_of_attr(void)
{
	struct profil_region region = native_region();
	struct profil_attr attr = { .regions = &region, .nr_regions = 1, .rate = 20 };

	assert_int_equal(0, profil_start(&attr));
	return fake_device.start.rate;
}

/* Check the requested rate of each function that starts a profile. */
static void check_rate(unsigned int rate)
{
	size_t i;

	fake_device_reset();
	assert_int_equal(0, start_pcsample());
	assert_int_equal(rate, fake_device.start.rate);

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		fake_device_reset();
		assert_int_equal(0, starts[i]());
		assert_int_equal(rate, fake_device.start.rate);
	}
}

TEST_F(rate_by_environment_and_call)
{
	check_rate(100);
	assert_int_equal(0, profil_set_rate(FAKE_RATE));
	check_rate(FAKE_RATE);
	assert_int_equal(EINVAL, error_of(profil_set_rate(FAKE_RATE + 1)));
	check_rate(FAKE_RATE);
	assert_int_equal(0, profil_set_rate(1));
	check_rate(1);
	assert_int_equal(20, rate_of_attr());
	/* PROFIL_RATE takes precedence */
	setenv("PROFIL_RATE", "50", 1);
	check_rate(50);
	assert_int_equal(50, rate_of_attr());
	unsetenv("PROFIL_RATE");
	check_rate(1);
	assert_int_equal(0, profil_set_rate(0));
	check_rate(100);
	fake_device_lose(ENOENT);
	assert_int_equal(ENOENT, error_of(profil_set_rate(50)));
}

TEST_F(invalid_rates_are_errors)
{
	static const char *const rates[] = {
		"", "0", "-1", "many", "100x", "1e2", "99999999999999999999",
		"4294967396",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		assert_int_equal(0, start_glibc());
		setenv("PROFIL_RATE", rates[i], 1);
		assert_prints("is not a rate", assert_int_equal(EINVAL, error_of(start_glibc())));
		assert_true(is_on());
		begin_stderr();
		assert_int_equal(EINVAL, error_of(start_sprofil()));
		assert_int_equal(EINVAL, error_of(start_native()));
		assert_true(is_on());
		assert_int_equal(EINVAL, error_of(start_bsd()));
		assert_false(is_on());
		assert_int_equal(EINVAL, error_of(start_aix()));
		assert_int_equal(EINVAL, error_of(start_osf1()));
		assert_int_equal(EINVAL, error_of(start_svid()));
		assert_int_equal(0, start_linux099());
		assert_false(is_on());
		assert_true(end_stderr("is not a rate"));
		/* turning profiling off needs no rate */
		assert_int_equal(0, stop_glibc());
		unsetenv("PROFIL_RATE");
	}
	setenv("PROFIL_RATE", "251", 1);
	assert_prints("1 to 250 Hz", assert_int_equal(EINVAL, error_of(start_glibc())));
}

/* If the available rates are unknown, profil_set_rate() accepts none, and no message names them. */
TEST_F(unknown_rates_are_not_named)
{
	fake_device.info_error = ENOTTY;
	assert_int_equal(EINVAL, error_of(profil_set_rate(50)));
	begin_stderr();
	setenv("PROFIL_RATE", "251", 1);
	assert_int_equal(EINVAL, error_of(start_glibc()));
	unsetenv("PROFIL_RATE");
	assert_true(end_stderr(NULL));
	assert_int_equal(0, start_glibc());
	assert_int_equal(100, fake_device.start.rate);
}

static long period_of(unsigned int flags)
{
	struct prof prof = { buffer, sizeof(buffer), offset, 0x8000 };
	struct timeval period = { -1, -1 };

	if (sprofil(&prof, 1, &period, flags))
		return -1;
	return period.tv_sec * 1000000 + period.tv_usec;
}

TEST_F(sprofil_returns_period)
{
	struct timeval period = { -1, -1 };
	struct prof none = { buffer, 0, offset, 0x8000 };

	assert_int_equal(10000, period_of(PROF_USHORT));
	assert_int_equal(1000000 / FAKE_RATE, period_of(PROF_FAST));
	assert_int_equal(FAKE_RATE, fake_device.start.rate);
	assert_int_equal(0, profil_set_rate(3));
	assert_int_equal(333333, period_of(PROF_UINT));
	assert_int_equal(1000000 / FAKE_RATE, period_of(PROF_FAST | PROF_UINT));
	setenv("PROFIL_RATE", "1", 1);
	assert_int_equal(1000000, period_of(PROF_FAST));
	assert_int_equal(1, fake_device.start.rate);
	/* nothing to sample: the period is 0 */
	assert_int_equal(0, sprofil(&none, 1, &period, 0));
	assert_int_equal(0, period.tv_sec);
	assert_int_equal(0, period.tv_usec);
	assert_false(is_on());
}

FIXTURE(set_up_all)
{
	unsetenv("PROFIL_DIALECT");
	return 0;
}

GROUP(set_up_all, NULL)
