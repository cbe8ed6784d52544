/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread at one pc, a buffer, and a check of everything that is counted.
 */
#ifndef SELFTESTS_COUNTER_WATCH_H
#define SELFTESTS_COUNTER_WATCH_H

#include <stdlib.h>

#include "profil.h"
#include "load/spinner.h"

#define WATCH_PAGE	4096UL
#define WATCH_GUARD	WATCH_PAGE
#define WATCH_LARGEST	0x100002UL	/* buffer */

/*
 * The arena contains the buffer and is 0 before each case, so that anything counted elsewhere is
 * seen.
 */
struct counter_watch {
	struct spinner spinner;
	char *arena;
	double period;		/* of sampling, in s */
};

/* Samples are taken at each tick. Returns 0 or an errno. */
int counter_watch_create(struct counter_watch *watch, int fd);

/* Sets another rate. Returns 0 or an errno. */
int counter_watch_set_rate(struct counter_watch *watch, unsigned int hz);

/* Returns the buffer of case @number. Buffers start at various even offsets in a page. */
char *counter_watch_buffer(const struct counter_watch *watch, int number);

/*
 * With a profile running, sends the thread to its pc until the counter whose lowest byte is
 * @counter has counted, as a program sees it, without a call; or, if @counter is NULL, until
 * something would have been counted. Then stops the profile. An emulated CPU that stands still
 * appears to use time but gets no interrupt: two samples and more than two periods are enough.
 * Returns 0 or an errno.
 *
 * The thread stays no longer than that, since emulated CPUs take turns at every tick, and
 * everything else would have to wait for it. On its way back it has another pc, which must not be
 * counted: so the profile is stopped before.
 */
int counter_watch_run(struct counter_watch *watch, const volatile char *counter,
		      struct profil_status *final);

/* Returns whether all bytes are 0, and sets them to 0. */
bool counter_watch_clear(char *from, char *to);

#endif /* SELFTESTS_COUNTER_WATCH_H */
