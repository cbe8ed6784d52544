// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who used the CPU time of a run, as a table: its processes, threads or programs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/confidence.h"
#include "profile/share.h"
#include "report/columns.h"
#include "report/owners.h"
#include "report/report_json.h"
#include "util/time_ns.h"

#define UNLISTED	"(unlisted)"

/* A row */
struct owner {
	const char *program;	/* path of its program */
	bool is_fork;		/* a child made by fork() that runs its parent's program */
	char *const *argv;	/* command line of a process; NULL: unknown */
	const char *thread;	/* name of a thread; NULL: unknown */
	int32_t pid;		/* its process ID; 0: it has none, or several */
	int32_t parent;		/* process ID of its parent */
	int32_t tid;
	uint64_t processes;	/* number of processes that ran the program */
	bool has_cpu_ns;	/* @cpu_ns is known */
	uint64_t cpu_ns;	/* CPU time, in ns */
	uint64_t samples;
	uint64_t system;	/* how many of these are in the kernel */
};

/* The rows */
struct owners {
	struct owner *rows;		/* in the order of their start */
	size_t nr;			/* number of rows */
	const struct owner **all;	/* the rows, most samples first */
	uint64_t samples;		/* selected samples of the run */
};

static int compare_starts(const struct owner *a, const struct owner *b)
{
	return a < b ? -1 : a > b;
}

static int compare_samples(const void *va, const void *vb)
{
	const struct owner *const *a = va, *const *b = vb;

	if ((*a)->samples != (*b)->samples)
		return (*a)->samples > (*b)->samples ? -1 : 1;
	return compare_starts(*a, *b);
}

static int compare_programs(const void *va, const void *vb)
{
	const struct owner *const *a = va, *const *b = vb;
	int order = strcmp((*a)->program, (*b)->program);

	return order ? order : compare_samples(a, b);
}

static const char *thread_name(const struct owner *owner)
{
	return result_text(owner->thread) ? : RESULT_UNKNOWN;
}

static int compare_threads(const void *va, const void *vb)
{
	const struct owner *const *a = va, *const *b = vb;
	int order = strcmp(thread_name(*a), thread_name(*b));

	return order ? order : compare_samples(a, b);
}

static int compare_pids(const void *va, const void *vb)
{
	const struct owner *const *a = va, *const *b = vb;

	if ((*a)->pid != (*b)->pid)
		return (*a)->pid < (*b)->pid ? -1 : 1;
	if ((*a)->tid != (*b)->tid)
		return (*a)->tid < (*b)->tid ? -1 : 1;
	return compare_starts(*a, *b);
}

static struct owner make_process(const struct result_process *process)
{
	return (struct owner){
		.program = process->program,
		.is_fork = process->is_fork,
		.argv = process->argv,
		.pid = process->pid,
		.parent = process->parent,
		.processes = 1,
		.has_cpu_ns = process->has_ended,
		.cpu_ns = process->cpu_ns,
		.samples = process->samples,
		.system = process->system,
	};
}

/* All that are not among the @nr rows @listed */
static struct owner make_unlisted(const struct result *result, const struct owner *listed,
				  size_t nr)
{
	struct owner owner = {
		.program = UNLISTED,
		.thread = UNLISTED,
		.processes = result->unlisted_processes,
		.has_cpu_ns = result->unlisted_ended,
		.cpu_ns = result->unlisted_cpu_ns,
		.samples = result_samples(result),
		.system = result_system_samples(result),
	};
	size_t i;

	for (i = 0; i < nr; i++) {
		owner.samples -= listed[i].samples;
		owner.system -= listed[i].system;
	}
	return owner;
}

static struct owner make_thread(const struct result *result, const struct result_thread *thread)
{
	struct owner owner = { .program = UNLISTED };

	if (thread->process != RESULT_NO_PROCESS)
		owner = make_process(&result->processes[thread->process]);
	owner.thread = thread->name;
	owner.tid = thread->tid;
	owner.has_cpu_ns = thread->has_cpu_ns;
	owner.cpu_ns = thread->cpu_ns;
	owner.samples = thread->samples;
	owner.system = thread->system;
	return owner;
}

