// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil(2) of Linux 0.99.11, whose C library counted in a signal handler: a buffer that cannot be
 * written causes SIGSEGV. Without the device, the library counts in one, too.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "fallback.h"
#include "ioctl.h"
#include "profil.h"
#include "timer.h"

static void start(const struct profil_histogram *histogram)
{
	/* -EFAULT: the buffer is outside the user address space */
	if (profil_ioctl_histogram_or_warn("profil_linux099", histogram) == -EFAULT)
		raise(SIGSEGV);
}

/* See profil_linux099(2). */
int profil_linux099(char *buf, int bufsiz, unsigned long offset, int scale)
{
	struct profil_histogram histogram = {
		.buf = buf,
		.bytes = (unsigned int)bufsiz,
		.offset = offset,
		.scale = (unsigned int)scale,
		.rounding = PROFIL_ROUND_DOWN,
		.overflow = PROFIL_OVERFLOW_WRAP,
		.flags = PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT |
			 PROFIL_FAULT_SIGNAL,
	};
	bool off = !buf || !bufsiz || scale < 2;
	int error = 0;

	if (off && !profil_fallback_used())
		profil_ioctl_off_or_warn("profil_linux099");
	else if (profil_fallback_needed(&error))
		profil_timer_count(off ? NULL : (unsigned short *)buf, (unsigned int)bufsiz, offset,
				   (unsigned int)scale);
	else if (!error)
		start(&histogram);
	return 0;
}
