/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the names of the code are that a process has made: files that its runtime writes while it
 * runs or when it exits.
 */
#ifndef PROFIL_JIT_SOURCE_H
#define PROFIL_JIT_SOURCE_H

#include <stdint.h>
#include <sys/types.h>

#include "record/jit_names.h"

#define JIT_SOURCE_SECONDS	5	/* for all files of a process */

/**
 * struct jit_source - a process whose files are read
 * @root:          its root directory; -1: not opened
 * @user:          its user, to whom the files must belong
 * @number:        its process ID in its own namespace, of which the map is named
 * @since_s:       when it started, in seconds since 1970. An older file is of a process that had
 *                 the same ID before
 * @parent_number: of the process that it was forked from; 0: none. Its code is in both
 * @parent_since_s: when that one started
 * @dump:          path of the dump that it has mapped (jit_dump_is()); NULL: none
 */
struct jit_source {
	pid_t pid;
	int root;
	uid_t user;
	pid_t number;
	int64_t since_s;
	pid_t parent_number;
	int64_t parent_since_s;
	char *dump;
};

/**
 * jit_source_find - find out what the files of a process are called
 * @source:  filled in, except @dump and @root
 * @parent:  the process that it was forked from, and whose program it runs; 0: none
 *
 * If the process is gone, its files are taken to be those of a process of this user, in this
 * process's namespace, that has started since @since_s.
 */
void jit_source_find(struct jit_source *source, pid_t pid, pid_t parent, int64_t since_s);

/*
 * Open the root directory of a process. It is kept open, as files are read after the process has
 * ended. If the process is gone, this process's root directory is taken, if both are in the same
 * namespace.
 */
void jit_source_open(struct jit_source *source);

/*
 * Read the names of a process. The files are /tmp/perf-PID.map and the dump. Only regular files of
 * the process's user are read, and no symbolic links are followed to them. A file system of that
 * user may not answer, so a child process reads them, for JIT_SOURCE_SECONDS at most. Return: 0; or
 * -errno, and there are no names.
 */
int jit_source_read(const struct jit_source *source, struct jit_names *names);

/* Close the root directory, and free the path. */
void jit_source_release(struct jit_source *source);

#endif /* PROFIL_JIT_SOURCE_H */
