/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: one address space being profiled.
 */
#ifndef _PROFIL_SESSION_H
#define _PROFIL_SESSION_H

#include <linux/mmu_notifier.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct profil_buffer;
struct profil_config;
struct profil_status;

/**
 * struct profil_stats - what one CPU did for a session
 * @phase:        part of a sample that ticks so far have earned (ticks.h)
 * @ticks:        sampling points
 * @counted:      of these, in a region's counter or the log
 * @out_of_range: of these, in none
 * @lost:         of these, behind the one that ended the profile
 *
 * Written only by its own CPU, with interrupts off; read by anybody. One word
 * each, so that no reader sees half of one.
 */
struct profil_stats {
	u32 phase;
	unsigned long ticks;
	unsigned long counted;
	unsigned long out_of_range;
	unsigned long lost;
};

/**
 * struct profil_session - life of a profile
 * @node:       in the table of sessions (table.c)
 * @mm:         the key: whose ticks count. Compared, never followed, by readers
 * @state:      PROFIL_STATE_*; set to an ended state once, by the sampler
 * @log_used:   entries of the pc log that were handed out
 * @started_ns: profil_clock_ns() at its start
 * @config:     what to count; one reference. Immutable
 * @buffer:     where to count
 * @stats:      figures, per CPU
 * @notifier:   tells when the address space ends, and keeps @mm from being
 *              reused as another's address meanwhile
 * @free_work:  last part of the end, which must sleep
 * @rcu:        readers may still walk over @node when it is freed
 *
 * @config, @buffer and @stats are used by readers only for the session of their
 * own current->mm, so whoever ends a session need only be sure that no thread
 * of that process is inside the sampler any more.
 */
struct profil_session {
	struct hlist_node node;
	struct mm_struct *mm;
	int state;
	atomic64_t log_used;
	u64 started_ns;
	struct profil_config *config;
	struct profil_buffer *buffer;
	struct profil_stats __percpu *stats;
	struct mmu_notifier notifier;
	struct work_struct free_work;
	struct rcu_head rcu;
};

/* May sleep; for the calling process. */
int profil_session_start(struct profil_config *config);
void profil_session_stop(struct profil_status *status);
void profil_session_status(struct profil_status *status);

int profil_session_init(void);
void profil_session_exit(void);

#endif /* _PROFIL_SESSION_H */
