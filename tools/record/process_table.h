/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes of a recording: those that exist now, by process ID, and a row for each program
 * that one of them ran.
 */
#ifndef PROFIL_PROCESS_TABLE_H
#define PROFIL_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/log_record.h"
#include "record/spaces.h"
#include "record/threads.h"
#include "result/result.h"

#define PROCESS_TABLE_ROWS	65536		/* most rows; further processes are summed up */
#define PROCESS_TABLE_PAGE	2048		/* process IDs in a part of the table */

#define PROCESS_NO_ROW		SIZE_MAX

struct file;
struct late_sample;
struct jit_process;

/**
 * struct process - a process
 * @parent:     that of its parent; 0: unknown
 * @comm:       name of its main thread when it executed its program; "": unknown
 * @base_ns:    CPU time that it had used when it was attached; the times in rows do not include it
 * @space:      its mappings; NULL: it must not be sampled
 * @before:     between EXEC and RUN: the mappings of the program before; else NULL
 * @row:        index of the row of its program; PROCESS_NO_ROW: none
 * @is_unlisted: it runs a program that has no row, as there were too many
 * @unlisted_ns: if @is_unlisted: its CPU time when it began to run that program
 * @unprofiled: if @space is NULL: index of its program in the list of these programs
 * @denied_ns:  if @space is NULL: its CPU time when it began to run that program
 * @forked:     the process that executed its program, and forked it or its ancestors; 0: itself
 * @jit:        code that it has made; NULL: none was sampled. The owner of the table ends it
 *              before the process is removed
 * @round:      when its /proc/PID/maps was read last
 * @program:    file of its program; NULL: unknown. Not owned
 * @losses:     number of lost records up to which its own are complete (after_loss.h)
 * @late:       samples that wait
 * @threads:    its threads with samples, in the program of @row
 */
struct process {
	pid_t pid;
	pid_t parent;
	char comm[16];
	uint64_t base_ns;
	struct space *space;
	struct space *before;
	size_t row;
	bool is_unlisted;
	uint64_t unlisted_ns;
	size_t unprofiled;
	uint64_t denied_ns;
	pid_t forked;
	struct jit_process *jit;
	unsigned int round;
	const struct file *program;
	uint64_t losses;
	struct late_sample *late;
	struct process_threads threads;
};

/**
 * struct attached_process - a process that ran already when it was attached
 * @base_ns: CPU time that it had used before, in ns
 * @cpu_ns:  CPU time since, when it was last read, in ns
 * @has_ended: the log has its end: another process may have the ID
 */
struct attached_process {
	pid_t pid;
	bool has_ended;
	uint64_t base_ns;
	uint64_t cpu_ns;
};

/**
 * struct process_sum - some programs together
 * @cpu_ns: their CPU time, in ns
 */
struct process_sum {
	uint64_t nr;
	uint64_t cpu_ns;
};

/**
 * struct process_table - all processes; all zero if empty
 * @pages:    the processes that exist, by process ID; NULL: none
 * @rows:     in the order in which the programs were started
 * @attached: the processes that ran already; they stay here after their end
 * @nr_attached: number of these
 * @attached_pages: the numbers of those that have not ended, by process ID, counted from 1
 * @limit:    most rows; 0: PROCESS_TABLE_ROWS
 * @unlisted: number of programs that have no row, as there were too many, or as their process IDs
 *            are not visible
 * @unlisted_ended: those of @unlisted that have ended
 * @unlisted_alive: others of @unlisted, up to the last process_table_read_times()
 */
struct process_table {
	struct process **pages[LOG_RECORD_PIDS / PROCESS_TABLE_PAGE];
	struct result_process *rows;
	size_t nr_rows;
	size_t limit;
	struct attached_process *attached;
	size_t nr_attached;
	uint32_t *attached_pages[LOG_RECORD_PIDS / PROCESS_TABLE_PAGE];
	uint64_t unlisted;
	struct process_sum unlisted_ended;
	struct process_sum unlisted_alive;
};

