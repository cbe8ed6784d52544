// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pushes the samples of each interval of a run to a server. A child process makes a result of its
 * copy of the recording, drops what has been pushed before, reads names, and waits for the server:
 * nothing of that delays the reading of the log, or can crash it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/pusher.h"
#include "record/recording.h"
#include "record/signals.h"
#include "result/resultpack.h"
#include "result/subtract.h"
#include "symbol/demangle.h"
#include "symbol/symbolize.h"
#include "symbol/symbols.h"
#include "top/open_files.h"
#include "util/failure.h"
#include "util/time_ns.h"
#include "write_all.h"

#define TRIES		3	/* in an interval; then the next one tries again */
#define FIRST_PAUSE_S	1u	/* before the second; each pause is twice as long */
#define END_S		10
#define END_TICK_NS	(NS_PER_S / 50)

/* Exit statuses of the child */
enum { PUSHED, NOTHING_TO_PUSH, FAILED };

/* --- the child ------------------------------------------------------------------- */

/* Read what has been pushed before. Return: whether there is something. */
static bool read_pushed(int file, struct result *result)
{
	struct stat st;
	const char *why;
	void *message;
	bool is_read;

	if (fstat(file, &st) || !st.st_size)
		return false;
	message = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (message == MAP_FAILED)
		return false;
	is_read = !resultpack_unpack(message, (size_t)st.st_size, result, &why);
	munmap(message, (size_t)st.st_size);
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

/* Return: as server_push(). */
static int push_once(const struct server *server, const struct result *result,
		     const struct recording *recording, char why[HTTP_WHY])
{
	struct symbols *symbols = symbols_new(result, NULL);
	struct symbolized symbolized = { 0 };
	unsigned int pause_s = FIRST_PAUSE_S;
	int error = -ENOMEM, tries;

	snprintf(why, HTTP_WHY, HTTP_NO_MEMORY);
	if (symbols) {
		open_files_use(symbols, result, recording);
		error = symbolize_result(&symbolized, result, symbols_find, symbols, demangle);
	}
	symbolized.find_line = symbols_line;
	symbolized.find_frames = symbols_frames;
	symbolized.symbols = symbols;
	for (tries = 0; !error || error == -EAGAIN; tries++, pause_s *= 2) {
		error = server_push(server, &symbolized, why);
		if (error != -EAGAIN || tries + 1 == TRIES)
			break;
		sleep(pause_s);
	}
	symbolized_release(&symbolized);
	symbols_free(symbols);
	return error;
}

static int push(const struct pusher *pusher, const struct outcome *outcome,
		const struct child_end *so_far)
{
	struct result result, before = { 0 };
	char why[HTTP_WHY];
	int error = outcome_collect(outcome, so_far, &result);

	if (error == -ENODATA)
		return NOTHING_TO_PUSH;
	if (!error)
		error = write_pushing(pusher->results[!pusher->pushed], &result);
	if (!error && read_pushed(pusher->results[pusher->pushed], &before))
		error = result_subtract(&result, &before);
	if (!error && !result_samples(&result))
		return NOTHING_TO_PUSH;
	if (error)
		snprintf(why, sizeof(why), "%s (%s)", strerror(-error), strerrorname_np(-error));
	else
		error = push_once(pusher->server, &result, outcome->recording, why);
	if (error && !pusher->is_failing)
		failure_warnx("%s: not pushed: %s; the samples are kept, and pushed later",
			      pusher->server->url, why);
	return error ? FAILED : PUSHED;
}

static void __attribute__((noreturn))
push_in_child(const struct pusher *pusher, const struct outcome *outcome,
	      const struct child_end *so_far, int log)
{
	/* it must not go on without this process, which would push nothing again */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (log >= 0)
		close(log);
	_exit(push(pusher, outcome, so_far));
}

/* --- this process ---------------------------------------------------------------- */

int pusher_begin(struct pusher *pusher, const struct server *server)
{
	int i;

	*pusher = (struct pusher){ .server = server, .results = { -1, -1 } };
	for (i = 0; server && i < 2; i++) {
		pusher->results[i] = memfd_create("profil-push", MFD_CLOEXEC);
		if (pusher->results[i] < 0)
			return -errno;
	}
	return 0;
}

static void note_end(struct pusher *pusher, int status)
{
	const bool has_failed = !WIFEXITED(status) || WEXITSTATUS(status) == FAILED;

	pusher->child = 0;
	if (has_failed) {
		if (WIFSIGNALED(status) && !pusher->is_failing)
			failure_warnx("%s: not pushed: a file of the program is damaged, or changed while it was read (SIG%s); the samples are kept, and pushed later",
				      pusher->server->url, sigabbrev_np(WTERMSIG(status)));
		pusher->nr_missed++;
		pusher->is_failing = true;
		return;
	}
	if (WEXITSTATUS(status) == NOTHING_TO_PUSH)
		return;
	if (pusher->nr_missed)
		failure_warnx("%s: pushed, as one, with %" PRIu64 " interval%s before", pusher->server->url,
			      pusher->nr_missed, pusher->nr_missed == 1 ? "" : "s");
	pusher->nr_missed = 0;
	pusher->is_failing = false;
	pusher->pushed = !pusher->pushed;
	pusher->nr_pushed = pusher->nr_samples;
}

/* Return: whether the child has ended. */
static bool has_ended(struct pusher *pusher)
{
	pid_t waited;
	int status;

	if (!pusher->child)
		return true;
	waited = waitpid(pusher->child, &status, WNOHANG);
	if (!waited || (waited < 0 && errno == EINTR))
		return false;
	note_end(pusher, waited < 0 ? FAILED << 8 : status);
	return true;
}

static void start(struct pusher *pusher, const struct outcome *outcome,
		  const struct child_end *so_far, int log)
{
	sigset_t mask;

	/* a signal to the process group, as ^C, must not end the child, nor be forwarded twice */
	sigprocmask(SIG_BLOCK, NULL, &mask);
	signals_block();
	/* otherwise the child would write buffered text a second time */
	fflush(NULL);
	pusher->nr_samples = recording_samples(outcome->recording);
	pusher->child = fork();
	if (!pusher->child)
		push_in_child(pusher, outcome, so_far, log);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (pusher->child > 0)
		return;
	failure_warn("push", errno);
	pusher->child = 0;
	pusher->nr_missed++;
}

void pusher_push(struct pusher *pusher, const struct outcome *outcome,
		 const struct child_end *so_far, int log)
{
	if (!pusher->server)
		return;
	if (has_ended(pusher))
		start(pusher, outcome, so_far, log);
	else
		pusher->nr_missed++;
}

/* Return: whether the child has ended in time. */
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

bool pusher_end(struct pusher *pusher, const struct outcome *outcome,
		const struct child_end *end)
{
	const uint64_t end_ns = time_ns(CLOCK_MONOTONIC) + END_S * NS_PER_S;
	const uint64_t all = recording_samples(outcome->recording);
	char late[64] = "";
	uint64_t left;
	int i;

	if (!pusher->server)
		return true;
	if (wait_until(pusher, end_ns)) {
		start(pusher, outcome, end, -1);
		wait_until(pusher, end_ns);
	}
	if (pusher->child) {
		kill(pusher->child, SIGKILL);
		waitpid(pusher->child, NULL, 0);
		pusher->child = 0;
		snprintf(late, sizeof(late), ": not taken within %d seconds (ETIMEDOUT)", END_S);
	}
	for (i = 0; i < 2; i++)
		close(pusher->results[i]);
	left = all - pusher->nr_pushed;
	/* if it is not late, a message before this one has the reason */
	if (left)
		failure_warnx("%s: the last %" PRIu64 " samples of %" PRIu64 " were not pushed%s; %s",
			      pusher->server->url, left, all, late,
			      outcome->output ? "the result has them" :
			      "with --output, a file would have them");
	return !left;
}
