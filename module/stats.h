/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the administrator sees of all sessions together: /sys/class/misc/profil/
 */
#ifndef _PROFIL_STATS_H
#define _PROFIL_STATS_H

#include <linux/atomic.h>
#include <linux/percpu.h>

/**
 * enum profil_stat - figures that change seldom
 * @PROFIL_SESSIONS:       sessions alive; one that ended itself lives on until it
 *                         is stopped, for its status
 * @PROFIL_PINNED_PAGES:   pages pinned, over all sessions
 * @PROFIL_FORKS_FOLLOWED: children that a session was passed on to, since load
 * @PROFIL_FORK_FAILURES:   children that went without, since load
 * @PROFIL_FAULT_ENDS:         sessions that ended with PROFIL_STATE_FAULT, since load
 */
enum profil_stat {
	PROFIL_SESSIONS,
	PROFIL_PINNED_PAGES,
	PROFIL_FORKS_FOLLOWED,
	PROFIL_FORK_FAILURES,
	PROFIL_FAULT_ENDS,
	PROFIL_NR_STATS
};

extern atomic_long_t profil_stats[PROFIL_NR_STATS];

/**
 * struct profil_cpu_stats - figures that change with every sample, since load
 * @samples:      samples taken; those in none of the next three are pending
 * @counted:      samples counted in a region or stored in a log
 * @out_of_range: samples with no counter in a region; the catch-all counter included
 * @lost:         samples that could not be counted
 */
struct profil_cpu_stats {
	unsigned long samples;
	unsigned long counted;
	unsigned long out_of_range;
	unsigned long lost;
};

DECLARE_PER_CPU(struct profil_cpu_stats, profil_cpu_stats);

extern const struct attribute_group *profil_attribute_groups[];

#endif /* _PROFIL_STATS_H */
