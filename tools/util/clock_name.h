/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the kernel's sampling clocks in options, messages and exports.
 */
#ifndef PROFIL_CLOCK_NAME_H
#define PROFIL_CLOCK_NAME_H

#include <stddef.h>
#include <stdint.h>

#include <linux/profil.h>

/* Name a clock. Return: "auto", "tick", "timer" or "random"; NULL: no such clock. */
static inline const char *clock_name(uint32_t clock)
{
	static const char *const names[] = {
		[PROFIL_CLOCK_AUTO] = "auto",
		[PROFIL_CLOCK_TICK] = "tick",
		[PROFIL_CLOCK_TIMER] = "timer",
		[PROFIL_CLOCK_RANDOM] = "random",
	};

	return clock < sizeof(names) / sizeof(names[0]) ? names[clock] : NULL;
}

#endif /* PROFIL_CLOCK_NAME_H */
