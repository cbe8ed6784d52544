// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples a thread at one pc, and checks which counters change.
 */
#include "profile/counter_watch.h"

#define LONGEST	0.4	/* s, for a sample that never comes */

int counter_watch_create(struct counter_watch *watch, int fd)
{
	int error;

	setenv("PROFIL_FALLBACK", "fatal", 1);
	unsetenv("PROFIL_RATE");
	unsetenv("PROFIL_DIALECT");
	watch->arena = map_memory(WATCH_LARGEST + 2 * WATCH_GUARD + WATCH_PAGE);
	if (watch->arena == MAP_FAILED)
		return errno;
	error = counter_watch_set_rate(watch, get_info(fd).tick_hz);
	return error ? error : spinner_create(&watch->spinner);
}

int counter_watch_set_rate(struct counter_watch *watch, unsigned int hz)
{
	watch->period = 1.0 / hz;
	return profil_set_rate(hz) ? errno : 0;
}

char *counter_watch_buffer(const struct counter_watch *watch, int number)
{
	return watch->arena + WATCH_GUARD +
	       (unsigned int)number * 38 % WATCH_PAGE;
}

/* A counter that counts is awaited in memory: a status call would fetch what is still pending. */
static bool has_counted(const volatile char *counter, struct profil_status *status, int *error)
{
	if (counter)
		return *counter;
	*error = profil_status(status) ? errno : 0;
	return *error || status->counted;
}

int counter_watch_run(struct counter_watch *watch, const volatile char *counter,
		      struct profil_status *final)
{
	double begin = spinner_seconds(&watch->spinner), used;
	double pause = (counter ? 0.5 : 2.5) * watch->period;
	struct profil_status status = { .state = PROFIL_STATE_RUNNING };
	int error = 0, looks = 0;
	bool counted;

	spinner_go(&watch->spinner);
	do {
		usleep((useconds_t)(1e6 * pause));
		counted = has_counted(counter, &status, &error);
		used = spinner_seconds(&watch->spinner) - begin;
		if (++looks > 50 && used > LONGEST)
			error = ETIME;
		pause = 0.5 * watch->period;
	} while (!error && !counted &&
		 (used < 2.5 * watch->period ||
		  (status.state == PROFIL_STATE_RUNNING && (counter || status.out_of_range < 2))));
	if (profil_stop(final) && !error)
		error = errno;
	spinner_end(&watch->spinner);
	return error;
}

bool counter_watch_clear(char *from, char *to)
{
	bool clear = true;

	for (; from < to; from++) {
		/* skip whole words */
		while (!((uintptr_t)from % 8) && to - from >= 8 && !*(uint64_t *)from)
			from += 8;
		if (from == to)
			break;
		clear &= !*from;
		*from = 0;
	}
	return clear;
}
