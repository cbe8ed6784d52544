// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs linked with -p or -pg: their start-up code calls __monstartup() before main(), and
 * _mcleanup() at exit. These replace the C library's, which would write gmon.out.
 */
#include "monitor/monitor.h"

void __monstartup(uintptr_t low, uintptr_t high);
void _mcleanup(void);

void __monstartup(uintptr_t low, uintptr_t high)
{
	if (profil_monitor_system.automatic)
		profil_monitor_system.automatic();
	profil_monitor_begin_own(low, high);
}

void _mcleanup(void)
{
	profil_monitor_end();
}
