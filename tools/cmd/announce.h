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

/* Say what is profiled, and for how long (0: without a limit), if standard error is a terminal. */
void announce(const char *what, uint64_t duration_ns);

/* The same for processes; @program is what the first one runs, NULL: unknown. */
void announce_processes(const pid_t *pids, size_t nr, const char *program, uint64_t duration_ns);

#endif /* PROFIL_ANNOUNCE_H */