/* Add up the rows of each program, which become its first. */
static void merge_programs(struct owners *owners)
{
	struct owner *to = NULL;
	size_t i;

	for (i = 0; i < owners->nr; i++)
		owners->all[i] = &owners->rows[i];
	qsort(owners->all, owners->nr, sizeof(*owners->all), compare_programs);
	for (i = 0; i < owners->nr; i++) {
		struct owner *owner = (struct owner *)owners->all[i];

		if (!to || strcmp(to->program, owner->program)) {
			to = owner;
			continue;
		}
		to->processes += owner->processes;
		/* the sum of what is known */
		to->has_cpu_ns |= owner->has_cpu_ns;
		to->cpu_ns += owner->cpu_ns;
		to->samples += owner->samples;
		to->system += owner->system;
		*owner = (struct owner){ .program = owner->program };
	}
}

static void owners_release(struct owners *owners)
{
	free(owners->rows);
	free(owners->all);
}

/* Return: 0; -ENOMEM: then, too, owners_release() is due. */
static int make_owners(struct owners *owners, const struct result *result, enum table_by by)
{
	const size_t room = (by == TABLE_BY_THREAD ? result->nr_threads : result->nr_processes) + 1;
	size_t i, nr = 0;

	*owners = (struct owners){
		.rows = calloc(room, sizeof(*owners->rows)),
		.all = calloc(room, sizeof(*owners->all)),
		.samples = result_samples(result),
	};
	if (!owners->rows || !owners->all)
		return -ENOMEM;
	for (i = 0; by == TABLE_BY_THREAD && i < result->nr_threads; i++)
		owners->rows[nr++] = make_thread(result, &result->threads[i]);
	for (i = 0; by != TABLE_BY_THREAD && i < result->nr_processes; i++)
		owners->rows[nr++] = make_process(&result->processes[i]);
	owners->rows[nr] = make_unlisted(result, owners->rows, nr);
	owners->nr = nr + (owners->rows[nr].processes || owners->rows[nr].samples);
	if (by == TABLE_BY_PROGRAM)
		merge_programs(owners);
	return 0;
}

/* List the rows that can be shown. @is_part: only those with samples */
static void sort_by_samples(struct owners *owners, bool is_part)
{
	size_t i, nr = 0;

	for (i = 0; i < owners->nr; i++) {
		const struct owner *owner = &owners->rows[i];

		if (is_part ? owner->samples : owner->samples || owner->processes)
			owners->all[nr++] = owner;
	}
	owners->nr = nr;
	qsort(owners->all, nr, sizeof(*owners->all), compare_samples);
}

static double row_percent(const void *of, size_t i)
{
	const struct owners *owners = of;

	return share_percent(owners->all[i]->samples, owners->samples);
}

/* The texts are last: they may have any length and contain blanks. */
enum { PERCENT, SECONDS, SAMPLES, SYSTEM, INTERVAL, PID, PARENT, PROCESSES, TID, THREAD, PROGRAM,
	ARGUMENTS, NR_COLUMNS };

static void set_id(struct columns *table, size_t column, int32_t id)
{
	if (id)
		columns_set(table, column, "%" PRId32, id);
	else
		columns_set(table, column, "-");
}

/* The program's name is in a column of its own. */
static void set_arguments(struct columns *table, char *const *argv)
{
	char *text = NULL;
	size_t length, i;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return;
	for (i = 1; argv && argv[0] && argv[i]; i++)
		fprintf(out, "%s%s", i > 1 ? " " : "", argv[i]);
	if (!fclose(out))
		columns_set(table, ARGUMENTS, "%s", text);
	free(text);
}

