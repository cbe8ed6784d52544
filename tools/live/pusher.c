// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pushes the samples of each interval of a run to a server. A helper makes a result of its copy of
 * the recording, drops what has been pushed before, reads names, and waits for the server.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/pusher.h"
#include "result/resultpack.h"
#include "result/subtract.h"
#include "symbol/demangle.h"
#include "symbol/symbolize.h"
#include "util/failure.h"
#include "util/time_ns.h"
#include "write_all.h"

#define TRIES		3	/* in an interval; then the next one tries again */
#define FIRST_PAUSE_S	1u	/* before the second; each pause is twice as long */
#define END_S		10
#define END_TICK_NS	(NS_PER_S / 50)

/* What the helper returns */
enum { PUSHED, NOTHING_TO_PUSH, FAILED, UNANSWERED };

/* --- the helper ------------------------------------------------------------------ */

/* What it knows */
struct pushing {
	const struct pusher *pusher;
	const struct live_run *run;
	const struct result *result;	/* what is pushed */
};

/* Read what has been pushed before. Return: whether there is something. */
static bool read_pushed(int file, struct result *result)
{
	const char *why;
	size_t bytes = 0;
	unsigned char *message = helper_read(file, &bytes);
	const bool is_read = bytes && !resultpack_unpack(message, bytes, result, &why);

	free(message);
	return is_read;
}

/* Return: 0 or -errno. */
static int write_pushing(int file, const struct result *result)
{
	unsigned char *message;
	size_t bytes;
	int error = resultpack_pack(result, &message, &bytes);

	if (error)
		return error;
	error = ftruncate(file, 0) || lseek(file, 0, SEEK_SET) ? -errno :
		profil_write_all(file, message, bytes);
	free(message);
	return error;
}

/* Return: as server_push(); -ENODATA if any of the requests had no answer. */
static int push_once(const struct server *server, const struct result *result,
		     const struct recording *recording, char why[HTTP_WHY])
{
	struct symbols *symbols = live_symbols(recording, result);
	struct symbolized symbolized = { 0 };
	unsigned int pause_s = FIRST_PAUSE_S;
	int error = -ENOMEM, tries;
	bool is_sent = false;

	snprintf(why, HTTP_WHY, HTTP_NO_MEMORY);
	if (symbols)
		error = symbolize_result(&symbolized, result, symbols_find, symbols, demangle);
	symbolized.find_line = symbols_line;
	symbolized.find_frames = symbols_frames;
	symbolized.symbols = symbols;
	for (tries = 0; !error || error == -EAGAIN; tries++, pause_s *= 2) {
		error = server_push(server, &symbolized, why);
		is_sent |= error == -ENODATA;
		if ((error != -EAGAIN && error != -ENODATA) || tries + 1 == TRIES)
			break;
		error = -EAGAIN;
		sleep(pause_s);
	}
	symbolized_release(&symbolized);
	symbols_free(symbols);
	return error && is_sent ? -ENODATA : error;
}

static void explain(const struct pusher *pusher, bool is_sent, const char *why)
{
	if (!pusher->is_failing)
		failure_warnx("%s: not pushed: %s; the samples are kept, and pushed later%s",
			      pusher->server->url, why,
			      is_sent ? ": the same request, as the server may have taken it" : "");
}

/* Return: as push(), or ENOMEM. */
static int push_result(void *data)
{
	const struct pushing *pushing = data;
	char why[HTTP_WHY];
	int error = push_once(pushing->pusher->server, pushing->result, pushing->run->recording,
			      why);

	if (!error)
		return PUSHED;
	/* it may be done again with less memory */
	if (error == -ENOMEM)
		return ENOMEM;
	explain(pushing->pusher, error == -ENODATA, why);
	return error == -ENODATA ? UNANSWERED : FAILED;
}

/*
 * Set the result up to which all will have been pushed. If the server may have taken it already, it
 * is the same as before, so that the server can tell. Return: 0 or -errno.
 */
static int need_result(const struct pushing *pushing, struct result *result)
{
	const struct pusher *pusher = pushing->pusher;
	const int file = pusher->results[!pusher->pushed];
	int error;

	if (pusher->is_unanswered && read_pushed(file, result))
		return 0;
	error = live_collect(pushing->run, result);
	return error ? error : write_pushing(file, result);
}

