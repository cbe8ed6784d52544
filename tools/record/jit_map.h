/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The map in which a runtime lists the code that it has made: /tmp/perf-PID.map.
 */
#ifndef PROFIL_JIT_MAP_H
#define PROFIL_JIT_MAP_H

#include "record/jit_names.h"

#define JIT_MAP_BYTES	((uint64_t)256 << 20)	/* of a larger file, the end is read */

/**
 * jit_map_read - find the names of addresses in a map
 * @fd:    a regular file with any contents, which may change meanwhile
 * @names: gets the names; addresses that have one keep it
 *
 * A line is "START SIZE NAME", with hexadecimal numbers that may begin with 0x. The name ends
 * with the line, and may have spaces. Other lines are skipped. Of lines that overlap, the last
 * counts, as memory is used again.
 *
 * Errors end the reading; what was found until then counts.
 */
void jit_map_read(int fd, struct jit_names *names);

#endif /* PROFIL_JIT_MAP_H */
