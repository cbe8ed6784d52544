/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread at one pc, a buffer, and an eye on all that is counted.
 */
#ifndef SELFTESTS_BENCH_H
#define SELFTESTS_BENCH_H

#include <stdlib.h>

#include "profil.h"
#include "spinner.h"

#define BENCH_PAGE	4096UL
#define BENCH_GUARD	BENCH_PAGE
#define BENCH_LARGEST	0x100002UL	/* buffer */

/*
 * What a case needs. All of arena is 0 before it: what is counted, wherever,
 * shows.
 */
struct bench {
	struct spinner spinner;
	char *arena;
	double tick;		/* s */
};

/* 0 or errno. */
static inline int bench_create(struct bench *bench, int fd)
{
	unsigned int hz = get_info(fd).tick_hz;

	setenv("PROFIL_FALLBACK", "fatal", 1);
	unsetenv("PROFIL_RATE");
	unsetenv("PROFIL_DIALECT");
	bench->arena = map_memory(BENCH_LARGEST + 2 * BENCH_GUARD + BENCH_PAGE);
	if (bench->arena == MAP_FAILED || profil_set_rate(hz))
		return errno;
	bench->tick = 1.0 / hz;
	return spinner_create(&bench->spinner);
}

/* Buffers begin at any even place in a page. */
static inline char *bench_place(const struct bench *bench, int number)
{
	return bench->arena + BENCH_GUARD +
	       (unsigned int)number * 38 % BENCH_PAGE;
}

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
static inline int bench_watch(struct bench *bench, bool counts,
			      struct profil_status *final)
{
	double begin = spinner_seconds(&bench->spinner), used;
	double pause = (counts ? 0.5 : 2.5) * bench->tick;
	struct profil_status status;
	int error, looks = 0;

	spinner_go(&bench->spinner);
	do {
		usleep((useconds_t)(1e6 * pause));
		error = profil_status(&status) ? errno : 0;
		used = spinner_seconds(&bench->spinner) - begin;
		if (++looks > 50 && used > 100 * bench->tick)
			error = ETIME;
		pause = 0.5 * bench->tick;
	} while (!error && !status.counted &&
		 (used < 2.5 * bench->tick ||
		  (status.state == PROFIL_STATE_RUNNING &&
		   (counts || status.out_of_range < 2))));
	if (profil_stop(final) && !error)
		error = errno;
	spinner_end(&bench->spinner);
	return error;
}

/* Is all of it 0 again? If not, it is made so. */
static inline bool bench_clear(char *from, char *to)
{
	bool clear = true;

	for (; from < to; from++) {
		/* by words where that can be */
		while (!((uintptr_t)from % 8) && to - from >= 8 &&
		       !*(uint64_t *)from)
			from += 8;
		if (from == to)
			break;
		clear &= !*from;
		*from = 0;
	}
	return clear;
}

#endif /* SELFTESTS_BENCH_H */
