/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a session passes on to a forked child.
 */
#ifndef _PROFIL_FORK_H
#define _PROFIL_FORK_H

struct profil_session;

/* May sleep. For hooks.c. */
int profil_fork_attach(void);
void profil_fork_detach(void);
/* Process context. For the worker. */
void profil_fork_fill_reserve(void);

/* In the notifier's callback; does not sleep. */
void profil_fork_prepare(struct profil_session *session);
/* May sleep. */
void profil_fork_free_spares(struct profil_session *session);

#endif /* _PROFIL_FORK_H */
