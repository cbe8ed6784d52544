// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil(2) of OSF/1. Its page documents that scale 1 turns profiling off; scale 0 did so in all
 * the systems that it derives from.
 */
#include "ioctl.h"
#include "profil.h"

/* See profil_osf1(2). */
int profil_osf1(short *short_buffer, size_t buffer_size, unsigned long offset,
		unsigned int scale)
{
	struct profil_histogram histogram = {
		.buf = short_buffer,
		.bytes = buffer_size,
		.offset = offset,
		.scale = scale,
		.rounding = PROFIL_ROUND_DOWN,
		.overflow = PROFIL_OVERFLOW_WRAP,
		.flags = PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT,
	};

	if (scale < 2)
		return profil_ioctl_return_old(profil_ioctl_off_or_warn("profil_osf1"));
	return profil_ioctl_return_old(
		profil_ioctl_histogram_or_warn("profil_osf1", &histogram));
}
