// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How often to sample: the user's choice, not the program's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "device.h"
#include "rate.h"

int profil_rate(void)
{
	const char *text = secure_getenv("PROFIL_RATE");
	int saved = errno;
	char *end;
	long rate;

	if (!text)
		return PROFIL_DEFAULT_RATE;
	errno = 0;
	rate = strtol(text, &end, 10);
	if (errno || end == text || *end || rate < 1 || rate > INT_MAX) {
		fprintf(stderr, "libprofil: PROFIL_RATE=%s is not a rate in Hz\n",
			text);
		errno = saved;
		return -EINVAL;
	}
	errno = saved;
	return (int)rate;
}

unsigned int profil_rate_exceeds(int fd, unsigned int rate)
{
	struct profil_info info = { .size = sizeof(info) };

	if (profil_device_call(fd, PROFIL_IOC_INFO, &info))
		return 0;
	return rate > info.max_rate ? info.max_rate : 0;
}