/* Free the memory. */
void process_table_release(struct process_table *table);

/**
 * process_table_find - find a process
 * @pid:   0 to LOG_RECORD_PIDS - 1
 *
 * Return: the process, valid until it is removed, or one with its ID is added; or NULL.
 */
struct process *process_table_find(const struct process_table *table, pid_t pid);

/**
 * process_table_add - add a process without a row
 * @pid:   0 to LOG_RECORD_PIDS - 1; a process with the same ID is removed
 * @space: its mappings; this takes over the reference. NULL: no memory
 *
 * Return: the process; NULL: no memory.
 */
struct process *process_table_add(struct process_table *table, pid_t pid, struct space *space);

/* Remove a process; its rows stay. */
void process_table_remove(struct process_table *table, struct process *process);

/**
 * process_table_attach - keep the CPU time of a process that runs already
 * @pid:     process ID; not attached now
 * @base_ns: CPU time that it has used so far
 *
 * Return: 0 or -ENOMEM.
 */
int process_table_attach(struct process_table *table, pid_t pid, uint64_t base_ns);

/**
 * process_table_detach - an attached process has ended, perhaps just now, so another one may get its ID.
 *                        Its CPU time is read
 * @pid:   process ID; need not be attached
 */
void process_table_detach(struct process_table *table, pid_t pid);

/*
 * How long an attached process has run. Return: CPU time since it was attached, up to the last
 * process_table_read_attached(), in ns; 0: it was not attached.
 */
uint64_t process_table_attached_ns(const struct process_table *table, pid_t pid);

/* How long all attached processes have run. Return: sum of process_table_attached_ns(). */
uint64_t process_table_all_attached_ns(const struct process_table *table);

/* Read the CPU time of the attached processes. */
void process_table_read_attached(struct process_table *table);

/**
 * process_table_start - begin a row: a process runs another program
 * @program: its program; copied
 * @is_fork: a forked child that runs its parent's program
 * @cpu_ns:  CPU time of the process so far
 *
 * Return: 0 or -ENOMEM.
 */
int process_table_start(struct process_table *table, struct process *process,
			const char *program, bool is_fork, uint64_t cpu_ns);

/**
 * process_table_restart - samples of a program start only here, after its row has begun
 * @cpu_ns:  CPU time of the process so far
 */
void process_table_restart(struct process_table *table, struct process *process, uint64_t cpu_ns);

/**
 * process_table_end - end a row: the process has ended, or runs another program from now on
 * @process: in the table; has no row afterwards
 * @cpu_ns:  CPU time of the process so far
 */
void process_table_end(struct process_table *table, struct process *process, uint64_t cpu_ns);

/*
 * Read the CPU time of the processes that have not ended. Their rows, or @unlisted_alive, get the
 * CPU time so far, as if they had ended.
 */
void process_table_read_times(struct process_table *table);

/* Find the row of a process. Return: the row, valid until a row begins; NULL: it has none. */
struct result_process *process_table_row(const struct process_table *table,
					 const struct process *process);

/**
 * process_table_name - set the program of a process's row
 * @program: path of the program; copied
 *
 * Return: 0 or -ENOMEM.
 */
int process_table_name(struct process_table *table, const struct process *process,
		       const char *program);

/**
 * process_table_set_argv - set the command line of a process's row
 * @argv:    the command and its arguments, terminated by NULL; NULL: no memory. This takes it over
 *
 * Return: 0 or -ENOMEM.
 */
int process_table_set_argv(struct process_table *table, const struct process *process, char **argv);

/**
 * process_table_switch - begin another row, as the program turns out to be another one
 * @program: its program; copied
 *
 * When it began to run that is unknown: the new row has all CPU time since the start of the old.
 *
 * Return: 0 or -ENOMEM.
 */
int process_table_switch(struct process_table *table, struct process *process,
			 const char *program);

#endif /* PROFIL_PROCESS_TABLE_H */
