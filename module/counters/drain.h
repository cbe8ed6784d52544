/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the samples that are pending when an address space ends.
 */
#ifndef _PROFIL_DRAIN_H
#define _PROFIL_DRAIN_H

struct profil_session;

/* With mmap_lock and the service_mutex, where the address space ends. */
void profil_drain_pending(struct profil_session *session);

#endif /* _PROFIL_DRAIN_H */
