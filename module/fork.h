/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts sessions of forked children.
 */
#ifndef _PROFIL_FORK_H
#define _PROFIL_FORK_H

/* May sleep. Called by hooks.c. */
int profil_fork_attach(void);
void profil_fork_detach(void);

#endif /* _PROFIL_FORK_H */
