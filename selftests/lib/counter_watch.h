/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread at one pc, a buffer, and an eye on all that is counted.
 */
#ifndef SELFTESTS_COUNTER_WATCH_H
#define SELFTESTS_COUNTER_WATCH_H

#include <stdlib.h>

#include "profil.h"
#include "spinner.h"

#define WATCH_PAGE	4096UL
#define WATCH_GUARD	WATCH_PAGE
#define WATCH_LARGEST	0x100002UL	/* buffer */

/*
 * What a case needs. All of arena is 0 before it: what is counted, wherever,
 * shows.
 */
struct counter_watch {
	struct spinner spinner;
	char *arena;
	double tick;		/* s */
};

/* 0 or errno. */
int counter_watch_create(struct counter_watch *watch, int fd);

/* Buffers begin at any even place in a page. */
char *counter_watch_buffer(const struct counter_watch *watch, int number);

/*
 * With a profile on, have the thread go to its place until something is counted;
 * or, if nothing is to be, until it would have been. Then stop the profile. An
 * emulated processor that stands still seems to use time, but meets no tick:
 * two ticks and more than two periods, of which few are our own short looks,
 * will do. 0 or errno.
 *
 * The thread is there for no longer than that, since emulated processors take
 * turns at every tick: all else would have to wait for it. But it comes back by
 * another pc, which may not be counted any more.
 */
int counter_watch_run(struct counter_watch *watch, bool counts, struct profil_status *final);

/* Is all of it 0 again? If not, it is made so. */
bool counter_watch_clear(char *from, char *to);

#endif /* SELFTESTS_COUNTER_WATCH_H */