static int push(void *data)
{
	struct pushing *pushing = data;
	const struct pusher *pusher = pushing->pusher;
	struct result result, before = { 0 };
	char why[HELPER_WHY];
	struct helper helper = { 0 };

	helper.error = need_result(pushing, &result);
	if (helper.error == -ENODATA)
		return NOTHING_TO_PUSH;
	if (!helper.error && read_pushed(pusher->results[pusher->pushed], &before))
		helper.error = result_subtract(&result, &before);
	if (!helper.error && !result_samples(&result))
		return NOTHING_TO_PUSH;
	pushing->result = &result;
	if (!helper.error)
		helper_run(&helper, &(struct helper_work){
			.run = push_result, .data = pushing, .is_bounded = true,
		});
	if (!helper.killer && -helper.error <= UNANSWERED)
		return -helper.error;
	helper_explain(&helper, why);
	explain(pusher, false, why);
	return FAILED;
}

/* --- this process ---------------------------------------------------------------- */

int pusher_begin(struct pusher *pusher, const struct server *server)
{
	int i;

	*pusher = (struct pusher){ .server = server, .results = { -1, -1 } };
	for (i = 0; server && i < 2; i++) {
		pusher->results[i] = helper_file();
		if (pusher->results[i] < 0)
			return pusher->results[i];
	}
	return 0;
}

static void note_end(struct pusher *pusher)
{
	const struct helper *helper = &pusher->helper;
	const bool was_unanswered = pusher->is_unanswered;
	char why[HELPER_WHY];

	if (helper->killer || -helper->error >= FAILED) {
		helper_explain(helper, why);
		if (helper->killer)
			explain(pusher, false, why);
		pusher->nr_missed++;
		pusher->is_failing = true;
		pusher->is_unanswered |= -helper->error == UNANSWERED;
		return;
	}
	if (-helper->error == NOTHING_TO_PUSH)
		return;
	/* those after what was sent again are pushed with the next one */
	if (pusher->nr_missed && !was_unanswered) {
		failure_warnx("%s: pushed, as one, with %" PRIu64 " interval%s before", pusher->server->url,
			      pusher->nr_missed, pusher->nr_missed == 1 ? "" : "s");
		pusher->nr_missed = 0;
	}
	pusher->is_failing = false;
	pusher->is_unanswered = false;
	pusher->pushed = !pusher->pushed;
	pusher->nr_pushed = pusher->nr_samples;
}

static bool has_ended(struct pusher *pusher)
{
	if (!pusher->helper.pid)
		return true;
	if (!helper_has_ended(&pusher->helper, false))
		return false;
	note_end(pusher);
	return true;
}

static void start(struct pusher *pusher, const struct live_run *run, int log)
{
	struct pushing pushing = { pusher, run, NULL };
	const struct helper_work work = {
		.run = push, .data = &pushing, .closes = log, .is_beside = true,
	};
	int error;

	if (!pusher->is_unanswered)
		pusher->nr_samples = recording_samples(run->recording);
	error = helper_start(&pusher->helper, &work);
	if (!error)
		return;
	failure_warn("push", -error);
	pusher->nr_missed++;
}

void pusher_push(struct pusher *pusher, const struct live_run *run, int log)
{
	if (!pusher->server)
		return;
	if (has_ended(pusher))
		start(pusher, run, log);
	else
		pusher->nr_missed++;
}

/* Return: whether the helper has ended in time. */
static bool wait_until(struct pusher *pusher, uint64_t end_ns)
{
	const struct timespec tick = { .tv_nsec = END_TICK_NS };

	while (!has_ended(pusher)) {
		if (time_ns(CLOCK_MONOTONIC) >= end_ns)
			return false;
		nanosleep(&tick, NULL);
	}
	return true;
}

bool pusher_end(struct pusher *pusher, const struct live_run *run, const char *output)
{
	const uint64_t end_ns = time_ns(CLOCK_MONOTONIC) + END_S * NS_PER_S;
	const uint64_t all = recording_samples(run->recording);
	char late[64] = "";
	bool is_rest = false;
	uint64_t left;
	int i;

	if (!pusher->server)
		return true;
	/* what is sent again, and the rest */
	for (i = 0; i < 2 && !is_rest && wait_until(pusher, end_ns); i++) {
		is_rest = !pusher->is_unanswered;
		start(pusher, run, 0);
	}
	wait_until(pusher, end_ns);
	if (pusher->helper.pid) {
		helper_kill(&pusher->helper);
		snprintf(late, sizeof(late), ": not taken within %d seconds (ETIMEDOUT)", END_S);
	}
	for (i = 0; i < 2; i++)
		close(pusher->results[i]);
	left = all - pusher->nr_pushed;
	/* if it is not late, a message before this one has the reason */
	if (left)
		failure_warnx("%s: the last %" PRIu64 " samples of %" PRIu64 " were not pushed%s; %s",
			      pusher->server->url, left, all, late,
			      output ? "the result has them" : "with --output, a file would have them");
	return !left;
}
