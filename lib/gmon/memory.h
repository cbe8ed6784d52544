/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_MEMORY_H
#define PROFIL_GMON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "gmon/object.h"

/*
 * The memory of the profile: the structure, and zeroed memory for counters and arcs. fd: a file in
 * memory, which is mapped; -1: the memory is private. A forked child finds the latter zeroed.
 * Return: 0 or -errno.
 */
int profil_gmon_memory_map(struct profil_gmon_profile **profile, size_t bytes, int fd);

/* The size of the file for @bytes of counters and arcs. */
size_t profil_gmon_memory_size(size_t bytes);

/* The size of what is mapped. */
size_t profil_gmon_memory_bytes(void);

/* Zeroed memory, aligned for any type; NULL: there is no more. Never freed alone. */
void *profil_gmon_memory_take(size_t bytes);

/* Map another file, or zeroed private memory (-1), at the same addresses. Return: 0 or -errno. */
int profil_gmon_memory_replace(int fd);

#endif /* PROFIL_GMON_MEMORY_H */
