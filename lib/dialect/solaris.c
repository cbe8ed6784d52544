// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil(2) of OpenSolaris: profiling ends when a counter reaches SHRT_MAX. The rule is the manual
 * page's; the system's kernels stopped one sample later, and at scale 2 counted everything in
 * counter 0.
 */
#include <limits.h>

#include "ioctl.h"
#include "profil.h"

/* See profil_solaris(2). */
int profil_solaris(unsigned short *buff, size_t bufsiz, unsigned long offset,
		   unsigned int scale)
{
	struct profil_histogram histogram = {
		.buf = buff,
		.bytes = bufsiz,
		.offset = offset,
		.scale = scale,
		.rounding = PROFIL_ROUND_DOWN,
		.overflow = PROFIL_OVERFLOW_STOP,
		.limit = SHRT_MAX,
		.flags = PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT,
	};

	if (scale < 2)
		return profil_ioctl_return_old(profil_ioctl_off_or_warn("profil_solaris"));
	return profil_ioctl_return_old(
		profil_ioctl_histogram_or_warn("profil_solaris", &histogram));
}
