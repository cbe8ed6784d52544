// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting while processes are profiled.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "record/signals.h"
#include "record/wait.h"
#include "util/time_ns.h"

/* The log is read after the first interval, and then after intervals that double */
#define FIRST_READ_NS	(NS_PER_S / 100)
#define LAST_READ_NS	NS_PER_S

/* The log, the command and the terminal */
#define NR_POLLED	3

/**
 * struct due - when something is due next, in ns; UINT64_MAX: never
 */
struct due {
	uint64_t read;
	uint64_t snapshot;
	uint64_t progress;
	uint64_t look;
};

static uint64_t after(uint64_t now, uint64_t interval)
{
	return interval ? now + interval : UINT64_MAX;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t first(const struct due *due)
{
	return min(min(due->read, due->snapshot), min(due->progress, due->look));
}

/* @due: may be in the past */
static void wait_until(struct pollfd polled[NR_POLLED], uint64_t due, const sigset_t *waiting)
{
	const uint64_t now = time_ns(CLOCK_MONOTONIC);
	const uint64_t left = due > now ? due - now : 0;
	const struct timespec timeout = {
		.tv_sec = (time_t)(left / NS_PER_S),
		.tv_nsec = (long)(left % NS_PER_S),
	};
	size_t i;

	for (i = 0; i < NR_POLLED; i++)
		polled[i].revents = 0;
	ppoll(polled, NR_POLLED, due == UINT64_MAX ? NULL : &timeout, waiting);
}

enum wait_end wait_for_end(const struct wait *wait)
{
	struct pollfd polled[NR_POLLED] = {
		{ .fd = wait->log, .events = POLLIN },
		{ .fd = wait->process, .events = POLLIN },
		{ .fd = wait->keys, .events = POLLIN },
	};
	const uint64_t end = wait->end_ns ? wait->end_ns : UINT64_MAX;
	uint64_t now = time_ns(CLOCK_MONOTONIC), read_ns = FIRST_READ_NS;
	struct due due = {
		.read = after(now, read_ns),
		.snapshot = after(now, wait->snapshot_ns),
		.progress = after(now, wait->progress_ns),
		.look = after(now, wait->look_ns),
	};
	bool has_ended, is_over, is_requested;
	uint64_t pause_ns;

	for (;;) {
		wait_until(polled, min(first(&due), end), wait->waiting);
		now = time_ns(CLOCK_MONOTONIC);
		has_ended = polled[1].revents;
		is_over = now >= end || signals_end_is_requested();
		/* other events: the terminal was closed */
		if (polled[2].revents)
			is_over |= (polled[2].revents & ~POLLIN) || !wait->key(wait->data);
		if (now >= due.look) {
			pause_ns = wait->look(wait->data);
			is_over |= pause_ns == UINT64_MAX;
			due.look = after(now, max(wait->look_ns, pause_ns));
		}
		if (polled[0].fd >= 0) {
			read_ns = min(2 * read_ns, LAST_READ_NS);
			due.read = after(now, read_ns);
		}
		if (polled[0].fd >= 0 && !wait->read(wait->data)) {
			/* otherwise ppoll() would return at once from now on */
			polled[0].fd = -1;
			due.read = UINT64_MAX;
			is_over |= wait->process < 0;
		}
		if (has_ended)
			return WAIT_COMMAND;
		if (is_over)
			return WAIT_PROFILE;
		is_requested = signals_take_snapshot_request();
		if (is_requested || now >= due.snapshot) {
			pause_ns = wait->snapshot(wait->data, is_requested);
			if (now >= due.snapshot)
				due.snapshot = after(now, max(wait->snapshot_ns, pause_ns));
		}
		if (now >= due.progress)
			due.progress = after(now, max(wait->progress_ns,
						      wait->progress(wait->data)));
	}
}
