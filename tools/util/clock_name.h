/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel's clocks are called by people.
 */
#ifndef PROFIL_CLOCK_NAME_H
#define PROFIL_CLOCK_NAME_H

#include <stddef.h>
#include <stdint.h>

#include <linux/profil.h>

/**
 * clock_name - the name of a clock
 * @clock: PROFIL_CLOCK_*
 *
 * Return: "auto", "tick", "timer" or "random"; NULL: there is no such clock.
 */
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