static void add_row(struct columns *table, const struct result *result, uint64_t all,
		    const struct owner *owner)
{
	const double percent = share_percent(owner->samples, all);
	const struct interval interval = confidence_share(owner->samples, all);

	columns_add_row(table, TERMINAL_PLAIN, percent / 100);
	columns_set(table, PERCENT, "%.2f", percent);
	columns_set(table, SAMPLES, "%" PRIu64, owner->samples);
	columns_set(table, INTERVAL, "%.2f..%.2f", 100 * interval.low, 100 * interval.high);
	columns_set(table, SYSTEM, "%.1f", share_percent(owner->system, owner->samples));
	if (owner->has_cpu_ns)
		columns_set(table, SECONDS, "%.*f", table_decimals(result->rate),
			    (double)owner->cpu_ns / NS_PER_S);
	else
		columns_set(table, SECONDS, "-");
	set_id(table, PID, owner->pid);
	set_id(table, PARENT, owner->parent);
	set_id(table, TID, owner->tid);
	columns_set(table, PROCESSES, "%" PRIu64, owner->processes);
	columns_set(table, THREAD, "%s", thread_name(owner));
	columns_set(table, PROGRAM, "%s%s", owner->program, owner->is_fork ? " (fork)" : "");
	set_arguments(table, owner->argv);
}

/* A row for those that are not shown. @rest: the first of these */
static void add_rest(struct columns *table, const struct result *result,
		     const struct owners *owners, const struct owner *const *rest, size_t nr,
		     enum table_by by)
{
	static const char *const names[][2] = {
		[TABLE_BY_PROCESS] = { "process", "processes" },
		[TABLE_BY_THREAD] = { "thread", "threads" },
		[TABLE_BY_PROGRAM] = { "program", "programs" },
	};
	struct owner sum = { .thread = "" };
	char program[64];
	size_t i;

	snprintf(program, sizeof(program), "(%zu more %s)", nr, names[by][nr != 1]);
	sum.program = program;
	for (i = 0; i < nr; i++) {
		sum.processes += rest[i]->processes;
		/* the sum of what is known */
		sum.has_cpu_ns |= rest[i]->has_cpu_ns;
		sum.cpu_ns += rest[i]->cpu_ns;
		sum.samples += rest[i]->samples;
		sum.system += rest[i]->system;
	}
	add_row(table, result, owners->samples, &sum);
}

/* Print the lines below the table. */
static int print_notes(FILE *out, const struct result *result, bool is_complete,
		       const struct table_options *options)
{
	int error = 0;

	if (!is_complete && options->more)
		error = terminal_print_comment(out, &options->style, "# %s", options->more);
	if (!error && result->unlisted_processes)
		error = terminal_print_comment(out, &options->style,
					       "# " UNLISTED ": %" PRIu64 " process%s, as the list is full or process IDs are not visible",
					       result->unlisted_processes, result->unlisted_processes == 1 ? "" : "es");
	return error;
}

/* The columns of each kind of table; NULL: all of them */
static bool has_column(enum table_by by, size_t column)
{
	switch (column) {
	case PARENT:
	case ARGUMENTS:
		return by == TABLE_BY_PROCESS;
	case TID:
	case THREAD:
		return by == TABLE_BY_THREAD;
	case PID:
		return by != TABLE_BY_PROGRAM;
	case PROCESSES:
		return by == TABLE_BY_PROGRAM;
	default:
		return true;
	}
}

/* @all: number of owners, of which the first ones are shown */
static int print_rows(FILE *out, const struct result *result, const struct owners *owners,
		      size_t all, const struct table_options *options)
{
	struct column columns[NR_COLUMNS] = {
		[PERCENT] = { .title = "percent" },
		[SECONDS] = { .title = "CPU seconds", .priority = 6 },
		[SAMPLES] = { .title = "samples", .priority = 5 },
		[SYSTEM] = { .title = "system%", .priority = 2 },
		[INTERVAL] = { "95%-interval", COLUMN_TEXT, .priority = 1 },
		[PID] = { .title = "pid", .priority = 4 },
		[PARENT] = { .title = "parent", .priority = 3 },
		[PROCESSES] = { .title = "processes", .priority = 4 },
		[TID] = { .title = "tid", .priority = 3 },
		[THREAD] = { "thread", COLUMN_TEXT },
		[PROGRAM] = { "program", COLUMN_PATH, .min_width = 16 },
		[ARGUMENTS] = { "arguments", COLUMN_FUNCTION, .min_width = 16, .priority = 1 },
	};
	struct columns table;
	size_t i;

	for (i = 0; i < NR_COLUMNS; i++)
		if (!has_column(options->by, i))
			columns[i].title = NULL;
	columns_begin(&table, columns, NR_COLUMNS, owners->nr + 1);
	for (i = 0; i < owners->nr; i++)
		add_row(&table, result, owners->samples, owners->all[i]);
	if (owners->nr < all)
		add_rest(&table, result, owners, owners->all + owners->nr, all - owners->nr,
			 options->by);
	return columns_print(out, &table, &options->style);
}

