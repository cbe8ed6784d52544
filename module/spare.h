/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions that are allocated ahead for forked children.
 */
#ifndef _PROFIL_SPARE_H
#define _PROFIL_SPARE_H

struct profil_session;

/* In the notifier's callback; does not sleep. */
void profil_spare_prepare(struct profil_session *session);

/* Atomic context, also on PREEMPT_RT. */
struct profil_session *profil_spare_take(struct profil_session *session);
void profil_spare_put_back(struct profil_session *session,
			   struct profil_session *spare);

/* May sleep. */
void profil_spare_fill_reserve(void);
void profil_spare_free_reserve(void);

#endif /* _PROFIL_SPARE_H */
