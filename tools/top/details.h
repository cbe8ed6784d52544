/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page of text about a row: the source or the instructions of a function, or the functions of a
 * thread or a program. A child process writes it, as it reads the files of the program.
 */
#ifndef PROFIL_TOP_DETAILS_H
#define PROFIL_TOP_DETAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "record/collect.h"
#include "record/recording.h"
#include "top/rows.h"

/**
 * struct details_run - the run so far
 * @recording: what the log has told
 * @log:       the log
 * @so_far:    state of the processes
 * @argv:      the command and its arguments, or those of a process
 */
struct details_run {
	const struct recording *recording;
	const struct collect_log *log;
	const struct child_end *so_far;
	char *const *argv;
};

/* What a page is about */
enum details_of {
	DETAILS_SOURCE,
	DETAILS_INSTRUCTIONS,
	DETAILS_THREAD,
	DETAILS_PROGRAM,
};

/**
 * struct details - a page; all zero: none
 * @child:  writes it; 0: it is written
 * @file:   where the child writes it
 * @text:   the page; its lines end in 0; NULL: not written yet
 * @bytes:  its length
 * @lines:  its lines
 * @nr:     number of lines
 */
struct details {
	pid_t child;
	int file;
	char *text;
	size_t bytes;
	char **lines;
	size_t nr;
};

/**
 * details_begin - begin to write a page
 * @details: all zero, or details_end()
 * @run:     the run
 * @of:      what it is about
 * @row:     the row
 * @columns: length of a line
 *
 * If it cannot be written, the page has the reason.
 */
void details_begin(struct details *details, const struct details_run *run, enum details_of of,
		   const struct row *row, int columns);

/**
 * details_look - look if the page is written
 * @details: details_begin()
 *
 * Return: whether there are new lines.
 */
bool details_look(struct details *details);

/**
 * details_end - end the child, and free the page
 * @details: any; set to zero
 */
void details_end(struct details *details);

#endif /* PROFIL_TOP_DETAILS_H */
