// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil() of the GNU C library, with the kernel as the sampler.
 */
#include <errno.h>

#include "dialect/glibc.h"
#include "fallback.h"
#include "ioctl.h"
#include "timer.h"

static int start(unsigned short *buf, size_t bufsiz, size_t offset,
		 unsigned int scale)
{
	struct profil_histogram histogram = {
		.buf = buf,
		.bytes = bufsiz,
		.offset = offset,
		.scale = scale,
		.rounding = PROFIL_ROUND_PC,
		.overflow = PROFIL_OVERFLOW_WRAP,
	};

	return profil_ioctl_histogram(&histogram);
}

/* See profil(2). */
int profil_glibc(unsigned short *buf, size_t bufsiz, size_t offset,
		 unsigned int scale)
{
	/* the C library's source and all older manual pages document scale 0 as "off" */
	bool off = !buf || !scale;
	int error = 0;

	if (off && !profil_fallback_used())
		error = profil_ioctl_off();
	else if (profil_fallback_needed(&error))
		profil_timer_count(off ? NULL : buf, bufsiz, offset, scale);
	else if (!error)
		error = start(buf, bufsiz, offset, scale);
	return profil_ioctl_return_old(error);
}
