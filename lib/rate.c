// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The sampling rate that is requested from the kernel: the user's, the program's, or the default.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "device.h"
#include "rate.h"
#include "text.h"

static atomic_uint default_rate = PROFIL_DEFAULT_RATE;	/* see profil_rate_set() */

/* Return: PROFIL_RATE; 0: not set; or -EINVAL. */
static int rate_of_environment(void)
{
	const char *text = secure_getenv("PROFIL_RATE");
	const char *end = text;
	long long rate = 0;

	if (!text)
		return 0;
	/* not strtol(): newer headers rename it to a symbol that old C libraries lack */
	for (; *end >= '0' && *end <= '9' && rate <= INT_MAX; end++)
		rate = 10 * rate + (*end - '0');
	if (rate && rate <= INT_MAX && !*end)
		return (int)rate;
	profil_text_print("libprofil: PROFIL_RATE=", text,
			  " is not a rate in Hz (EINVAL): set it to a whole number, or unset it");
	return -EINVAL;
}

int profil_rate_wanted(unsigned int *rate)
{
	int hz = rate_of_environment();

	if (hz < 0)
		return hz;
	if (hz)
		*rate = (unsigned int)hz;
	else if (!*rate)
		*rate = atomic_load(&default_rate);
	return 0;
}

int profil_rate_choose(int fd, unsigned int *rate)
{
	int error = profil_rate_wanted(rate);

	if (!error && *rate == PROFIL_HIGHEST_RATE)
		*rate = profil_rate_highest(fd, PROFIL_CLOCK_AUTO);
	return error;
}

unsigned int profil_rate_highest(int fd, unsigned int clock)
{
	struct profil_info info = { .size = sizeof(info) };

	if (profil_device_call(fd, PROFIL_IOC_INFO, &info))
		return 0;
	return clock == PROFIL_CLOCK_TICK ? info.tick_hz : info.max_rate;
}

bool profil_rate_explain(int fd, int error, unsigned int rate, unsigned int clock,
			 char *text, size_t size)
{
	char digits[PROFIL_DIGITS];
	unsigned int highest;

	if (error != EINVAL && error != EPERM)
		return false;
	highest = profil_rate_highest(fd, clock);
	if (!highest || rate <= highest)
		return false;
	*text = 0;
	profil_text_append(text, size, "a rate of ");
	profil_text_append(text, size, profil_text_number(digits, rate, 10));
	profil_text_append(text, size, " Hz is not available: the kernel offers 1 to ");
	profil_text_append(text, size, profil_text_number(digits, highest, 10));
	profil_text_append(text, size, clock == PROFIL_CLOCK_TICK ?
			   " Hz (the tick rate; other clocks allow more)" :
			   " Hz (max_rate of the module, unless the user has CAP_PERFMON)");
	return true;
}

void profil_rate_set(unsigned int hz)
{
	atomic_store(&default_rate, hz ? hz : PROFIL_DEFAULT_RATE);
}
