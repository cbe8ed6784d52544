/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches the memory of the counters.
 */
#ifndef _PROFIL_NOTIFIER_H
#define _PROFIL_NOTIFIER_H

struct profil_session;

/* May sleep. */
int profil_notifier_watch(struct profil_session *session);

#endif /* _PROFIL_NOTIFIER_H */
