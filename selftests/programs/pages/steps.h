/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What several of the programs in this folder do, each with its own way to turn profiling on.
 */
#ifndef PAGES_STEPS_H
#define PAGES_STEPS_H

#include "page.h"

/* Each program's way to turn profiling on, with what choose() has set */
static void on(void);

#define NOWHERE		-1

/* With this distance and scale, the counter at this byte counts, or none. */
static __inline__ void must_count_at(const char *what, unsigned int distance, unsigned int scale, int byte)
{
	doing = what;
	choose(distance, scale);
	on();
	if (byte == NOWHERE)
		must_not_count();
	else
		must_count(byte);
}

/* At both ends of the buffer, at a scale that gives each 2 bytes a counter */
static __inline__ void must_count_within(void)
{
	must_count_at("the last counter of the buffer", BYTES - 1, 0x10000, BYTES - 2);
	must_count_at("beyond the buffer", BYTES, 0x10000, NOWHERE);
	must_count_at("below the offset", -2u, 0x10000, NOWHERE);
}

/* The call before this turned profiling off; it can be turned on again. */
static __inline__ void must_restart(int byte)
{
	must_be_off();
	on();
	must_count(byte);
}

/* It goes on in a forked child, and in this process after a child executed a program. */
static __inline__ void must_count_after_fork_and_exec(int byte)
{
	doing = "fork";
	must_count_in_child(byte);
	doing = "exec";
	must_be_off_after_exec();
	must_count(byte);
}

#endif /* PAGES_STEPS_H */
