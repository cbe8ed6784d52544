// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a run goes, in one line. The files that functions are looked up in are read once,
 * and again only if others have come.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collect.h"
#include "profile.h"
#include "progress.h"
#include "runfile.h"
#include "symbols.h"
#include "terminal.h"

#define COLUMNS		80	/* if the terminal does not tell, or there is none */
#define TOP		8	/* functions, if there is room */

/**
 * struct progress - what is kept from one time to the next
 * @memory:   of the run
 * @argv:     the command
 * @out:      where to
 * @terminal: whether that can be written over
 * @began:    when this was made, in s
 * @known:    the result that @symbols are of; no command: none is
 * @symbols:  of its objects
 */
struct progress {
	int memory;
	char *const *argv;
	FILE *out;
	bool terminal;
	double began;
	struct result known;
	struct symbols *symbols;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

struct progress *progress_new(int memory, char *const argv[], FILE *out)
{
	struct progress *progress = calloc(1, sizeof(*progress));

	if (!progress)
		return NULL;
	progress->memory = memory;
	progress->argv = argv;
	progress->out = out;
	progress->terminal = isatty(fileno(out));
	progress->began = now();
	return progress;
}

static bool has_same_objects(const struct result *a, const struct result *b)
{
	size_t i;

	if (!a->argv || a->nr_objects != b->nr_objects)
		return false;
	for (i = 0; i < a->nr_objects; i++)
		if (strcmp(a->objects[i].path, b->objects[i].path) ||
		    memcmp(a->objects[i].build_id, b->objects[i].build_id,
			   sizeof(a->objects[i].build_id)))
			return false;
	return true;
}

/* Takes @result, whatever becomes of it. Return: symbols that it can be looked up in. */
static struct symbols *symbols_of(struct progress *progress, struct result *result)
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

/* One more function, if it fits. Return: how many columns are used now. */
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

static void print(const struct progress *progress, const struct profile *profile)
{
	int most = terminal_style(progress->out, TERMINAL_AUTO).columns, used;
	size_t i;

	if (!most)
		most = COLUMNS;
	if (progress->terminal)
		fputc('\r', progress->out);
	used = fprintf(progress->out, "profil: %.1f s, %" PRIu64 " sample%s",
		       now() - progress->began, profile->samples,
		       profile->samples == 1 ? "" : "s");
	if (profile->nr_rows)
		used += fprintf(progress->out, ":");
	for (i = 0; i < profile->nr_rows && i < TOP && used < most; i++)
		used = print_row(progress->out, &profile->rows[i], used, most);
	/* what is left there of a longer line */
	fputs(progress->terminal ? "\033[K" : "\n", progress->out);
	fflush(progress->out);
}

static void show(struct progress *progress, const struct runfile *run)
{
	struct command_end so_far = { 0 };
	struct profile profile = { 0 };
	struct result result;

	if (!collect_result(&result, run, &so_far, progress->argv)) {
		struct symbols *symbols = symbols_of(progress, &result);
		const struct result *counts = result.argv ? &result : &progress->known;

		if (symbols && !profile_make(&profile, counts, symbols_find, symbols)) {
			profile_demangle(&profile);
			print(progress, &profile);
		}
	}
	profile_release(&profile);
	result_release(&result);
}

void progress_show(void *data)
{
	const struct profile none = { 0 };
	struct progress *progress = data;
	struct runfile run;
	const char *why;
	int error;

	error = runfile_read(progress->memory, &run, &why);
	if (!error && run.nr_processes)
		show(progress, &run);
	else if (!error)
		print(progress, &none);
	runfile_release(&run);
}

void progress_free(struct progress *progress)
{
	if (!progress)
		return;
	if (progress->terminal) {
		fputs("\r\033[K", progress->out);
		fflush(progress->out);
	}
	symbols_free(progress->symbols);
	result_release(&progress->known);
	free(progress);
}
