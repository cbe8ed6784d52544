/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pushes the samples of each interval of a run to a server, by a helper, while this process
 * continues to read the log.
 */
#ifndef PROFIL_PUSHER_H
#define PROFIL_PUSHER_H

#include <stdbool.h>
#include <stdint.h>

#include "live/run.h"
#include "push/server.h"
#include "util/helper.h"

/**
 * struct pusher - what has been pushed; begun by pusher_begin()
 * @server:     where to push; NULL: nothing is pushed
 * @results:    files in memory: the result up to which all has been pushed, and the one that is
 *              being pushed
 * @pushed:     index of the first of these
 * @nr_samples: samples of the result that is being pushed
 * @nr_pushed:  samples that have been pushed
 * @nr_missed:  intervals that will be pushed with a later one
 * @is_unanswered: what is being pushed was sent, and perhaps taken: it is sent again as it is
 * @is_failing: the user has been told that the last push failed
 */
struct pusher {
	const struct server *server;
	struct helper helper;
	int results[2];
	int pushed;
	uint64_t nr_samples;
	uint64_t nr_pushed;
	uint64_t nr_missed;
	bool is_unanswered;
	bool is_failing;
};

/**
 * pusher_begin - prepare to push
 * @server: where to push; NULL: nothing is pushed
 *
 * Return: 0 or -errno.
 */
int pusher_begin(struct pusher *pusher, const struct server *server);

/**
 * pusher_push - push what has not been pushed, at the end of an interval
 * @log:     descriptor of the log, which the helper closes: it would keep the log open
 *
 * If the interval before is still being pushed, this one will be pushed with the next: a result
 * has all samples so far, so nothing has to wait in memory, and nothing is dropped.
 */
void pusher_push(struct pusher *pusher, const struct live_run *run, int log);

/**
 * pusher_end - push the rest of a run that has ended, and say what could not be pushed
 * @output:  the file that has the result; NULL: none
 *
 * Waits for the server, but not longer than ten seconds.
 *
 * Return: whether all has been pushed.
 */
bool pusher_end(struct pusher *pusher, const struct live_run *run, const char *output);

#endif /* PROFIL_PUSHER_H */
