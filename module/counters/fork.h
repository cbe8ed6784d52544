/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts sessions of forked children.
 */
#ifndef _PROFIL_FORK_H
#define _PROFIL_FORK_H

extern const struct profil_hook_ops profil_fork_hook;

#endif /* _PROFIL_FORK_H */
