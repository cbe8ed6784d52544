/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks into the kernel while profiles need them: the clocks, and what processes do.
 */
#ifndef _PROFIL_HOOKS_H
#define _PROFIL_HOOKS_H

#include <linux/types.h>

struct tracepoint;

/**
 * struct profil_probe - a probe of a tracepoint of the kernel
 * @name:       the tracepoint's name
 * @probe:      called there. Its type is checked where it is written
 *              (check_trace_callback_type_*())
 * @tracepoint: written when the probe is registered
 */
struct profil_probe {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
};

/**
 * struct profil_hook_ops - how a part of the kernel is hooked
 * @attach: may sleep; returns 0, -EOPNOTSUPP or -ENOMEM
 * @detach: may sleep; no CPU runs a probe any more
 * @probes: registered after @attach has been called
 * @nr_probes: number of @probes
 */
struct profil_hook_ops {
	int (*attach)(void);
	void (*detach)(void);
	struct profil_probe *probes;
	unsigned int nr_probes;
};

/* Hooks that are attached together. Functions take a mask of them. */
enum profil_hook_id {
	PROFIL_HOOK_TICK,	/* all profiles */
	PROFIL_HOOK_SESSION_TIMER,	/* sessions that need the timer */
	PROFIL_HOOK_TARGET_TIMER,	/* targets that need the timer */
	PROFIL_HOOK_FORKS,	/* forks of sessions */
	PROFIL_HOOK_TARGETS,	/* what targets do */
	PROFIL_NR_HOOKS
};

/* May sleep: the first user attaches them. */
int profil_hooks_get(u32 hooks);
/* Any context. */
bool profil_hooks_get_for_child(u32 hooks);
void profil_hooks_put(u32 hooks);

void profil_hooks_init(enum profil_hook_id id, const struct profil_hook_ops *ops);
/* May sleep. */
void profil_hooks_exit(void);

#endif /* _PROFIL_HOOKS_H */
