// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes of a recording. The table by process ID has two levels, so that a process of a
 * sample is found in a few instructions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/process_table.h"
#include "util/array.h"
#include "util/time_ns.h"

#define NR_PAGES	(LOG_RECORD_PIDS / PROCESS_TABLE_PAGE)

static struct process **slot_of(const struct process_table *table, pid_t pid)
{
	struct process **page = table->pages[pid / PROCESS_TABLE_PAGE];

	return page ? &page[pid % PROCESS_TABLE_PAGE] : NULL;
}

struct process *process_table_find(const struct process_table *table, pid_t pid)
{
	struct process **slot = slot_of(table, pid);

	return slot ? *slot : NULL;
}

void process_table_remove(struct process_table *table, struct process *process)
{
	*slot_of(table, process->pid) = NULL;
	space_put(process->space);
	space_put(process->before);
	threads_forget(&process->threads);
	free(process);
}

struct process *process_table_add(struct process_table *table, pid_t pid, struct space *space)
{
	struct process ***page = &table->pages[pid / PROCESS_TABLE_PAGE];
	struct process *process = calloc(1, sizeof(*process)), *old;

	if (!*page)
		*page = calloc(PROCESS_TABLE_PAGE, sizeof(**page));
	if (!process || !*page || !space) {
		free(process);
		space_put(space);
		return NULL;
	}
	old = process_table_find(table, pid);
	if (old)
		process_table_remove(table, old);
	process->pid = pid;
	process->space = space;
	process->row = PROCESS_NO_ROW;
	*slot_of(table, pid) = process;
	return process;
}

struct result_process *process_table_row(const struct process_table *table,
					 const struct process *process)
{
	return process->row == PROCESS_NO_ROW ? NULL : &table->rows[process->row];
}

/*
 * Where the number of the attached process with an ID is, counted from 1; 0: there is none.
 * Return: NULL: no memory; or without @must, there is none.
 */
static uint32_t *attached_slot(struct process_table *table, pid_t pid, bool must)
{
	uint32_t **page = &table->attached_pages[pid / PROCESS_TABLE_PAGE];

	if (!*page && must)
		*page = calloc(PROCESS_TABLE_PAGE, sizeof(**page));
	return *page ? &(*page)[pid % PROCESS_TABLE_PAGE] : NULL;
}

int process_table_attach(struct process_table *table, pid_t pid, uint64_t base_ns)
{
	uint32_t *slot = attached_slot(table, pid, true);
	struct attached_process *last;

	if (!slot)
		return -ENOMEM;
	last = array_append(table->attached, table->nr_attached);
	if (!last)
		return -ENOMEM;
	*last = (struct attached_process){
		.pid = pid,
		.base_ns = base_ns,
	};
	*slot = (uint32_t)table->nr_attached;
	return 0;
}

uint64_t process_table_attached_ns(const struct process_table *table, pid_t pid)
{
	size_t i;

	for (i = 0; i < table->nr_attached; i++) {
		if (table->attached[i].pid == pid)
			return table->attached[i].cpu_ns;
	}
	return 0;
}

uint64_t process_table_all_attached_ns(const struct process_table *table)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < table->nr_attached; i++)
		sum += table->attached[i].cpu_ns;
	return sum;
}

/* @pid: of a process that has not ended. Return: NULL: it was not attached. */
static struct attached_process *find_attached(struct process_table *table, pid_t pid)
{
	const uint32_t *slot = attached_slot(table, pid, false);

	return slot && *slot ? &table->attached[*slot - 1] : NULL;
}

static void note_time(struct attached_process *attached, uint64_t cpu_ns)
{
	if (cpu_ns > attached->base_ns + attached->cpu_ns)
		attached->cpu_ns = cpu_ns - attached->base_ns;
}

/*
 * A process that has been reaped has no clock. The record of its exit has its CPU time, which may
 * lack what it used since its last tick, so the larger one counts.
 */
void process_table_detach(struct process_table *table, pid_t pid)
{
	struct attached_process *attached = find_attached(table, pid);

	if (!attached)
		return;
	note_time(attached, time_cpu_ns(pid));
	attached->has_ended = true;
	*attached_slot(table, pid, false) = 0;
}

void process_table_read_attached(struct process_table *table)
{
	size_t i;

	for (i = 0; i < table->nr_attached; i++)
		if (!table->attached[i].has_ended)
			note_time(&table->attached[i], time_cpu_ns(table->attached[i].pid));
}

