/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Background work of a session.
 */
#ifndef _PROFIL_SERVICE_H
#define _PROFIL_SERVICE_H

#include <linux/types.h>

struct profil_session;

/* For the worker: do not wait for anything that a user could hold up. */
bool profil_service_watch_locked(struct profil_session *session);
bool profil_service_pass(struct profil_session *session);

/* May sleep. */
void profil_service_unpin(struct profil_session *session);

/* For calls, with a session of the caller's memory. May sleep until pages arrive. */
int profil_service_watch(struct profil_session *session);
int profil_service_pin_all(struct profil_session *session);
int profil_service_settle(struct profil_session *session);

#endif /* _PROFIL_SERVICE_H */
