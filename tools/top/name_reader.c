// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of functions, read by a helper.
 *
 * It has a copy of the recording, so it knows the files of the moment when it was started,
 * and those that are kept open. For a file that is mapped later, another helper takes its place.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/run.h"
#include "record/collect.h"
#include "symbol/demangle.h"
#include "symbol/symbolize.h"
#include "symbol/symbols.h"
#include "top/name_reader.h"
#include "util/helper.h"
#include "util/time_ns.h"

#define ANSWER_BYTES	32768	/* of a message with answers */

/* Another helper is not started before this time */
#define LEAST_PAUSE_NS	(NS_PER_S / 5)

#define MOMENT_NS	2000000		/* the log has room for more than a second */

/* An answer in a message; @length bytes of the name follow */
struct answer {
	uint64_t start;
	uint64_t length;
};

/* The helper, and what it has answered */
struct name_reader {
	const struct recording *recording;
	struct helper helper;
	int socket;		/* to the helper */
	size_t nr_files;	/* number of files that it knows */
	uint64_t next_ns;	/* when another one may be started */
	char message[ANSWER_BYTES];
	size_t bytes;
	size_t used;		/* how much of it has been taken */
};

/* --- the helper ------------------------------------------------------------------ */

/* What the helper is started with */
struct asked {
	const struct recording *recording;
	int socket;
};

/* What it looks up functions in, and the answers that it has not sent yet */
struct answering {
	struct result files;
	struct symbols *symbols;
	int socket;
	char message[ANSWER_BYTES];
	size_t bytes;
};

static void send_answers(struct answering *answering)
{
	if (answering->bytes && send(answering->socket, answering->message, answering->bytes, MSG_NOSIGNAL) < 0)
		_exit(0);
	answering->bytes = 0;
}

static void add_answer(struct answering *answering, uint64_t start, const char *name)
{
	const struct answer answer = { start, strnlen(name, NAME_READER_MOST) };

	if (answering->bytes + sizeof(answer) + answer.length > sizeof(answering->message))
		send_answers(answering);
	memcpy(answering->message + answering->bytes, &answer, sizeof(answer));
	memcpy(answering->message + answering->bytes + sizeof(answer), name, answer.length);
	answering->bytes += sizeof(answer) + answer.length;
}

static void answer_one(struct answering *answering, const struct named_address *at)
{
	struct function function;
	char *symbol, *name;
	int found = symbols_find(answering->symbols, at->file, at->address, &function);

	if (found < 0)
		_exit(0);
	if (!found) {
		add_answer(answering, 0, SYMBOLIZE_REST);
		return;
	}
	if (function.name && function.length > 0)
		symbol = strndup(function.name, (size_t)function.length);
	else if (asprintf(&symbol, "0x%" PRIx64, function.start) < 0)
		symbol = NULL;
	if (!symbol)
		_exit(0);
	name = function.name ? demangle(symbol) : NULL;
	add_answer(answering, function.start, name ? name : symbol);
	free(name);
	free(symbol);
}

static int answer_all(void *data)
{
	struct named_address addresses[NAME_READER_BATCH];
	const struct asked *asked = data;
	static struct answering answering;
	ssize_t bytes;
	size_t i;

	answering.socket = asked->socket;
	if (!collect_files(&answering.files, asked->recording))
		answering.symbols = live_symbols(asked->recording, &answering.files);
	if (!answering.symbols)
		return ENOMEM;
	for (;;) {
		bytes = recv(asked->socket, addresses, sizeof(addresses), 0);
		if (bytes <= 0)
			return 0;
		for (i = 0; i < (size_t)bytes / sizeof(*addresses); i++)
			answer_one(&answering, &addresses[i]);
		send_answers(&answering);
	}
}

/* --- this process ---------------------------------------------------------------- */

struct name_reader *name_reader_new(const struct recording *recording)
{
	struct name_reader *reader = calloc(1, sizeof(*reader));

	if (reader)
		reader->recording = recording;
	return reader;
}

/* @has_ended: it may have, for a reason that matters */
static void end_helper(struct name_reader *reader, bool has_ended)
{
	if (!reader->helper.pid)
		return;
	close(reader->socket);
	helper_has_ended(&reader->helper, has_ended);
	helper_kill(&reader->helper);
	reader->bytes = 0;
	reader->used = 0;
}

/* Return: whether there is a helper. */
static bool start_helper(struct name_reader *reader)
{
	const uint64_t start = time_ns(CLOCK_MONOTONIC);
	uint64_t pause_ns;
	int ends[2];

	if (start < reader->next_ns ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	reader->nr_files = collect_nr_files(reader->recording);
	reader->socket = ends[0];
	if (helper_start(&reader->helper, &(struct helper_work){
		.run = answer_all, .data = &(struct asked){ reader->recording, ends[1] },
		.closes = ends[0], .is_beside = true, .is_bounded = true,
	}))
		close(ends[0]);
	close(ends[1]);
	pause_ns = helper_pause(time_ns(CLOCK_MONOTONIC) - start);
	reader->next_ns = start + (pause_ns > LEAST_PAUSE_NS ? pause_ns : LEAST_PAUSE_NS);
	return reader->helper.pid > 0;
}

/* Return: whether the helper knows the files of all addresses. */
static bool knows(const struct name_reader *reader, const struct named_address *addresses, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (addresses[i].file >= reader->nr_files)
			return false;
	return true;
}

bool name_reader_ask(struct name_reader *reader, const struct named_address *addresses, size_t nr)
{
	if (!reader->helper.pid && !start_helper(reader))
		return false;
	if (!knows(reader, addresses, nr)) {
		/* name_reader_answer() says so */
		if (time_ns(CLOCK_MONOTONIC) >= reader->next_ns)
			shutdown(reader->socket, SHUT_WR);
		return false;
	}
	return send(reader->socket, addresses, nr * sizeof(*addresses),
		    MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

int name_reader_answer(struct name_reader *reader, struct named_function *function)
{
	struct answer answer;
	ssize_t bytes;

	if (!reader->helper.pid)
		return 0;
	if (reader->used == reader->bytes) {
		bytes = recv(reader->socket, reader->message, sizeof(reader->message), MSG_DONTWAIT);
		if (bytes < 0 && errno == EAGAIN)
			return 0;
		if (bytes <= 0) {
			end_helper(reader, true);
			return -1;
		}
		reader->bytes = (size_t)bytes;
		reader->used = 0;
	}
	memcpy(&answer, reader->message + reader->used, sizeof(answer));
	reader->used += sizeof(answer);
	function->start = answer.start;
	memcpy(function->name, reader->message + reader->used, answer.length);
	function->name[answer.length] = 0;
	reader->used += answer.length;
	return 1;
}

void name_reader_wait(struct name_reader *reader)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };
	struct pollfd answers = { .fd = reader->socket, .events = POLLIN };

	if (reader->helper.pid)
		ppoll(&answers, 1, &moment, NULL);
}

void name_reader_free(struct name_reader *reader)
{
	if (!reader)
		return;
	end_helper(reader, false);
	free(reader);
}
