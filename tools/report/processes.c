// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes of a run as a table.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/confidence.h"
#include "profile/share.h"
#include "report/columns.h"
#include "report/processes.h"
#include "util/time_ns.h"

/* Processes are listed in the order in which they started. */
static int compare_starts(const struct result_process *a, const struct result_process *b)
{
	return a < b ? -1 : a > b;
}

static int compare_samples(const void *va, const void *vb)
{
	const struct result_process *const *a = va, *const *b = vb;

	if ((*a)->samples != (*b)->samples)
		return (*a)->samples > (*b)->samples ? -1 : 1;
	return compare_starts(*a, *b);
}

static int compare_programs(const void *va, const void *vb)
{
	const struct result_process *const *a = va, *const *b = vb;
	int order = strcmp((*a)->program, (*b)->program);

	return order ? order : compare_samples(a, b);
}

static int compare_pids(const void *va, const void *vb)
{
	const struct result_process *const *a = va, *const *b = vb;

	if ((*a)->pid != (*b)->pid)
		return (*a)->pid < (*b)->pid ? -1 : 1;
	return compare_starts(*a, *b);
}

/**
 * struct sorted - the rows
 * @rows:    the processes in the order of their start, and a row for all unlisted ones
 * @nr:      number of rows
 * @all:     the rows, most samples first
 * @samples: of the run
 */
struct sorted {
	struct result_process *rows;
	size_t nr;
	const struct result_process **all;
	uint64_t samples;
};

static void sorted_release(struct sorted *sorted)
{
	free(sorted->rows);
	free(sorted->all);
}

/* Return: 0; -ENOMEM: then, too, sorted_release() is due. */
static int sort_by_samples(struct sorted *sorted, const struct result *result)
{
	static char others[] = "(unlisted)";
	size_t i;

	*sorted = (struct sorted){
		.rows = calloc(result->nr_processes + 1, sizeof(*sorted->rows)),
		.nr = result->nr_processes,
		.all = calloc(result->nr_processes + 1, sizeof(*sorted->all)),
		.samples = result_samples(result),
	};
	if (!sorted->rows || !sorted->all)
		return -ENOMEM;
	memcpy(sorted->rows, result->processes, sorted->nr * sizeof(*sorted->rows));
	if (result->unlisted_processes)
		sorted->rows[sorted->nr++] = (struct result_process){
			.program = others,
			.has_ended = result->unlisted_ended,
			.cpu_ns = result->unlisted_cpu_ns,
			.samples = result_unlisted_samples(result),
		};
	for (i = 0; i < sorted->nr; i++)
		sorted->all[i] = &sorted->rows[i];
	qsort(sorted->all, sorted->nr, sizeof(*sorted->all), compare_samples);
	return 0;
}

static double row_percent(const void *of, size_t i)
{
	const struct sorted *sorted = of;

	return share_percent(sorted->all[i]->samples, sorted->samples);
}

enum { PERCENT, SAMPLES, SECONDS, PID, PARENT, PROGRAM, INTERVAL, NR_COLUMNS };

static void add_row(struct columns *table, const struct result *result, uint64_t all,
		    const struct result_process *process)
{
	const double percent = share_percent(process->samples, all);
	/* a damaged file may have fewer samples than a process of it */
	uint64_t samples = process->samples < all ? process->samples : all;
	struct interval interval = confidence_share(samples, all);

	columns_add_row(table, TERMINAL_PLAIN, percent / 100);
	columns_set(table, PERCENT, "%.2f", percent);
	columns_set(table, SAMPLES, "%" PRIu64, process->samples);
	columns_set(table, INTERVAL, "%.2f..%.2f", 100 * interval.low, 100 * interval.high);
	if (process->has_ended)
		columns_set(table, SECONDS, "%.*f", table_decimals(result->rate),
			    (double)process->cpu_ns / NS_PER_S);
	else
		columns_set(table, SECONDS, "-");
	/* several processes have no process ID */
	if (process->pid) {
		columns_set(table, PID, "%" PRId32, process->pid);
		columns_set(table, PARENT, "%" PRId32, process->parent);
	} else {
		columns_set(table, PID, "-");
		columns_set(table, PARENT, "-");
	}
	columns_set(table, PROGRAM, "%s%s", process->program, process->is_fork ? " (fork)" : "");
}

static int print_omitted(FILE *out, const struct result *result, size_t omitted,
			 const struct table_options *options)
{
	int error = 0;

	if (omitted)
		error = terminal_print_comment(out, &options->style, "# %zu more process%s%s",
					       omitted, omitted == 1 ? "" : "es", options->more);
	if (!error && result->unlisted_processes)
		error = terminal_print_comment(out, &options->style,
					       "# (unlisted): %" PRIu64 " process%s, as the list is full or process IDs are not visible",
					       result->unlisted_processes, result->unlisted_processes == 1 ? "" : "es");
	return error;
}

int processes_print(FILE *out, const struct result *result,
		    const struct table_options *options)
{
	static int (*const compare[])(const void *va, const void *vb) = {
		[PROFILE_BY_SAMPLES] = compare_samples,
		[PROFILE_BY_NAME] = compare_programs,
		[PROFILE_BY_OBJECT] = compare_programs,
		[PROFILE_BY_ADDRESS] = compare_pids,
	};
	struct sorted sorted;
	static const struct column columns[NR_COLUMNS] = {
		[PERCENT] = { .title = "percent" },
		[SAMPLES] = { .title = "samples", .priority = 4 },
		[SECONDS] = { .title = "CPU seconds", .priority = 5 },
		[PID] = { .title = "pid", .priority = 3 },
		[PARENT] = { .title = "parent", .priority = 2 },
		[PROGRAM] = { "program", COLUMN_PATH, .min_width = 16 },
		[INTERVAL] = { "95%-interval", COLUMN_TEXT, .priority = 1 },
	};
	struct columns table;
	size_t shown, i;
	int error;

	if (sort_by_samples(&sorted, result)) {
		sorted_release(&sorted);
		return -ENOMEM;
	}
	shown = table_count_shown(sorted.nr, options->top, options->min_percent, row_percent,
				  &sorted);
	qsort(sorted.all, shown, sizeof(*sorted.all), compare[options->order]);
	columns_begin(&table, columns, NR_COLUMNS, shown);
	for (i = 0; i < shown; i++)
		add_row(&table, result, sorted.samples, sorted.all[i]);
	error = columns_print(out, &table, &options->style);
	if (!error)
		error = print_omitted(out, result, sorted.nr - shown, options);
	sorted_release(&sorted);
	return error;
}
