/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a session starts and ends. Called by the ioctls (device.c) and by fork.c.
 */
#ifndef _PROFIL_LIFECYCLE_H
#define _PROFIL_LIFECYCLE_H

struct profil_config;
struct profil_session;
struct profil_status;
struct task_struct;

/* May sleep; for the calling process. */
int profil_lifecycle_start(struct profil_config *config);
int profil_lifecycle_stop(struct profil_status *status);
int profil_lifecycle_status(struct profil_status *status);

/* Atomic context. */
int profil_lifecycle_start_child(struct profil_session *parent,
				 struct profil_session *child,
				 struct task_struct *task);

#endif /* _PROFIL_LIFECYCLE_H */
