// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Linux 0.99.11, whose C library counted in a signal handler: a buffer that cannot be
 * written is the program's own fault there.
 */
#include <errno.h>
#include <signal.h>

#include "call.h"
#include "profil.h"

/* As documented in profil.h. */
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

	if (!buf || !bufsiz || scale < 2)
		profil_call_silent_off("profil_linux099");
	/* EFAULT: not in the process's half of the address space at all */
	else if (profil_call_silent_histogram("profil_linux099",
					      &histogram) == -EFAULT)
		raise(SIGSEGV);
	return 0;
}
