// SPDX-License-Identifier: GPL-2.0-only
/*
 * The progress line of a run. A child process prints it, because elfutils maps the program's
 * files: if a mapped file is truncated, for example by strip(1), reading it raises SIGBUS, which
 * the run must survive. Symbols are read again only if the program has loaded other files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/progress.h"
#include "profile/profile.h"
#include "result/resultpack.h"
#include "symbol/symbols.h"
#include "util/terminal.h"
#include "util/time_ns.h"

#define TOP		8	/* maximum number of functions in the line */

/**
 * struct progress - state of the progress line; the child process has a copy
 * @child:    the child process; 0: none
 * @requests: socket: a byte requests a line, and the child returns it when it has printed the
 *            line; end-of-file ends the child
 * @is_busy:  the child has not returned the byte
 * @message:  memfd_create(2): the packed result for the line; empty: no samples yet. Not written
 *            while the child is busy
 * @out:      output file
 * @terminal: @out is a terminal
 * @start:    when the run started, in ns
 * @known:    the result whose objects @symbols has; @argv NULL: none
 * @symbols:  symbols of these objects
 */
struct progress {
	pid_t child;
	int requests;
	bool is_busy;
	int message;
	FILE *out;
	bool terminal;
	uint64_t start;
	struct result known;
	struct symbols *symbols;
};

struct progress *progress_new(FILE *out)
{
	struct progress *progress = calloc(1, sizeof(*progress));

	if (!progress)
		return NULL;
	progress->message = memfd_create("profil-progress", MFD_CLOEXEC);
	if (progress->message < 0) {
		free(progress);
		return NULL;
	}
	progress->out = out;
	progress->terminal = isatty(fileno(out));
	progress->start = time_ns(CLOCK_MONOTONIC);
	return progress;
}

static bool has_same_objects(const struct result *a, const struct result *b)
{
	size_t i;

	if (!a->argv || a->nr_objects != b->nr_objects)
		return false;
	for (i = 0; i < a->nr_objects; i++)
		if (result_compare_objects(&a->objects[i], &b->objects[i]))
			return false;
	return true;
}

/*
 * Return: symbols of the objects of @result; NULL: no memory. If the objects are new, @result is
 * moved to progress->known.
 */
static struct symbols *get_symbols(struct progress *progress, struct result *result)
{
	if (!has_same_objects(&progress->known, result)) {
		symbols_free(progress->symbols);
		result_release(&progress->known);
		progress->known = *result;
		memset(result, 0, sizeof(*result));
		progress->symbols = symbols_new(&progress->known, NULL);
	}
	return progress->symbols;
}

/* Print a function if it fits. Return: number of columns used. */
static int print_row(FILE *out, const struct profile_row *row, int used, int most)
{
	char *text = NULL;
	size_t length;
	FILE *part = open_memstream(&text, &length);

	if (!part)
		return most;
	fprintf(part, " %.1f%% ", row->percent100 / 100.0);
	/* there is no column for objects */
	if (row->is_rest) {
		terminal_print_name(part, row->object);
		putc(' ', part);
	}
	terminal_print_name(part, row->function);
	fclose(part);
	if (used + (int)length < most)
		fputs(text, out);
	free(text);
	return used + (int)length;
}

static void print_line(FILE *line, const struct progress *progress,
		       const struct profile *profile)
{
	int most = terminal_style(progress->out, TERMINAL_AUTO).columns, used;
	size_t i;

	if (!most)
		most = INT_MAX;
	if (progress->terminal)
		fputc('\r', line);
	used = fprintf(line, "profil: %.1f s, %" PRIu64 " sample%s",
		       (double)(time_ns(CLOCK_MONOTONIC) - progress->start) / 1e9, profile->samples,
		       profile->samples == 1 ? "" : "s");
	if (profile->nr_rows)
		used += fprintf(line, ":");
	for (i = 0; i < profile->nr_rows && i < TOP && used < most; i++)
		used = print_row(line, &profile->rows[i], used, most);
	/* erase the rest of a longer line */
	fputs(progress->terminal ? "\033[K" : "\n", line);
}

