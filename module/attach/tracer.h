/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose rights a target is sampled with.
 */
#ifndef _PROFIL_TRACER_H
#define _PROFIL_TRACER_H

#include <linux/refcount.h>
#include <linux/types.h>

#include "user.h"

struct cred;
struct mem_cgroup;

/**
 * struct profil_tracer - the process that attached a target, as it was then
 * @ref:       one reference for each target: the one that it attached, and its descendants
 * @rights:    its limits, which the targets are charged to
 * @cred:      its credentials
 * @memcg:     its memory cgroup, which the targets are charged to; one reference, or NULL
 * @can_trace: it had CAP_SYS_PTRACE in its user namespace, also for security modules
 *
 * Not of the open file, which may be passed to a process with fewer rights. Constant while it has
 * references.
 */
struct profil_tracer {
	refcount_t ref;
	struct profil_rights rights;
	const struct cred *cred;
	struct mem_cgroup *memcg;
	bool can_trace;
};

/* May sleep; for the calling process. */
struct profil_tracer *profil_tracer_create(void);

/* Any context, except hard interrupts. */
struct profil_tracer *profil_tracer_get(struct profil_tracer *tracer);
void profil_tracer_put(struct profil_tracer *tracer);

/* Any context. */
bool profil_tracer_may_trace_all(const struct profil_tracer *tracer);
bool profil_tracer_may_trace_current(const struct profil_tracer *tracer, bool secureexec);

#endif /* _PROFIL_TRACER_H */
