/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells a user at a terminal what is profiled, and how to end that: until then, nothing else may be
 * printed.
 */
#ifndef PROFIL_ANNOUNCE_H
#define PROFIL_ANNOUNCE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * announce - say what is profiled, if standard error is a terminal
 * @duration_ns: for how long; 0: without a limit
 */
void announce(const char *what, uint64_t duration_ns);

/**
 * announce_processes - say which processes are profiled, if standard error is a terminal
 * @program:     what the first one runs; NULL: unknown
 */
void announce_processes(const pid_t *pids, size_t nr, const char *program, uint64_t duration_ns);

#endif /* PROFIL_ANNOUNCE_H */
