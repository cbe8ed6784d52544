// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * monitor(), monstartup() and moncontrol() of OSF/1 and Digital UNIX. Source: monitor(3).
 */
#include <mon.h>

#include "monitor/monitor.h"
#include "profil.h"

static int start(uint16_t *counters, size_t bytes, uintptr_t low,
		 unsigned int scale)
{
	return profil_osf1((short *)counters, bytes, low, scale);
}

const struct profil_monitor_system profil_monitor_system = {
	.profil = start,
};

/* As documented in <mon.h>. */
int monitor(char *lowpc, char *highpc, char *buffer, size_t bufsiz, size_t nfunc)
{
	const struct profil_monitor_buffer arguments = {
		.low = (uintptr_t)lowpc,
		.high = (uintptr_t)highpc,
		.at = buffer,
		.bytes = bufsiz,
		.nfunc = nfunc,
	};

	return lowpc ? profil_monitor_begin(&arguments) : profil_monitor_end();
}

/* As documented in <mon.h>. */
int monstartup(char *lowpc, char *highpc)
{
	return profil_monitor_begin_own((uintptr_t)lowpc, (uintptr_t)highpc);
}

/* As documented in <mon.h>. */
int moncontrol(int mode)
{
	return profil_monitor_control(mode);
}
