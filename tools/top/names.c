// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of functions, read by a child process.
 *
 * The child has a copy of the recording, so it knows the files of the moment when it was started,
 * and those that are kept open. For a file that is mapped later, another child takes its place.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/collect.h"
#include "symbol/demangle.h"
#include "symbol/symbolize.h"
#include "symbol/symbols.h"
#include "top/child_signals.h"
#include "top/names.h"
#include "top/open_files.h"
#include "util/time_ns.h"

#define ANSWER_BYTES	32768	/* of a message with answers */

/* Another child is started after the time that takes 20 times as long, and not before this one */
#define LEAST_PAUSE_NS	(NS_PER_S / 5)

#define MOMENT_NS	2000000		/* the log has room for more than a second */

/* An answer in a message; @length bytes of the name follow */
struct answer {
	uint64_t start;
	uint64_t length;
};

/**
 * struct names - the child, and what it has answered
 * @recording: has the files
 * @child:     the child; 0: none
 * @socket:    to the child
 * @nr_files:  number of files that the child knows
 * @next_ns:   when another child may be started
 * @message:   the last message of the child
 * @bytes:     its length
 * @used:      how much of it has been taken
 */
struct names {
	const struct recording *recording;
	pid_t child;
	int socket;
	size_t nr_files;
	uint64_t next_ns;
	char message[ANSWER_BYTES];
	size_t bytes;
	size_t used;
};

/* --- the child ------------------------------------------------------------------- */

/* What the child looks up functions in, and the answers that it has not sent yet */
struct reader {
	struct result files;
	struct symbols *symbols;
	int socket;
	char message[ANSWER_BYTES];
	size_t bytes;
};

static void send_answers(struct reader *reader)
{
	if (reader->bytes && send(reader->socket, reader->message, reader->bytes, MSG_NOSIGNAL) < 0)
		_exit(0);
	reader->bytes = 0;
}

static void add_answer(struct reader *reader, uint64_t start, const char *name)
{
	const struct answer answer = { start, strnlen(name, NAMES_MOST) };

	if (reader->bytes + sizeof(answer) + answer.length > sizeof(reader->message))
		send_answers(reader);
	memcpy(reader->message + reader->bytes, &answer, sizeof(answer));
	memcpy(reader->message + reader->bytes + sizeof(answer), name, answer.length);
	reader->bytes += sizeof(answer) + answer.length;
}

static void answer_one(struct reader *reader, const struct names_address *at)
{
	struct function function;
	char *symbol, *name;
	int found = symbols_find(reader->symbols, at->file, at->address, &function);

	if (found < 0)
		_exit(0);
	if (!found) {
		add_answer(reader, 0, SYMBOLIZE_REST);
		return;
	}
	if (function.name && function.length > 0)
		symbol = strndup(function.name, (size_t)function.length);
	else if (asprintf(&symbol, "0x%" PRIx64, function.start) < 0)
		symbol = NULL;
	if (!symbol)
		_exit(0);
	name = function.name ? demangle(symbol) : NULL;
	add_answer(reader, function.start, name ? name : symbol);
	free(name);
	free(symbol);
}

static void __attribute__((noreturn)) answer_all(const struct recording *recording, int socket)
{
	struct names_address addresses[NAMES_BATCH];
	static struct reader reader;
	ssize_t bytes;
	size_t i;

	child_signals_set();
	reader.socket = socket;
	if (!collect_files(&reader.files, recording))
		reader.symbols = symbols_new(&reader.files, NULL);
	if (!reader.symbols)
		_exit(0);
	open_files_use(reader.symbols, &reader.files, recording);
	for (;;) {
		bytes = recv(socket, addresses, sizeof(addresses), 0);
		if (bytes <= 0)
			_exit(0);
		for (i = 0; i < (size_t)bytes / sizeof(*addresses); i++)
			answer_one(&reader, &addresses[i]);
		send_answers(&reader);
	}
}

/* --- this process ---------------------------------------------------------------- */

struct names *names_new(const struct recording *recording)
{
	struct names *names = calloc(1, sizeof(*names));

	if (names)
		names->recording = recording;
	return names;
}

static void end_child(struct names *names)
{
	if (!names->child)
		return;
	close(names->socket);
	/* it may take long to read a file */
	kill(names->child, SIGKILL);
	waitpid(names->child, NULL, 0);
	names->child = 0;
	names->bytes = 0;
	names->used = 0;
}

/* Return: whether there is a child. */
static bool start_child(struct names *names)
{
	const uint64_t start = time_ns(CLOCK_MONOTONIC);
	uint64_t pause_ns;
	int ends[2];

	if (start < names->next_ns ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	names->nr_files = collect_nr_files(names->recording);
	names->child = fork();
	if (!names->child) {
		close(ends[0]);
		answer_all(names->recording, ends[1]);
	}
	close(ends[1]);
	names->socket = ends[0];
	if (names->child < 0) {
		close(ends[0]);
		names->child = 0;
	}
	pause_ns = 20 * (time_ns(CLOCK_MONOTONIC) - start);
	names->next_ns = start + (pause_ns > LEAST_PAUSE_NS ? pause_ns : LEAST_PAUSE_NS);
	return names->child > 0;
}

/* Return: whether the child knows the files of all addresses. */
static bool knows(const struct names *names, const struct names_address *addresses, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (addresses[i].file >= names->nr_files)
			return false;
	return true;
}

bool names_ask(struct names *names, const struct names_address *addresses, size_t nr)
{
	if (!names->child && !start_child(names))
		return false;
	if (!knows(names, addresses, nr)) {
		/* names_answer() says so */
		if (time_ns(CLOCK_MONOTONIC) >= names->next_ns)
			shutdown(names->socket, SHUT_WR);
		return false;
	}
	return send(names->socket, addresses, nr * sizeof(*addresses),
		    MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

int names_answer(struct names *names, struct names_function *function)
{
	struct answer answer;
	ssize_t bytes;

	if (!names->child)
		return 0;
	if (names->used == names->bytes) {
		bytes = recv(names->socket, names->message, sizeof(names->message), MSG_DONTWAIT);
		if (bytes < 0 && errno == EAGAIN)
			return 0;
		if (bytes <= 0) {
			end_child(names);
			return -1;
		}
		names->bytes = (size_t)bytes;
		names->used = 0;
	}
	memcpy(&answer, names->message + names->used, sizeof(answer));
	names->used += sizeof(answer);
	function->start = answer.start;
	memcpy(function->name, names->message + names->used, answer.length);
	function->name[answer.length] = 0;
	names->used += answer.length;
	return 1;
}

void names_wait(struct names *names)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };
	struct pollfd answers = { .fd = names->socket, .events = POLLIN };

	if (names->child)
		ppoll(&answers, 1, &moment, NULL);
}

void names_free(struct names *names)
{
	if (!names)
		return;
	end_child(names);
	free(names);
}
