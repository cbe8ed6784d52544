/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile in four pages of counters, each hit by a thread at a pc of its own,
 * so that wherever a page goes, there are some left that might still be
 * written.
 *
 * The counters lie in a file in memory (or in System V shared memory) that is
 * mapped twice: what the profile knows of is the first mapping.
 */
#ifndef SELFTESTS_FOUR_PAGES_H
#define SELFTESTS_FOUR_PAGES_H

#include <sys/shm.h>

#include "common.h"
#include "pinned_pages.h"

#define PAGES		4	/* of counters */
#define ALL_PAGES	(PAGES + 2)	/* with one before and one behind */
#define APART		64	/* bytes between two pcs */
#define RACES		4	/* times that a change is tried with ticks about */

enum source { MEMFD, SYSV, ANON };

struct four_pages {
	int fd;
	enum source source;
	int file;		/* memfd, or System V identifier */
	char *view;		/* ALL_PAGES, known to the profile */
	char *counters;		/* PAGES of them, from the second on */
	char *mirror;		/* the same pages at another place, or NULL */
	char *code;
	struct profil_region regions[PAGES + 2];
	struct profil_start start;
	long long pins;
};

/* Every pc has a counter: what is counted is what the pages have. */
int four_pages_init(struct four_pages *m);

/* Fresh counters, in memory of that kind. */
int map_counters(struct four_pages *m, enum source source);

void unmap_counters(struct four_pages *m);

double four_pages_seconds(const struct four_pages *m, double nr);

/* Two ticks and a half at each of the pcs, and elsewhere: one comes at least. */
void hit_all_pages(struct four_pages *m);

/* Other threads are at the pcs: wait until they have used some CPU time. */
void run_threads_for(double seconds);

#endif /* SELFTESTS_FOUR_PAGES_H */
