/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows what targets do: fork, exec, mappings and exit.
 */
#ifndef _PROFIL_FOLLOW_H
#define _PROFIL_FOLLOW_H

#include <linux/init.h>
#include <linux/types.h>

bool __init profil_follow_is_possible(void);

/* May sleep. Called by hooks.c. */
int profil_follow_attach(void);
void profil_follow_detach(void);

#endif /* _PROFIL_FOLLOW_H */
