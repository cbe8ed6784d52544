/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes samples when a clock fires, and counts them.
 */
#ifndef _PROFIL_SAMPLER_H
#define _PROFIL_SAMPLER_H

#include <linux/types.h>

struct page;
struct profil_cpu;
struct profil_counts;
struct profil_sample;
struct profil_session;
struct task_struct;

/* Hard interrupt context. */
bool profil_sampler_tick(struct profil_session *session, u64 ticks, bool in_user);

/* With interrupts off, also with a runqueue's lock held. */
bool profil_sampler_point(struct profil_session *session,
			  struct task_struct *task, u64 points, bool in_user);

/* With interrupts off. */
bool profil_sampler_count(struct profil_session *session,
			  struct profil_cpu *cpu,
			  const struct profil_sample *sample,
			  struct profil_counts *counts);

/* In process context. No CPU samples for the session. */
bool profil_sampler_count_in(struct profil_session *session, struct page *page,
			     const struct profil_sample *sample,
			     struct profil_counts *counts);

#endif /* _PROFIL_SAMPLER_H */
