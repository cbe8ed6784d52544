/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows what targets do: fork, exec, mappings and exit.
 */
#ifndef _PROFIL_FOLLOW_H
#define _PROFIL_FOLLOW_H

#include <linux/init.h>
#include <linux/types.h>

extern const struct profil_hook_ops profil_follow_hook;

bool profil_follow_init(void);
void profil_follow_exit(void);

#endif /* _PROFIL_FOLLOW_H */
