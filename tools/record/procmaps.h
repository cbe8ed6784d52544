/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_PROCMAPS_H
#define PROFIL_PROCMAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/files.h"

/**
 * struct procmaps_entry - a mapping
 * @end:    first address after it, above @start
 * @offset: of @start in the file, in bytes
 * @inode:  of the file; 0: no file
 * @major:  device of the file's file system
 * @minor:  device of the file's file system
 * @path:   path of the file, or a name in brackets; "": neither
 */
struct procmaps_entry {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	uint32_t major;
	uint32_t minor;
	const char *path;
};

/**
 * procmaps_parse - parse a line
 * @line:  the line, with or without a newline; changed
 * @entry: filled in; @path is in @line
 *
 * Return: whether it is a mapping of executable memory.
 */
bool procmaps_parse(char *line, struct procmaps_entry *entry);

/**
 * procmaps_copy - copy the lines of the executable mappings of a process
 * @error: on error, set to -errno: -ESRCH: it has ended; -EACCES: no permission
 *
 * Return: the lines, to be freed with free(); NULL: an error.
 */
char *procmaps_copy(pid_t pid, int *error);

/**
 * procmaps_each - call a function for all executable mappings
 * @text: from procmaps_copy(); changed
 * @add:  gets @data and the mapping; returns 0 or -errno, which ends the calls
 * @data: argument of @add
 *
 * Return: 0, or an error of @add.
 */
int procmaps_each(char *text, int (*add)(void *data, const struct procmaps_entry *entry),
		  void *data);

/* The same for a process. Return: 0; an error of procmaps_copy() or of @add. */
int procmaps_read(pid_t pid, int (*add)(void *data, const struct procmaps_entry *entry),
		  void *data);

/**
 * procmaps_has - whether a process has a mapping of a file, executable or not
 * @key: the file: its device and inode
 */
bool procmaps_has(pid_t pid, const struct file_key *key);

#endif /* PROFIL_PROCMAPS_H */
