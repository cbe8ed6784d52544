/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows what targets do: fork, exec, mappings and exit.
 */
#ifndef _PROFIL_FOLLOW_H
#define _PROFIL_FOLLOW_H

/* May sleep. Called by hooks.c. */
int profil_follow_attach(void);
void profil_follow_detach(void);

#endif /* _PROFIL_FOLLOW_H */
