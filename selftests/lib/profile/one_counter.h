/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile with one counter for all samples, in memory that the test chooses. The counter and
 * status.counted are equal if no page is discarded, and otherwise increase by the same amount.
 */
#ifndef SELFTESTS_ONE_COUNTER_H
#define SELFTESTS_ONE_COUNTER_H

#include "common.h"
#include "kernel/pinned_pages.h"

#define HUGE	((size_t)2 << 20)	/* bytes of a huge page */

static const uint32_t both_flags[] = { 0, PROFIL_PIN_ON_HIT };

struct one_counter {
	int fd;
	int file;		/* that is mapped there; or -1 */
	uint64_t *counter;	/* at the start of a page */
	uint64_t base;		/* its value at the start */
	struct profil_region region;
	struct profil_start start;
	long long pins;
	int uffd;		/* userfaultfd that handles its page faults; or -1 */
};

void one_counter_init(struct one_counter *r);

/* Returns 0 or an errno. */
int one_counter_start(struct one_counter *r, void *counter, uint32_t flags);

uint64_t one_counter_value(const struct one_counter *r);

/* Returns the CPU time of @nr samples. */
double one_counter_seconds(const struct one_counter *r, double nr);

/* Maps a memfd, which stays open. */
void *map_memfd(struct one_counter *r, int flags, size_t bytes);

/* The status, and the counter before and after it was read */
struct look {
	int64_t before, after;
	struct profil_status status;
};

struct look take_look(const struct one_counter *r);

/* Calls madvise() for the counter's page. Returns 0 or an errno. */
int advise(struct one_counter *r, int advice);

/* A thread that is sampled while another one changes the memory in a tight loop */
struct burner {
	pthread_t thread;
	bool end;
	double used;
};

void *burn_until_end(void *data);

#endif /* SELFTESTS_ONE_COUNTER_H */
