// SPDX-License-Identifier: GPL-2.0-only
/*
 * Observes in /proc the programs of a run into which libprofil-run.so is not loaded.
 */
#define _GNU_SOURCE
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/procfs.h"
#include "record/unprofiled.h"
#include "result/result.h"
#include "util/time_ns.h"

#define LIBRARY		"/libprofil-run.so"

/*
 * A program counts as unprofiled if none of this many scans finds the library. At the first one,
 * the dynamic linker may not have loaded it yet.
 */
#define SCANS		2

/**
 * struct observed - an observed process
 * @pid:      process ID
 * @scan:     number of the last scan that found it
 * @birth:    its start time, which distinguishes it from an earlier process with the same ID
 * @stack:    start of its stack, which differs after exec
 * @comm:     its name, in case @stack cannot be read
 * @profiled: its program has loaded the library
 * @scans:    number of scans of this program, up to SCANS
 * @before_ns: CPU time that the process had used before it executed this program
 * @cpu_ns:   CPU time of the process at the last scan
 * @path:     path of its program; NULL: it is profiled
 */
struct observed {
	pid_t pid;
	unsigned int scan;
	unsigned long long birth;
	unsigned long long stack;
	char comm[17];
	bool profiled;
	unsigned int scans;
	uint64_t before_ns;
	uint64_t cpu_ns;
	char *path;
};

struct unprofiled {
	uint64_t first_ns;		/* time of the first scan, in CLOCK_MONOTONIC */
	uint64_t used_ns;		/* CPU time of all scans */
	void *processes;		/* tree of struct observed, by pid */
	unsigned int scan;		/* number of the last scan */
	struct unprofiled_program *programs;
	size_t nr_programs;
};

struct unprofiled *unprofiled_new(void)
{
	return calloc(1, sizeof(struct unprofiled));
}

/* --- programs ----------------------------------------------------------------- */

static struct unprofiled_program *find_program(struct unprofiled *unprofiled,
					       const char *path)
{
	struct unprofiled_program *more;
	size_t i;

	for (i = 0; i < unprofiled->nr_programs; i++)
		if (!strcmp(unprofiled->programs[i].path, path))
			return &unprofiled->programs[i];
	/* further programs are left out */
	if (i == RESULT_MAX_UNPROFILED)
		return NULL;
	more = reallocarray(unprofiled->programs, i + 1, sizeof(*more));
	if (!more)
		return NULL;
	unprofiled->programs = more;
	more[i] = (struct unprofiled_program){ .path = strdup(path) };
	if (!more[i].path)
		return NULL;
	unprofiled->nr_programs++;
	return &more[i];
}

static void add_to_program(struct unprofiled *unprofiled, const char *path, uint64_t cpu_ns)
{
	struct unprofiled_program *program = find_program(unprofiled, path);

	if (!program)
		return;
	program->processes++;
	program->cpu_ns += cpu_ns;
}

/* The process has ended, or executes another program. */
static void end_program(struct unprofiled *unprofiled, struct observed *process)
{
	if (process->path && process->scans == SCANS)
		add_to_program(unprofiled, process->path, process->cpu_ns - process->before_ns);
	free(process->path);
	process->path = NULL;
}

static bool is_same_program(const struct observed *process, const struct procfs_stat *stat)
{
	return process->birth == stat->birth && process->stack == stat->stack &&
	       !strcmp(process->comm, stat->comm);
}

static void begin_program(struct unprofiled *unprofiled, struct observed *process,
			  const struct procfs_stat *stat)
{
	end_program(unprofiled, process);
	/* a new process with the ID of an old one */
	if (process->birth != stat->birth)
		process->cpu_ns = 0;
	process->before_ns = process->cpu_ns;
	process->birth = stat->birth;
	process->stack = stat->stack;
	memcpy(process->comm, stat->comm, sizeof(process->comm));
	process->profiled = false;
	process->scans = 0;
}

/* --- processes ---------------------------------------------------------------- */

