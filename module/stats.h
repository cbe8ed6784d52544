/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of all sessions, for the administrator: /sys/class/misc/profil/
 */
#ifndef _PROFIL_STATS_H
#define _PROFIL_STATS_H

#include <linux/atomic.h>
#include <linux/percpu.h>

/**
 * enum profil_stat - statistics that change rarely
 * @PROFIL_SESSIONS:       active sessions; one that stopped by itself counts until it is
 *                         unpublished, since it still has a status
 * @PROFIL_PINNED_PAGES:   pages pinned
 * @PROFIL_FORKS_FOLLOWED: children that inherited a session, since the module was loaded
 * @PROFIL_FORK_FAILURES:  children that did not, since the module was loaded
 * @PROFIL_FAULT_ENDS:     sessions ended by PROFIL_STATE_FAULT, since the module was loaded
 * @PROFIL_NR_STATS:       number of statistics
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
 * struct profil_cpu_stats - statistics that change with each sample, since the module was loaded
 * @samples:      samples taken; those in none of the next three are pending
 * @counted:      samples counted in a region or stored in a log
 * @out_of_range: samples without a counter in a region, also if the catch-all counts them
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
