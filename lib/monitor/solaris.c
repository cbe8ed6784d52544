// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * monitor() of OpenSolaris and illumos. Source: monitor(3C).
 */
#include <mon.h>

#include "monitor/monitor.h"
#include "monitor/output.h"
#include "profil.h"

_Static_assert(sizeof(struct hdr) == sizeof(struct profil_monitor_output_header), "same layout");

static int start(uint16_t *counters, size_t bytes, uintptr_t low,
		 unsigned int scale)
{
	return profil_solaris(counters, bytes, low, scale);
}

const struct profil_monitor_system profil_monitor_system = {
	.profil = start,
	.header_bytes = sizeof(struct hdr),
	.keeps_counting = true,
};

/* As documented in <mon.h>. */
void monitor(int (*lowpc)(void), int (*highpc)(void), WORD *buffer, size_t bufsize,
	     size_t nfunc)
{
	const struct profil_monitor_buffer arguments = {
		.low = (uintptr_t)lowpc,
		.high = (uintptr_t)highpc,
		.at = buffer,
		/* on overflow, 0: rejected as too small */
		.bytes = bufsize > SIZE_MAX / sizeof(WORD) ? 0 : bufsize * sizeof(WORD),
		.nfunc = nfunc,
	};

	if (lowpc)
		profil_monitor_begin(&arguments);
	else
		profil_monitor_end();
}
