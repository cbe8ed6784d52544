// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pcsample() of illumos, implemented by the kernel's pc log.
 */
#include <errno.h>
#include <limits.h>

#include "guard.h"
#include "ioctl.h"
#include "profil.h"

/* See pcsample(2). */
long pcsample(uintptr_t samples[], long nsamples)
{
	struct profil_start start = {
		.flags = PROFIL_PC_LOG | PROFIL_PIN_ON_HIT |
			 PROFIL_CHECK_ON_HIT,
		.width = sizeof(*samples) * CHAR_BIT,
		.log = (uintptr_t)samples,
		.log_bytes = (uint64_t)nsamples * sizeof(*samples),
	};
	struct profil_guard_before before;
	struct profil_status status;
	int error;

	if (nsamples < 0)
		return profil_ioctl_return(-EINVAL);
	if ((unsigned long)nsamples > LONG_MAX / sizeof(*samples))
		return profil_ioctl_return(-E2BIG);
	/* between both, a call in a signal handler or thread would start what this replaces */
	profil_guard_enter(&profil_guard_state, &before);
	/* stop first: a start that replaces the log would not return the number of samples */
	error = profil_ioctl_off_status(&status);
	if (!error && nsamples)
		error = profil_ioctl_start(&start);
	profil_guard_leave(&profil_guard_state, &before);
	if (error)
		return profil_ioctl_return_old(error);
	if (!(status.flags & PROFIL_PC_LOG))
		return 0;
	/* a forked child stores after the samples of its parent */
	return (long)(status.log_inherited + status.counted);
}