static int reserve_row(struct process_table *table)
{
	struct result_process *rows = array_with_room(table->rows, table->nr_rows,
						      sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	table->rows = rows;
	return 0;
}

/* Return: @b - @a; 0 if that is negative, as the kernel may know a time to a tick only. */
static uint64_t difference(uint64_t a, uint64_t b)
{
	return b > a ? b - a : 0;
}

int process_table_start(struct process_table *table, struct process *process,
			const char *program, bool is_fork, uint64_t cpu_ns)
{
	char *copy;

	process->row = PROCESS_NO_ROW;
	threads_forget(&process->threads);
	if (table->nr_rows == (table->limit ? table->limit : PROCESS_TABLE_ROWS)) {
		process->is_unlisted = true;
		process->unlisted_ns = cpu_ns;
		table->unlisted++;
		return 0;
	}
	copy = strdup(program);
	if (!copy || reserve_row(table)) {
		free(copy);
		return -ENOMEM;
	}
	process->row = table->nr_rows++;
	table->rows[process->row] = (struct result_process){
		.pid = process->pid,
		.parent = process->parent,
		.program = copy,
		.is_fork = is_fork,
		.start_cpu_ns = difference(process->base_ns, cpu_ns),
	};
	return 0;
}

void process_table_restart(struct process_table *table, struct process *process, uint64_t cpu_ns)
{
	struct result_process *row = process_table_row(table, process);

	if (row)
		row->start_cpu_ns = difference(process->base_ns, cpu_ns);
	else
		process->unlisted_ns = cpu_ns;
}

/* Add the CPU time of an unlisted program. */
static void add_unlisted(struct process_sum *sum, const struct process *process, uint64_t cpu_ns)
{
	sum->nr++;
	/* without what it used before it was attached */
	sum->cpu_ns += difference(process->unlisted_ns > process->base_ns ?
				  process->unlisted_ns : process->base_ns, cpu_ns);
}

static void read_unlisted_times(struct process_table *table)
{
	struct process *process;
	size_t page, i;
	uint64_t cpu_ns;

	memset(&table->unlisted_alive, 0, sizeof(table->unlisted_alive));
	for (page = 0; page < NR_PAGES; page++) {
		for (i = 0; table->pages[page] && i < PROCESS_TABLE_PAGE; i++) {
			process = table->pages[page][i];
			cpu_ns = process && process->is_unlisted ? time_cpu_ns(process->pid) : 0;
			if (cpu_ns)
				add_unlisted(&table->unlisted_alive, process, cpu_ns);
		}
	}
}

static void set_end(struct result_process *row, const struct process *process, uint64_t cpu_ns)
{
	row->has_ended = true;
	row->cpu_ns = difference(process->base_ns + row->start_cpu_ns, cpu_ns);
}

void process_table_read_times(struct process_table *table)
{
	size_t i;

	for (i = 0; i < table->nr_rows; i++) {
		struct process *process = process_table_find(table, table->rows[i].pid);
		uint64_t cpu_ns;

		if (!process || process->row != i)
			continue;
		cpu_ns = time_cpu_ns(process->pid);
		if (cpu_ns)
			set_end(&table->rows[i], process, cpu_ns);
	}
	if (table->unlisted)
		read_unlisted_times(table);
}

void process_table_end(struct process_table *table, struct process *process, uint64_t cpu_ns)
{
	struct result_process *row = process_table_row(table, process);
	struct attached_process *attached = find_attached(table, process->pid);

	if (attached)
		note_time(attached, cpu_ns);
	if (process->is_unlisted)
		add_unlisted(&table->unlisted_ended, process, cpu_ns);
	process->is_unlisted = false;
	if (!row)
		return;
	set_end(row, process, cpu_ns);
	process->row = PROCESS_NO_ROW;
	threads_forget(&process->threads);
}

int process_table_switch(struct process_table *table, struct process *process,
			 const char *program)
{
	const struct result_process *row = process_table_row(table, process);
	const uint64_t cpu_ns = process->base_ns + (row ? row->start_cpu_ns : 0);

	process_table_end(table, process, cpu_ns);
	return process_table_start(table, process, program, false, cpu_ns);
}

int process_table_name(struct process_table *table, const struct process *process,
		       const char *program)
{
	struct result_process *row = process_table_row(table, process);
	char *copy;

	if (!row)
		return 0;
	copy = strdup(program);
	if (!copy)
		return -ENOMEM;
	free(row->program);
	row->program = copy;
	return 0;
}

int process_table_set_argv(struct process_table *table, const struct process *process, char **argv)
{
	struct result_process *row = process_table_row(table, process);

	if (row) {
		result_free_argv(row->argv);
		row->argv = argv;
	} else {
		result_free_argv(argv);
	}
	return argv ? 0 : -ENOMEM;
}

void process_table_release(struct process_table *table)
{
	size_t page, i;

	for (page = 0; page < NR_PAGES; page++) {
		for (i = 0; table->pages[page] && i < PROCESS_TABLE_PAGE; i++)
			if (table->pages[page][i])
				process_table_remove(table, table->pages[page][i]);
		free(table->pages[page]);
		free(table->attached_pages[page]);
	}
	for (i = 0; i < table->nr_rows; i++) {
		free(table->rows[i].program);
		result_free_argv(table->rows[i].argv);
	}
	free(table->rows);
	free(table->attached);
}
