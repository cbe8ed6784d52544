// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples in code that programs have made. Their addresses say nothing without the process:
 * so the names are found for each process, and then samples are added up by name.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/jit.h"
#include "record/jit_dump.h"
#include "util/base_name.h"

void jit_init(struct jit *jit)
{
	memset(jit, 0, sizeof(*jit));
	jit->since_s = time(NULL);
	jit->begun_ns = time_ns(CLOCK_MONOTONIC);
}

static void free_function(void *data)
{
	struct jit_function *function = data;

	counts_release(&function->counts);
	free(function->name);
	free(function);
}

static void free_unlinked(struct jit_process *process)
{
	jit_source_release(&process->source);
	counts_release(&process->counts);
	free(process);
}

static void free_process(struct jit *jit, struct jit_process *process)
{
	*process->link = process->next;
	if (process->next)
		process->next->link = process->link;
	jit->nr_roots -= process->source.root >= 0;
	free_unlinked(process);
}

void jit_release(struct jit *jit)
{
	while (jit->processes) {
		struct jit_process *process = jit->processes;

		jit->processes = process->next;
		free_unlinked(process);
	}
	while (jit->programs) {
		struct jit_program *program = jit->programs;

		jit->programs = program->next;
		tdestroy(program->functions, free_function);
		counts_release(&program->nameless);
		free(program->name);
		free(program);
	}
}

/* Return: 0; or -ENOMEM, and @process is still NULL. */
static int need_process(struct jit *jit, struct jit_process **process)
{
	if (*process)
		return 0;
	*process = calloc(1, sizeof(**process));
	if (!*process)
		return -ENOMEM;
	(*process)->source.root = -1;
	(*process)->next = jit->processes;
	(*process)->link = &jit->processes;
	if (jit->processes)
		jit->processes->link = &(*process)->next;
	jit->processes = *process;
	return 0;
}

/* Return: NULL: no memory. */
static struct jit_program *need_program(struct jit *jit, const char *name)
{
	struct jit_program *program = jit->programs;

	while (program && strcmp(program->name, name))
		program = program->next;
	if (program)
		return program;
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	program->name = strdup(name);
	if (!program->name) {
		free(program);
		return NULL;
	}
	program->next = jit->programs;
	jit->programs = program;
	return program;
}

int jit_map(struct jit *jit, struct jit_process **process, const char *path)
{
	char *copy;

	if (!jit_dump_is(path))
		return 0;
	copy = strdup(path);
	if (!copy || need_process(jit, process)) {
		free(copy);
		return -ENOMEM;
	}
	free((*process)->source.dump);
	(*process)->source.dump = copy;
	return 0;
}

static void open_root(struct jit *jit, struct jit_process *process)
{
	if (process->source.root >= 0 || jit->nr_roots == JIT_ROOTS)
		return;
	jit_source_open(&process->source);
	jit->nr_roots += process->source.root >= 0;
}

int jit_count(struct jit *jit, struct jit_process **process, pid_t pid, pid_t parent,
	      const char *program, const struct result_part *part)
{
	if (need_process(jit, process))
		return -ENOMEM;
	if (!(*process)->program) {
		(*process)->program = need_program(jit, base_name(program));
		if (!(*process)->program)
			return -ENOMEM;
		jit_source_find(&(*process)->source, pid, parent, jit->since_s);
		open_root(jit, *process);
	}
	return counts_add(&(*process)->counts, part);
}

static int compare_functions(const void *va, const void *vb)
{
	const struct jit_function *a = va, *b = vb;

	return strcmp(a->name, b->name);
}

/* Return: NULL: no memory. */
static struct jit_function *need_function(struct jit_program *program,
					  const struct jit_name *name)
{
	const struct jit_function key = { .name = (char *)name->name };
	struct jit_function **found = tfind(&key, &program->functions, compare_functions);
	struct jit_function *function;

	if (found)
		return *found;
	function = calloc(1, sizeof(*function));
	if (!function)
		return NULL;
	function->name = strdup(name->name);
	function->start = name->start;
	if (!function->name || !tsearch(function, &program->functions, compare_functions)) {
		free_function(function);
		return NULL;
	}
	program->nr_functions++;
	return function;
}

