/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the kernel's tracepoints.
 */
#ifndef _PROFIL_TRACEPOINTS_H
#define _PROFIL_TRACEPOINTS_H

struct tracepoint;

/* May sleep. */
struct tracepoint *profil_tracepoint_find(const char *name);

#endif /* _PROFIL_TRACEPOINTS_H */
