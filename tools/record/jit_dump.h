/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dump in which a runtime writes the code that it has made: jit-PID.dump.
 */
#ifndef PROFIL_JIT_DUMP_H
#define PROFIL_JIT_DUMP_H

#include <stdbool.h>

#include "record/jit_names.h"

#define JIT_DUMP_RECORDS	1048576		/* functions that are read */

/*
 * Check whether a mapped file is a dump. A runtime maps its dump as executable memory, so that
 * profilers find it. Return: whether its name is jit-NUMBER.dump.
 */
bool jit_dump_is(const char *path);

/**
 * jit_dump_read - find the names of addresses in a dump
 * @fd:    a regular file with any contents, which may change meanwhile
 * @names: gets the names; addresses that have one keep it
 *
 * The dump must be of this machine's byte order. Of functions that overlap, the last counts. Code
 * that was moved keeps its name. An invalid record ends the reading; the functions before it
 * count.
 */
void jit_dump_read(int fd, struct jit_names *names);

#endif /* PROFIL_JIT_DUMP_H */
