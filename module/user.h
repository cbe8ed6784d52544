/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one user holds, over all his processes, and may.
 */
#ifndef _PROFIL_USER_H
#define _PROFIL_USER_H

#include <linux/types.h>

struct profil_user;

/**
 * struct profil_rights - on what terms a profile was started
 * @user:          who is charged; one reference
 * @memlock_pages: his RLIMIT_MEMLOCK at the call, in pages
 * @ipc_lock:      whether he had CAP_IPC_LOCK: no limit, no charge
 * @resource:      whether he had CAP_SYS_RESOURCE: no cap on sessions and regions
 *
 * They hold for forked children too: capabilities cannot be asked for in the
 * atomic context in which those are followed.
 */
struct profil_rights {
	struct profil_user *user;
	unsigned long memlock_pages;
	bool ipc_lock;
	bool resource;
};

/* May sleep; for the calling process. */
int profil_rights_get(struct profil_rights *rights);
/* May sleep. */
void profil_rights_put(struct profil_rights *rights);
/* Any context. What one charges, the other gives back. */
int profil_charge_session(const struct profil_rights *rights, u32 freed);
void profil_uncharge_session(const struct profil_rights *rights);
int profil_charge_regions(const struct profil_rights *rights, u32 nr, u32 freed);
void profil_uncharge_regions(const struct profil_rights *rights, u32 nr);
int profil_charge_pages(const struct profil_rights *rights, unsigned long nr);
void profil_uncharge_pages(const struct profil_rights *rights,
			   unsigned long nr);

#endif /* _PROFIL_USER_H */
