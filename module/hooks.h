/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks into the kernel while profiles need them: the clocks, and what processes do.
 */
#ifndef _PROFIL_HOOKS_H
#define _PROFIL_HOOKS_H

#include <linux/types.h>

/**
 * struct profil_hook_ops - how a part of the kernel is hooked
 * @attach: may sleep; returns 0 or an error
 * @detach: may sleep
 */
struct profil_hook_ops {
	int (*attach)(void);
	void (*detach)(void);
};

/* Hooks that are attached together. Functions take a mask of them. */
enum profil_hook_id {
	PROFIL_HOOK_TICK,	/* all profiles: the tick clock, and forks of sessions */
	PROFIL_HOOK_TIMER,	/* profiles that need the timer */
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
