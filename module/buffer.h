/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user's counters as the kernel holds them: pinned pages, charged.
 */
#ifndef _PROFIL_BUFFER_H
#define _PROFIL_BUFFER_H

#include <linux/cred.h>
#include <linux/mm_types.h>

struct profil_config;

/**
 * struct profil_buffer - the pinned pages of one session
 * @mm:       the address space they belong to; kept by the session
 * @cred:     whose user is charged
 * @charged:  whether: not for CAP_IPC_LOCK
 * @nr_pages: pages of all the config's spans,
 * @pages:    in the order of the spans, all pinned
 */
struct profil_buffer {
	struct mm_struct *mm;
	const struct cred *cred;
	bool charged;
	unsigned long nr_pages;
	struct page *pages[];
};

struct profil_buffer *profil_buffer_pin(const struct profil_config *config);
void profil_buffer_unpin(struct profil_buffer *buffer);

#endif /* _PROFIL_BUFFER_H */
