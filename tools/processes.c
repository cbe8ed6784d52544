// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes of a run as a table.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "confidence.h"
#include "processes.h"
#include "share.h"

#define NS_PER_S	1e9

/* In the order in which they started, where nothing else tells them apart */
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

/* All of them, those with most samples first. Return: them, or NULL: no memory. */
static const struct result_process **list(const struct result *result)
{
	const struct result_process **all;
	size_t i;

	all = calloc(result->nr_processes, sizeof(*all));
	if (!all)
		return NULL;
	for (i = 0; i < result->nr_processes; i++)
		all[i] = &result->processes[i];
	qsort(all, result->nr_processes, sizeof(*all), compare_samples);
	return all;
}

/* The processes, sorted */
struct sorted {
	const struct result_process **all;
	uint64_t samples;	/* of the run */
};

static double row_percent(const void *of, size_t i)
{
	const struct sorted *sorted = of;

	return share_percent(sorted->all[i]->samples, sorted->samples);
}

static void print_row(FILE *out, const struct result *result, uint64_t all,
		      const struct result_process *process,
		      const struct terminal_style *style)
{
	/* who can write into the counters can make them fewer than it was told */
	uint64_t samples = process->samples < all ? process->samples : all;
	struct interval interval = confidence_share(samples, all);

	if (process->has_told)
		fprintf(out, "  %7.2f %9" PRIu64 " %9" PRIu64, share_percent(process->samples, all),
			process->samples, process->lost);
	else
		fprintf(out, "  %7s %9s %9s", "-", "-", "-");
	if (process->has_ended)
		fprintf(out, " %11.*f", table_decimals(result->rate),
			(double)process->cpu_ns / NS_PER_S);
	else
		fprintf(out, " %11s", "-");
	fprintf(out, " %8" PRId32 " %8" PRId32 "  ", process->pid, process->parent);
	terminal_print_name(out, process->program);
	if (process->is_fork)
		fputs(" (fork)", out);
	if (process->has_told)
		fprintf(out, "  %.2f..%.2f", 100 * interval.low, 100 * interval.high);
	if (process->has_told && style->bars) {
		putc(' ', out);
		terminal_bar(out, style, share_percent(process->samples, all) / 100);
	}
	putc('\n', out);
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
	struct sorted sorted = { list(result), result_samples(result) };
	const struct result_process **all = sorted.all;
	size_t shown, i;

	if (!all)
		return -ENOMEM;
	shown = table_count_shown(result->nr_processes, options->top, options->min_percent,
				  row_percent, &sorted);
	qsort(all, shown, sizeof(*all), compare[options->order]);
	fprintf(out, "#\n# %7s %9s %9s %11s %8s %8s  program  95%%-interval\n",
		"percent", "samples", "lost", "CPU seconds", "pid", "parent");
	for (i = 0; i < shown; i++)
		print_row(out, result, sorted.samples, all[i], &options->style);
	if (shown < result->nr_processes)
		fprintf(out, "# and %zu more processes\n", result->nr_processes - shown);
	if (result->unlisted)
		fprintf(out, "# and %" PRIu64 " more for which there was no place: all samples of the run are in the\n"
			"# table by function\n", result->unlisted);
	free(all);
	return 0;
}
