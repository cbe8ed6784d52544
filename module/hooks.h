/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks into the kernel while sessions need them: the clocks and fork.
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

/* May sleep: the first user attaches them. */
int profil_hooks_get(bool with_timer);
/* Any context. */
bool profil_hooks_get_for_child(bool with_timer);
void profil_hooks_put(bool with_timer);

void profil_hooks_init(const struct profil_hook_ops *always,
		       const struct profil_hook_ops *timer);
/* May sleep. */
void profil_hooks_exit(void);

#endif /* _PROFIL_HOOKS_H */
