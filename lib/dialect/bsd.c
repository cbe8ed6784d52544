// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil(2) of 4.4BSD. The rule is the manual page's, which divides by 2 before scaling. The
 * system's kernels divided after scaling, which gives a different counter for odd distances and
 * for scales that are not a power of 2.
 */
#include <errno.h>

#include "ioctl.h"
#include "profil.h"

#define MAX_SCALE	65536

/* See profil_bsd(2). */
int profil_bsd(char *samples, size_t size, unsigned long offset,
	       unsigned int scale)
{
	struct profil_histogram histogram = {
		.buf = samples,
		.bytes = size,
		.offset = offset,
		.scale = scale,
		.rounding = PROFIL_ROUND_PC,
		.overflow = PROFIL_OVERFLOW_WRAP,
	};

	if (scale > MAX_SCALE)
		return profil_ioctl_return(-EINVAL);
	if (!scale)
		return profil_ioctl_return_old(profil_ioctl_off());
	/* on errors, the page says "profiling is terminated", which includes an earlier profile */
	return profil_ioctl_return_old(profil_ioctl_histogram_or_off(&histogram));
}
