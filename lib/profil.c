// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil(): the GNU C library's prototype and rule, counted by the kernel.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "device.h"
#include "fallback.h"
#include "rate.h"

/*
 * Defined without <unistd.h>, which declares that buf is never NULL: the
 * compiler would drop the test for it.
 */
int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale);

static int start(int fd, unsigned short *buf, size_t bufsiz, size_t offset,
		 unsigned int scale)
{
	struct profil_region region = {
		.start = offset,
		.offset = offset,
		.buf = (uintptr_t)buf,
		.bytes = bufsiz,
		.scale = scale,
		.rounding = PROFIL_ROUND_PC,
	};
	struct profil_start arg = {
		.size = sizeof(arg),
		.width = 16,
		.overflow = PROFIL_OVERFLOW_WRAP,
		.nr_regions = 1,
		.regions = (uintptr_t)&region,
	};
	int rate = profil_rate();
	unsigned int limit;
	int error;

	if (rate < 0)
		return rate;
	arg.rate = (unsigned int)rate;
	error = profil_device_call(fd, PROFIL_IOC_START, &arg);
	if (error != -EINVAL)
		return error;
	limit = profil_rate_exceeds(fd, arg.rate);
	if (limit)
		fprintf(stderr,
			"libprofil: a rate of %u Hz is not to be had: this kernel offers 1 to %u Hz (PROFIL_RATE)\n",
			arg.rate, limit);
	return error;
}

static int stop(int fd)
{
	struct profil_status status = { .size = sizeof(status) };

	return profil_device_call(fd, PROFIL_IOC_STOP, &status);
}

/* As documented in profil.h. */
int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale)
{
	/* scale 0 is what glibc's comment, and all older pages, call off */
	int off = !buf || !scale;
	int fd, error;

	if (!profil_fallback_used()) {
		fd = profil_device_open();
		if (fd >= 0) {
			/* a buffer without a counter is on, but counts nothing */
			error = off || bufsiz < sizeof(*buf) ? stop(fd) :
				start(fd, buf, bufsiz, offset, scale);
			profil_device_close(fd);
			goto out;
		}
		/* without a device nothing runs that could be turned off */
		error = off ? 0 : profil_fallback_begin(-fd);
		if (off || error)
			goto out;
	}
	return profil_fallback_call(off ? 0 : buf, bufsiz, offset, scale);
out:
	if (!error)
		return 0;
	errno = -error;
	return -1;
}
