// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil(2) as the System V Interface Definition and the manuals of Unix from its sixth edition on
 * describe it: scale 2 counts all instructions in the first counter. The manuals do not say how a
 * fraction of a counter is rounded. This rounds down, as the System V kernel of OpenSolaris does.
 */
#include "ioctl.h"
#include "profil.h"

/* "All instructions onto the beginning of buff": for this, the kernel requires scale 0 */
#define CORE_CLOCK	2

/* See profil_svid(2). */
int profil_svid(void *buff, size_t bufsiz, unsigned long offset, unsigned int scale)
{
	struct profil_histogram histogram = {
		.buf = buff,
		.bytes = bufsiz,
		.offset = offset,
		.scale = scale == CORE_CLOCK ? 0 : scale,
		.rounding = scale == CORE_CLOCK ? PROFIL_ROUND_FIRST : PROFIL_ROUND_DOWN,
		.overflow = PROFIL_OVERFLOW_WRAP,
		.flags = PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT,
	};

	if (scale < 2)
		return profil_ioctl_return_old(profil_ioctl_off_or_warn("profil_svid"));
	return profil_ioctl_return_old(profil_ioctl_histogram_or_warn("profil_svid", &histogram));
}