static int add_named(struct jit_program *program, const struct jit_name *name,
		     const struct result_part *part)
{
	struct jit_function *function = need_function(program, name);
	const uint64_t offset = name->pc - name->start;

	if (!function)
		return -ENOMEM;
	return counts_add_at(&function->counts, offset <= JIT_MAX_OFFSET ? offset : 0, part);
}

/* Move the samples that have names to the program, and keep the others. @counts: of the process */
static int apply_names(struct jit_process *process, const struct jit_names *names,
		       const struct counts *counts)
{
	size_t i;

	for (i = 0; i < names->nr; i++) {
		const struct jit_name *name = &names->of[i];
		int error = name->name ?
			    add_named(process->program, name, &counts->parts[i]) :
			    counts_add(&process->counts, &counts->parts[i]);

		if (error)
			return error;
	}
	return 0;
}

/* Read the names of a process, unless this has taken too long. Return: as jit_source_read(). */
static int read_names(struct jit *jit, const struct jit_process *process, struct jit_names *names)
{
	const uint64_t start = time_ns(CLOCK_MONOTONIC);
	int error;

	if (jit->spent_ns > JIT_MOST_NS + (start - jit->begun_ns) / JIT_SHARE)
		return -ETIMEDOUT;
	error = jit_source_read(&process->source, names);
	jit->spent_ns += time_ns(CLOCK_MONOTONIC) - start;
	return error;
}

/* Find names for the samples of a process. There may be none. */
static int find_names(struct jit *jit, struct jit_process *process)
{
	struct counts counts;
	struct jit_names names;
	int error;
	size_t i;

	if (!process->counts.nr)
		return 0;
	open_root(jit, process);
	if (counts_sort(&process->counts) || jit_names_new(&names, process->counts.nr))
		return -ENOMEM;
	for (i = 0; i < names.nr; i++)
		names.of[i].pc = process->counts.parts[i].address;
	error = read_names(jit, process, &names);
	/* without names, the samples stay as they are */
	if (error) {
		error = 0;
		goto out;
	}
	counts = process->counts;
	memset(&process->counts, 0, sizeof(process->counts));
	error = apply_names(process, &names, &counts);
	counts_release(&counts);
out:
	jit_names_release(&names);
	return error;
}

struct walk {
	void (*call)(void *data, struct counts *counts);
	void *data;
};

static void call_for_function(const void *node, VISIT visit, void *data)
{
	struct jit_function *function = *(struct jit_function *const *)node;
	const struct walk *walk = data;

	if (visit == postorder || visit == leaf)
		walk->call(walk->data, &function->counts);
}

void jit_each_counts(struct jit *jit, void (*call)(void *data, struct counts *counts), void *data)
{
	struct walk walk = { call, data };
	struct jit_process *process;
	struct jit_program *program;

	for (process = jit->processes; process; process = process->next)
		call(data, &process->counts);
	for (program = jit->programs; program; program = program->next) {
		call(data, &program->nameless);
		twalk_r(program->functions, call_for_function, &walk);
	}
}

int jit_read_names(struct jit *jit)
{
	struct jit_process *process;
	int error = 0;

	for (process = jit->processes; !error && process; process = process->next)
		error = find_names(jit, process);
	return error;
}

int jit_end(struct jit *jit, struct jit_process **process)
{
	struct jit_process *ended = *process;
	int error;

	if (!ended)
		return 0;
	*process = NULL;
	error = find_names(jit, ended);
	if (!error && ended->counts.nr)
		error = counts_add_all(&ended->program->nameless, &ended->counts);
	free_process(jit, ended);
	return error;
}