/* Print the line in one write, as this process may be killed at any time. */
static void print(const struct progress *progress, const struct profile *profile)
{
	char *text = NULL;
	size_t length;
	FILE *line = open_memstream(&text, &length);

	if (!line)
		return;
	print_line(line, progress, profile);
	if (!fclose(line)) {
		fwrite(text, 1, length, progress->out);
		fflush(progress->out);
	}
	free(text);
}

/* Print the line of a result; it may be moved to progress->known. */
static void show(struct progress *progress, struct result *result)
{
	struct symbols *symbols = get_symbols(progress, result);
	const struct result *counts = result->argv ? result : &progress->known;
	struct profile profile = { 0 };

	if (symbols && !profile_make(&profile, counts, symbols_find, symbols)) {
		profile_demangle(&profile);
		print(progress, &profile);
	}
	profile_release(&profile);
}

static void print_now(struct progress *progress)
{
	const struct profile none = { 0 };
	struct result result = { 0 };
	unsigned char *message;
	const char *why;
	struct stat st;
	size_t bytes;

	if (fstat(progress->message, &st))
		return;
	bytes = (size_t)st.st_size;
	message = malloc(bytes + 1);
	if (!bytes)
		print(progress, &none);
	else if (message && pread(progress->message, message, bytes, 0) == st.st_size &&
		 !resultpack_unpack(message, bytes, &result, &why))
		show(progress, &result);
	free(message);
	result_release(&result);
}

static void __attribute__((noreturn)) handle_requests(struct progress *progress, int requests)
{
	char byte;

	/* ignore the terminal's signals; do not forward the others as well (signals.c) */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	while (read(requests, &byte, 1) > 0) {
		print_now(progress);
		if (send(requests, &byte, 1, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

static void start_child(struct progress *progress)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return;
	progress->child = fork();
	if (!progress->child) {
		close(ends[0]);
		handle_requests(progress, ends[1]);
	}
	close(ends[1]);
	if (progress->child > 0) {
		progress->requests = ends[0];
		return;
	}
	progress->child = 0;
	close(ends[0]);
}

/* Kill the child, as it may take long to read a file. */
static void end_child(struct progress *progress)
{
	if (!progress->child)
		return;
	close(progress->requests);
	kill(progress->child, SIGKILL);
	waitpid(progress->child, NULL, 0);
	progress->child = 0;
	progress->is_busy = false;
}

/* Write the result for the child. Return: whether all of it was written. */
static bool put_message(const struct progress *progress, const struct result *result)
{
	unsigned char *message = NULL;
	bool is_written = false;
	size_t bytes = 0;

	if (result && resultpack_pack(result, &message, &bytes))
		return false;
	if (!ftruncate(progress->message, 0))
		is_written = !bytes ||
			     pwrite(progress->message, message, bytes, 0) == (ssize_t)bytes;
	free(message);
	return is_written;
}

/* Return: whether the child waits for a request. If it has crashed, there is no child then. */
static bool is_idle(struct progress *progress)
{
	ssize_t length;
	char byte;

	if (!progress->is_busy)
		return true;
	length = recv(progress->requests, &byte, 1, MSG_DONTWAIT);
	if (!length || (length < 0 && errno != EAGAIN))
		end_child(progress);
	if (length > 0)
		progress->is_busy = false;
	return length > 0;
}

void progress_show(struct progress *progress, const struct result *result)
{
	if (!progress->child)
		start_child(progress);
	if (!progress->child || !is_idle(progress) || !put_message(progress, result))
		return;
	/* if the child has crashed, the next call starts another one */
	if (send(progress->requests, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1)
		progress->is_busy = true;
	else
		end_child(progress);
}

void progress_free(struct progress *progress)
{
	if (!progress)
		return;
	end_child(progress);
	if (progress->terminal) {
		fputs("\r\033[K", progress->out);
		fflush(progress->out);
	}
	close(progress->message);
	free(progress);
}
