// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * 4.4BSD. The rule is the manual page's, which divides by 2 before it scales: kernels
 * did it after, which differs for odd distances and scales that are no power of 2.
 */
#include <errno.h>

#include "ioctl.h"
#include "profil.h"

#define HIGHEST_SCALE	65536

/* As documented in profil.h. */
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

	if (scale > HIGHEST_SCALE)
		return profil_ioctl_return(-EINVAL);
	if (!scale)
		return profil_ioctl_return(profil_ioctl_off());
	/* "profiling is terminated": also that of an earlier call */
	return profil_ioctl_return(profil_ioctl_histogram_or_off(&histogram));
}
