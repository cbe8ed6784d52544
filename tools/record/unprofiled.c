// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs of a run into which libprofil-run.so was not loaded, seen in /proc.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/unprofiled.h"
#include "result/result.h"
#include "util/time_ns.h"

#define LIBRARY		"libprofil-run.so"

/*
 * The dynamic linker may not have loaded the library yet when a program is first seen: so
 * many looks make sure.
 */
#define LOOKS		2

/**
 * struct seen - a process
 * @pid:      process ID
 * @round:    of the look at which it was last there
 * @birth:    when it was started, which tells it from another of the same number
 * @stack:    where its first stack is: another program has it elsewhere
 * @comm:     its name, for where @stack may not be known
 * @profiled: its program has the library
 * @looks:    at this program, up to LOOKS
 * @before_ns: CPU time that it had used when this program was not yet there
 * @cpu_ns:   when it was seen last
 * @path:     of its program; NULL: it is profiled
 */
struct seen {
	pid_t pid;
	unsigned int round;
	unsigned long long birth;
	unsigned long long stack;
	char comm[17];
	bool profiled;
	unsigned int looks;
	uint64_t before_ns;
	uint64_t cpu_ns;
	char *path;
};

struct unprofiled {
	uint64_t first_ns;		/* when the first look was due, in CLOCK_MONOTONIC */
	uint64_t used_ns;		/* CPU time of looks */
	void *seen;			/* tree of struct seen, by pid */
	unsigned int round;
	struct unprofiled_program *programs;
	size_t nr_programs;
};

/* What /proc/PID/stat has of a process */
struct stat_line {
	char comm[17];
	char state;
	unsigned int threads;
	unsigned long long birth;
	unsigned long long stack;
};

struct unprofiled *unprofiled_new(void)
{
	return calloc(1, sizeof(struct unprofiled));
}

static int compare_pids(const void *va, const void *vb)
{
	const struct seen *a = va, *b = vb;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

/* Whatever is in the name of a process, the last bracket is behind it. */
static bool read_stat(pid_t pid, struct stat_line *line)
{
	FILE *file = open_proc(pid, "stat");
	char text[1024] = "", *name, *rest;

	if (!file)
		return false;
	/* a name may have any character but 0, also the end of a line */
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	name = strchr(text, '(');
	rest = strrchr(text, ')');
	if (!name || !rest)
		return false;
	*rest = 0;
	snprintf(line->comm, sizeof(line->comm), "%s", name + 1);
	/* fields 3 to 28, of which 3, 20, 22 and 28 are wanted */
	return sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %u %*d %llu %*u %*d %*u %*u %*u %llu",
		      &line->state, &line->threads, &line->birth, &line->stack) == 4;
}

