// SPDX-License-Identifier: GPL-2.0-only
/*
 * The progress line of a run. A child process prints it, because elfutils maps the program's
 * files: if a mapped file is truncated, for example by strip(1), reading it raises SIGBUS, which
 * the run must survive. Symbols are read again only if the program has loaded other files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/progress.h"
#include "profile/profile.h"
#include "record/collect.h"
#include "record/shm.h"
#include "symbol/symbols.h"
#include "util/terminal.h"
#include "util/time_ns.h"

#define TOP		8	/* maximum number of functions in the line */

/**
 * struct progress - state of the progress line; the child process has a copy
 * @child:    the child process; 0: none
 * @requests: socket: a byte requests a line, end-of-file ends the child
 * @memory:   shared memory of the run
 * @argv:     the command
 * @out:      output file
 * @terminal: @out is a terminal
 * @start:    when the run started, in ns
 * @known:    the result whose objects @symbols has; @argv NULL: none
 * @symbols:  symbols of these objects
 */
struct progress {
	pid_t child;
	int requests;
	int memory;
	char *const *argv;
	FILE *out;
	bool terminal;
	uint64_t start;
	struct result known;
	struct symbols *symbols;
};

struct progress *progress_new(int memory, char *const argv[], FILE *out)
{
	struct progress *progress = calloc(1, sizeof(*progress));

	if (!progress)
		return NULL;
	progress->memory = memory;
	progress->argv = argv;
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

static void show(struct progress *progress, const struct shm *run)
{
	struct child_end so_far = { 0 };
	struct profile profile = { 0 };
	struct result result;

	if (!collect_result(&result, run, &so_far, progress->argv)) {
		struct symbols *symbols = get_symbols(progress, &result);
		const struct result *counts = result.argv ? &result : &progress->known;

		if (symbols && !profile_make(&profile, counts, symbols_find, symbols)) {
			profile_demangle(&profile);
			print(progress, &profile);
		}
	}
	profile_release(&profile);
	result_release(&result);
}

static void print_now(struct progress *progress)
{
	const struct profile none = { 0 };
	struct shm run;
	const char *why;
	int error;

	error = shm_read(progress->memory, &run, &why);
	if (!error && run.nr_processes)
		show(progress, &run);
	else if (!error)
		print(progress, &none);
	shm_release(&run);
}

static void __attribute__((noreturn)) handle_requests(struct progress *progress, int requests)
{
	char pending[64];

	/* ignore the terminal's signals; do not forward the others as well (child.c) */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	/* print one line for all pending requests */
	while (read(requests, pending, sizeof(pending)) > 0)
		print_now(progress);
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
}

void progress_show(void *data)
{
	struct progress *progress = data;

	if (!progress->child)
		start_child(progress);
	/* if the child has crashed, the next call starts another one */
	if (progress->child &&
	    send(progress->requests, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
	    errno != EAGAIN)
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
	free(progress);
}
