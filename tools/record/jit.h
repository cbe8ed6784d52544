/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples in code that programs have made, "[jit]": by process while it runs, and by program
 * and function once the names are known. jit_objects.h makes objects of them.
 */
#ifndef PROFIL_JIT_H
#define PROFIL_JIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/counts.h"
#include "record/jit_source.h"
#include "util/time_ns.h"

/* Root directories that are open at a time; fewer than the files that a process may open */
#define JIT_ROOTS	256

/* So long is waited for all files that have names, besides a share of the time that the run takes */
#define JIT_MOST_NS	(NS_PER_S * 3 * JIT_SOURCE_SECONDS)
#define JIT_SHARE	20

/**
 * struct jit_function - a function of a program
 * @start:  where it was seen first
 * @counts: samples; their addresses are offsets, at most JIT_MAX_OFFSET
 *
 * Code that was compiled again, or by another process, is elsewhere, and is the same function.
 */
struct jit_function {
	char *name;
	uint64_t start;
	struct counts counts;
};

#define JIT_MAX_OFFSET	((uint64_t)1 << 30)	/* a map may have functions of any size */

/**
 * struct jit_program - a program that has made code
 * @functions:    tree of its functions, by name
 * @nameless:     samples that will get no name, by address
 */
struct jit_program {
	char *name;
	void *functions;
	size_t nr_functions;
	struct counts nameless;
	struct jit_program *next;
};

/**
 * struct jit_process - a process that has made code
 * @source:  where the names are, once @program is set
 * @program: the program; NULL: no samples yet
 * @counts:  samples that have no name so far, by exact address
 * @link:    what points to this one
 */
struct jit_process {
	struct jit_source source;
	struct jit_program *program;
	struct counts counts;
	struct jit_process *next;
	struct jit_process **link;
};

/**
 * struct jit - all made code
 * @programs:  list of programs that have samples
 * @processes: list of processes that have not ended
 * @nr_roots:  number of open root directories
 * @begun_ns:  when the recording was begun
 * @spent_ns:  how long was waited for files. Meanwhile nobody reads the log
 * @since_s:   start of the recording, in seconds since 1970
 */
struct jit {
	struct jit_program *programs;
	struct jit_process *processes;
	size_t nr_roots;
	uint64_t begun_ns;
	uint64_t spent_ns;
	int64_t since_s;
};

/* Begin without code. */
void jit_init(struct jit *jit);

/* Free the memory, also of the processes. */
void jit_release(struct jit *jit);

/**
 * jit_map - note that a process has mapped a file
 * @process: its pointer to its code, which may be NULL, and is set if the file is a dump
 * @path:    path of the file, as the process sees it
 *
 * Return: 0 or -ENOMEM.
 */
int jit_map(struct jit *jit, struct jit_process **process, const char *path);

/**
 * jit_count - add samples
 * @process: its pointer to its code, which may be NULL, and is set
 * @parent:  the process that it was forked from, and whose program it runs; 0: none
 * @part:    samples; its address is the pc
 *
 * With the first sample of a process, its root directory is opened, so that its files can be read
 * after its end.
 *
 * Return: 0 or -ENOMEM.
 */
int jit_count(struct jit *jit, struct jit_process **process, pid_t pid, pid_t parent,
	      const char *program, const struct result_part *part);

/* Call a function for each table of samples. */
void jit_each_counts(struct jit *jit, void (*call)(void *data, struct counts *counts), void *data);

/*
 * Find the names of the samples of all processes so far. Call this before a result of running
 * processes. Later, other code may be at an address. Samples without a name stay, as some runtimes
 * write their names when they exit. Return: 0 or -ENOMEM.
 */
int jit_read_names(struct jit *jit);

/**
 * jit_end - a process has ended, or runs another program from now on: find its names
 * @process: its pointer to its code, which may be NULL, and is set to NULL
 *
 * Return: 0 or -ENOMEM.
 */
int jit_end(struct jit *jit, struct jit_process **process);

#endif /* PROFIL_JIT_H */