static bool has_library(pid_t pid)
{
	FILE *maps = open_proc(pid, "maps");
	bool found = false;
	char *line = NULL;
	size_t size = 0;

	while (maps && !found && getline(&line, &size, maps) > 0)
		found = strstr(line, "/" LIBRARY);
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

static char *read_path(pid_t pid, const char *comm)
{
	char link[64], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return strdup(*comm ? comm : "[unknown]");
	path[length] = 0;
	return strdup(path);
}

static struct unprofiled_program *find_program(struct unprofiled *unprofiled,
					       const char *path)
{
	struct unprofiled_program *more;
	size_t i;

	for (i = 0; i < unprofiled->nr_programs; i++)
		if (!strcmp(unprofiled->programs[i].path, path))
			return &unprofiled->programs[i];
	/* what others use is in no program */
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

static void add(struct unprofiled *unprofiled, const char *path, uint64_t cpu_ns)
{
	struct unprofiled_program *program = find_program(unprofiled, path);

	if (!program)
		return;
	program->processes++;
	program->cpu_ns += cpu_ns;
}

/* The program of a process has ended. */
static void end_program(struct unprofiled *unprofiled, struct seen *seen)
{
	if (seen->path && seen->looks == LOOKS)
		add(unprofiled, seen->path, seen->cpu_ns - seen->before_ns);
	free(seen->path);
	seen->path = NULL;
}

static bool is_same_program(const struct seen *seen, const struct stat_line *line)
{
	return seen->birth == line->birth && seen->stack == line->stack &&
	       !strcmp(seen->comm, line->comm);
}

static void begin_program(struct unprofiled *unprofiled, struct seen *seen,
			  const struct stat_line *line)
{
	end_program(unprofiled, seen);
	/* another process of that number, or another program of this one */
	if (seen->birth != line->birth)
		seen->cpu_ns = 0;
	seen->before_ns = seen->cpu_ns;
	seen->birth = line->birth;
	seen->stack = line->stack;
	memcpy(seen->comm, line->comm, sizeof(seen->comm));
	seen->profiled = false;
	seen->looks = 0;
}

/* It has ended, and waits for its parent: it has no memory left that shows its program. */
static bool is_over(const struct stat_line *line)
{
	return line->state == 'Z' || line->state == 'X';
}

static void look_at_cpu(struct seen *seen)
{
	uint64_t cpu_ns = time_cpu_ns(seen->pid);

	/* 0: it is gone meanwhile */
	if (cpu_ns > seen->cpu_ns)
		seen->cpu_ns = cpu_ns;
}

static void look_at_program(struct seen *seen)
{
	if (!seen->profiled && seen->looks < LOOKS) {
		seen->profiled = has_library(seen->pid);
		seen->looks++;
	}
	if (seen->profiled) {
		free(seen->path);
		seen->path = NULL;
	} else if (!seen->path) {
		seen->path = read_path(seen->pid, seen->comm);
	}
	look_at_cpu(seen);
}

static struct seen *find_process(struct unprofiled *unprofiled, pid_t pid)
{
	const struct seen key = { .pid = pid };
	struct seen **found = tfind(&key, &unprofiled->seen, compare_pids), *new;

	if (found)
		return *found;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->pid = pid;
	if (tsearch(new, &unprofiled->seen, compare_pids))
		return new;
	free(new);
	return NULL;
}

/* Processes that are to be looked at in this round */
struct queue {
	pid_t *pids;
	size_t nr;
	size_t room;
};

static void put(struct queue *queue, pid_t pid)
{
	if (queue->nr == queue->room) {
		size_t room = queue->room ? 2 * queue->room : 64;
		pid_t *more = reallocarray(queue->pids, room, sizeof(*more));

		if (!more)
			return;
		queue->pids = more;
		queue->room = room;
	}
	queue->pids[queue->nr++] = pid;
}

static void put_children(struct queue *queue, pid_t pid, const char *thread)
{
	char name[64];
	FILE *children;
	int child;

	snprintf(name, sizeof(name), "task/%s/children", thread);
	children = open_proc(pid, name);
	while (children && fscanf(children, "%d", &child) == 1)
		put(queue, child);
	if (children)
		fclose(children);
}

static void put_children_of_threads(struct queue *queue, pid_t pid, unsigned int threads)
{
	struct dirent *entry;
	char name[32];
	DIR *tasks;

	if (threads < 2) {
		snprintf(name, sizeof(name), "%d", pid);
		put_children(queue, pid, name);
		return;
	}
	snprintf(name, sizeof(name), "/proc/%d/task", pid);
	tasks = opendir(name);
	while (tasks && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			put_children(queue, pid, entry->d_name);
	if (tasks)
		closedir(tasks);
}

static void look(struct unprofiled *unprofiled, struct queue *queue, pid_t pid)
{
	struct stat_line line;
	struct seen *seen;

	if (!read_stat(pid, &line))
		return;
	seen = find_process(unprofiled, pid);
	if (!seen || seen->round == unprofiled->round)
		return;
	/* a new process of an old number, whose parent is none of ours, is not known here */
	seen->round = unprofiled->round;
	if (is_over(&line)) {
		if (seen->birth == line.birth)
			look_at_cpu(seen);
		return;
	}
	if (!is_same_program(seen, &line))
		begin_program(unprofiled, seen, &line);
	look_at_program(seen);
	put_children_of_threads(queue, pid, line.threads);
}

/* The tree's nodes as a list */
struct list {
	struct seen **all;
	size_t nr;
	unsigned int round;	/* only those that were not seen in it */
};

static void add_to_list(const void *node, VISIT which, void *data)
{
	struct seen *seen = *(struct seen *const *)node;
	struct list *list = data;
	struct seen **more;

	if ((which != postorder && which != leaf) || seen->round == list->round)
		return;
	more = reallocarray(list->all, list->nr + 1, sizeof(*more));
	if (!more)
		return;
	list->all = more;
	more[list->nr++] = seen;
}

static struct list list_unseen(const struct unprofiled *unprofiled, unsigned int round)
{
	struct list list = { .round = round };

	twalk_r(unprofiled->seen, add_to_list, &list);
	return list;
}

static void forget(struct unprofiled *unprofiled, struct seen *seen)
{
	end_program(unprofiled, seen);
	tdelete(seen, &unprofiled->seen, compare_pids);
	free(seen);
}

/* Whether it is there still: its parent has ended, and init has adopted it. */
static bool is_alive(const struct seen *seen)
{
	struct stat_line line;

	return read_stat(seen->pid, &line) && line.birth == seen->birth;
}

void unprofiled_look(struct unprofiled *unprofiled, pid_t pid)
{
	struct queue queue = { 0 };
	struct list unseen;
	size_t next = 0, i;

	unprofiled->round++;
	put(&queue, pid);
	/* none is in it that was there before, but for those without a parent */
	unseen = list_unseen(unprofiled, unprofiled->round);
	for (i = 0; i < unseen.nr; i++)
		if (is_alive(unseen.all[i]))
			put(&queue, unseen.all[i]->pid);
	free(unseen.all);
	while (next < queue.nr)
		look(unprofiled, &queue, queue.pids[next++]);
	free(queue.pids);
	unseen = list_unseen(unprofiled, unprofiled->round);
	for (i = 0; i < unseen.nr; i++)
		forget(unprofiled, unseen.all[i]);
	free(unseen.all);
}

void unprofiled_look_if_due(struct unprofiled *unprofiled, pid_t pid)
{
	uint64_t began = time_ns(CLOCK_PROCESS_CPUTIME_ID), time = time_ns(CLOCK_MONOTONIC);

	if (!unprofiled->first_ns)
		unprofiled->first_ns = time;
	if (unprofiled->used_ns > UNPROFILED_FIRST_NS +
				  (time - unprofiled->first_ns) / UNPROFILED_SHARE)
		return;
	unprofiled_look(unprofiled, pid);
	unprofiled->used_ns += time_ns(CLOCK_PROCESS_CPUTIME_ID) - began;
}

static int compare_cpu(const void *va, const void *vb)
{
	const struct unprofiled_program *a = va, *b = vb;

	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns > b->cpu_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

void unprofiled_end(struct unprofiled *unprofiled, pid_t pid, const char *path,
		    bool was_profiled, uint64_t cpu_ns)
{
	const struct seen key = { .pid = pid };
	struct seen **found = tfind(&key, &unprofiled->seen, compare_pids);
	struct list all;
	size_t i;

	if (found && (*found)->path) {
		(*found)->cpu_ns = cpu_ns > (*found)->before_ns ? cpu_ns : (*found)->before_ns;
		if (!was_profiled)
			(*found)->looks = LOOKS;
	} else if (!was_profiled && path) {
		add(unprofiled, path, cpu_ns);
	}
	all = list_unseen(unprofiled, unprofiled->round + 1);
	for (i = 0; i < all.nr; i++)
		forget(unprofiled, all.all[i]);
	free(all.all);
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
	unprofiled_end(unprofiled, 0, NULL, true, 0);
	for (i = 0; i < unprofiled->nr_programs; i++)
		free(unprofiled->programs[i].path);
	free(unprofiled->programs);
	free(unprofiled);
}
