/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-user charges and limits: sessions, regions and locked memory.
 */
#ifndef _PROFIL_USER_H
#define _PROFIL_USER_H

#include <linux/types.h>

struct profil_user;

enum profil_charged { PROFIL_CHARGED_SESSIONS, PROFIL_CHARGED_REGIONS, PROFIL_NR_CHARGED };

/**
 * struct profil_rights - limits of the process that started a profile
 * @user:          the user to charge; one reference
 * @memlock_pages: RLIMIT_MEMLOCK at the start, in pages
 * @ipc_lock:      had CAP_IPC_LOCK: no memory is charged, and no limit applies
 * @resource:      had CAP_SYS_RESOURCE: no limit for sessions and regions
 *
 * Forked children inherit them: capabilities cannot be checked in the atomic context in
 * which their sessions start.
 */
struct profil_rights {
	struct profil_user *user;
	unsigned long memlock_pages;
	bool ipc_lock;
	bool resource;
};

/* May sleep; for the calling process. */
int profil_rights_get(struct profil_rights *rights);
/* Any context, except hard interrupts. */
void profil_rights_put(struct profil_rights *rights);
/* Any context. An uncharge function undoes its charge function. */
int profil_charge(const struct profil_rights *rights, enum profil_charged what, u32 nr, u32 freed);
void profil_uncharge(const struct profil_rights *rights, enum profil_charged what, u32 nr);
int profil_charge_pages(const struct profil_rights *rights, unsigned long nr);
void profil_uncharge_pages(const struct profil_rights *rights, unsigned long nr);
/* May sleep. */
int profil_lock_subscription(const struct profil_rights *rights);
void profil_unlock_subscription(const struct profil_rights *rights);

#endif /* _PROFIL_USER_H */