/*
 * List the rows that are shown, in their order. The others follow them.
 *
 * @all: set to the number of all rows
 *
 * Return: 0; -ENOMEM: then, too, owners_release() is due.
 */
static int show(struct owners *owners, size_t *all, const struct result *result,
		const struct table_options *options)
{
	static int (*const compare[])(const void *va, const void *vb) = {
		[PROFILE_BY_SAMPLES] = compare_samples,
		[PROFILE_BY_NAME] = compare_programs,
		[PROFILE_BY_OBJECT] = compare_programs,
		[PROFILE_BY_ADDRESS] = compare_pids,
	};
	int error = make_owners(owners, result, options->by);

	if (error)
		return error;
	sort_by_samples(owners, options->is_part);
	*all = owners->nr;
	owners->nr = table_count_shown(*all, options->top, options->min_percent, row_percent,
				       owners);
	qsort(owners->all, owners->nr, sizeof(*owners->all),
	      options->by == TABLE_BY_THREAD && options->order == PROFILE_BY_NAME ?
	      compare_threads : compare[options->order]);
	return 0;
}

int owners_print(FILE *out, const struct result *result, const struct table_options *options)
{
	struct owners owners;
	size_t all;
	int error = show(&owners, &all, result, options);

	if (!error)
		error = print_rows(out, result, &owners, all, options);
	if (!error)
		error = print_notes(out, result, owners.nr == all, options);
	owners_release(&owners);
	return error;
}

/* Print a member that is null if it is not known. */
static void print_known(struct json *json, const char *name, bool is_known, uint64_t value)
{
	if (is_known)
		json_number(json, name, value);
	else
		json_string(json, name, NULL);
}

static void print_owner(struct json *json, const struct result *result, uint64_t all,
			const struct owner *owner, enum table_by by)
{
	json_enter(json, '{');
	json_string(json, "program", owner->program);
	if (by == TABLE_BY_THREAD) {
		json_string(json, "thread", result_text(owner->thread));
		print_known(json, "tid", owner->tid, (uint64_t)owner->tid);
	}
	if (by == TABLE_BY_PROGRAM)
		json_number(json, "processes", owner->processes);
	else
		print_known(json, "pid", owner->pid, (uint64_t)owner->pid);
	if (by == TABLE_BY_PROCESS) {
		print_known(json, "parent", owner->parent, (uint64_t)owner->parent);
		json_bool(json, "is_fork", owner->is_fork);
		json_texts(json, "command", owner->argv);
	}
	print_known(json, "cpu_ns", owner->has_cpu_ns, owner->cpu_ns);
	report_json_share(json, result, owner->samples, owner->system, all);
	json_leave(json, '}');
}

int owners_print_json(struct json *json, const struct result *result,
		      const struct table_options *options)
{
	struct owners owners;
	size_t all, i;
	int error = show(&owners, &all, result, options);

	if (error)
		goto out;
	json_number(json, "omitted", all - owners.nr);
	json_member(json, "rows");
	json_enter(json, '[');
	for (i = 0; i < owners.nr; i++) {
		json_next(json);
		print_owner(json, result, owners.samples, owners.all[i], options->by);
	}
	json_leave(json, ']');
out:
	owners_release(&owners);
	return error;
}
