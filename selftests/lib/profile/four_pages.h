/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile with counters in four pages, each hit by a thread at a pc of its own. If a test takes a
 * page away, the others could still be written by mistake.
 *
 * The counters are in a memfd or in System V shared memory that is mapped twice. The profile uses
 * the first mapping.
 */
#ifndef SELFTESTS_FOUR_PAGES_H
#define SELFTESTS_FOUR_PAGES_H

#include <sys/shm.h>

#include "common.h"
#include "kernel/pinned_pages.h"

#define PAGES		4	/* of counters */
#define ALL_PAGES	(PAGES + 2)	/* with one before and one after them */
#define APART		64	/* bytes between two pcs */
#define RACES		4	/* how often a change is made while samples are taken */

enum source { MEMFD, SYSV, ANON };

struct four_pages {
	int fd;
	enum source source;
	int file;		/* memfd, or System V identifier */
	char *view;		/* ALL_PAGES, used by the profile */
	char *counters;		/* PAGES of them, from the second one on */
	char *mirror;		/* the second mapping of the same pages, or NULL */
	char *code;
	struct profil_region regions[PAGES + 2];
	struct profil_start start;
	long long pins;
};

/* Every pc has a counter in these pages. Returns -1 on error. */
int four_pages_init(struct four_pages *m);

/* Maps new counters in memory of type @source. Returns -1 on error. */
int map_counters(struct four_pages *m, enum source source);

void unmap_counters(struct four_pages *m);

/* Returns the CPU time of @nr samples. */
double four_pages_seconds(const struct four_pages *m, double nr);

/* Stays at each of the pcs, and elsewhere, for two and a half ticks: at least one sample each. */
void hit_all_pages(struct four_pages *m);

/* Waits until other threads, which stay at the pcs, have used some CPU time. */
void run_threads_for(double seconds);

#endif /* SELFTESTS_FOUR_PAGES_H */