static int compare_pids(const void *va, const void *vb)
{
	const struct observed *a = va, *b = vb;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static struct observed *find_process(struct unprofiled *unprofiled, pid_t pid)
{
	const struct observed key = { .pid = pid };
	struct observed **found = tfind(&key, &unprofiled->processes, compare_pids), *new;

	if (found)
		return *found;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->pid = pid;
	if (tsearch(new, &unprofiled->processes, compare_pids))
		return new;
	free(new);
	return NULL;
}

static void remove_process(struct unprofiled *unprofiled, struct observed *process)
{
	end_program(unprofiled, process);
	tdelete(process, &unprofiled->processes, compare_pids);
	free(process);
}

/* The nodes of the tree as a list */
struct process_list {
	struct observed **all;
	size_t nr;
	unsigned int scan;	/* only those that this scan did not find */
};

static void add_to_list(const void *node, VISIT which, void *data)
{
	struct observed *process = *(struct observed *const *)node;
	struct process_list *list = data;
	struct observed **more;

	if ((which != postorder && which != leaf) || process->scan == list->scan)
		return;
	more = reallocarray(list->all, list->nr + 1, sizeof(*more));
	if (!more)
		return;
	list->all = more;
	more[list->nr++] = process;
}

static struct process_list list_not_found(const struct unprofiled *unprofiled, unsigned int scan)
{
	struct process_list list = { .scan = scan };

	twalk_r(unprofiled->processes, add_to_list, &list);
	return list;
}

/* --- scanning ----------------------------------------------------------------- */

/* Return: path of the program, to free(); its name if the path is unknown; NULL: no memory. */
static char *read_path(const struct observed *process)
{
	char *path = procfs_read_exe(process->pid);

	return path ? path : strdup(*process->comm ? process->comm : "[unknown]");
}

static void update_cpu_time(struct observed *process)
{
	uint64_t cpu_ns = time_cpu_ns(process->pid);

	/* 0: the process no longer exists */
	if (cpu_ns > process->cpu_ns)
		process->cpu_ns = cpu_ns;
}

static void update_program(struct observed *process)
{
	if (!process->profiled && process->scans < SCANS) {
		process->profiled = procfs_has_library(process->pid, LIBRARY);
		process->scans++;
	}
	if (process->profiled) {
		free(process->path);
		process->path = NULL;
	} else if (!process->path) {
		process->path = read_path(process);
	}
	update_cpu_time(process);
}

/* A zombie has no memory from which its program could be read. */
static bool has_ended(const struct procfs_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X';
}

static void scan_process(struct unprofiled *unprofiled, struct procfs_list *queue, pid_t pid)
{
	struct observed *process;
	struct procfs_stat stat;

	if (!procfs_read_stat(pid, &stat))
		return;
	process = find_process(unprofiled, pid);
	if (!process || process->scan == unprofiled->scan)
		return;
	process->scan = unprofiled->scan;
	if (has_ended(&stat)) {
		if (process->birth == stat.birth)
			update_cpu_time(process);
		return;
	}
	if (!is_same_program(process, &stat))
		begin_program(unprofiled, process, &stat);
	update_program(process);
	procfs_list_add_children(queue, pid, stat.threads);
}

/* Whether this is still the same process */
static bool is_alive(const struct observed *process)
{
	struct procfs_stat stat;

	return procfs_read_stat(process->pid, &stat) && stat.birth == process->birth;
}

void unprofiled_scan(struct unprofiled *unprofiled, pid_t pid)
{
	struct procfs_list queue = { 0 };
	struct process_list known;
	size_t next = 0, i;

	unprofiled->scan++;
	procfs_list_add(&queue, pid);
	/* known processes too: those whose parent has ended are children of init */
	known = list_not_found(unprofiled, unprofiled->scan);
	for (i = 0; i < known.nr; i++)
		if (is_alive(known.all[i]))
			procfs_list_add(&queue, known.all[i]->pid);
	free(known.all);
	while (next < queue.nr)
		scan_process(unprofiled, &queue, queue.pids[next++]);
	free(queue.pids);
	known = list_not_found(unprofiled, unprofiled->scan);
	for (i = 0; i < known.nr; i++)
		remove_process(unprofiled, known.all[i]);
	free(known.all);
}

void unprofiled_scan_if_due(struct unprofiled *unprofiled, pid_t pid)
{
	uint64_t start = time_ns(CLOCK_PROCESS_CPUTIME_ID), time = time_ns(CLOCK_MONOTONIC);

	if (!unprofiled->first_ns)
		unprofiled->first_ns = time;
	if (unprofiled->used_ns > UNPROFILED_INITIAL_NS +
				  (time - unprofiled->first_ns) / UNPROFILED_CPU_SHARE)
		return;
	unprofiled_scan(unprofiled, pid);
	unprofiled->used_ns += time_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static int compare_cpu(const void *va, const void *vb)
{
	const struct unprofiled_program *a = va, *b = vb;

	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns > b->cpu_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

void unprofiled_finish(struct unprofiled *unprofiled, pid_t pid, const char *path,
		       bool was_profiled, uint64_t cpu_ns)
{
	const struct observed key = { .pid = pid };
	struct observed **found = tfind(&key, &unprofiled->processes, compare_pids);
	struct process_list rest;
	size_t i;

	if (found && (*found)->path) {
		(*found)->cpu_ns = cpu_ns > (*found)->before_ns ? cpu_ns : (*found)->before_ns;
		if (!was_profiled)
			(*found)->scans = SCANS;
	} else if (!was_profiled && path) {
		add_to_program(unprofiled, path, cpu_ns);
	}
	rest = list_not_found(unprofiled, unprofiled->scan + 1);
	for (i = 0; i < rest.nr; i++)
		remove_process(unprofiled, rest.all[i]);
	free(rest.all);
	if (unprofiled->nr_programs)
		qsort(unprofiled->programs, unprofiled->nr_programs,
		      sizeof(*unprofiled->programs), compare_cpu);
}

const struct unprofiled_program *unprofiled_programs(const struct unprofiled *unprofiled,
						     size_t *nr)
{
	*nr = unprofiled->nr_programs;
	return unprofiled->programs;
}

void unprofiled_free(struct unprofiled *unprofiled)
{
	size_t i;

	if (!unprofiled)
		return;
	unprofiled_finish(unprofiled, 0, NULL, true, 0);
	for (i = 0; i < unprofiled->nr_programs; i++)
		free(unprofiled->programs[i].path);
	free(unprofiled->programs);
	free(unprofiled);
}
