/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile with one counter for all ticks, in memory of the test's choice, and
 * what it counts seen by the program: what is there and the figure "counted"
 * are the same number where nothing is discarded, and go up by the same amount
 * where it is. To be included after the harness.
 */
#ifndef SELFTESTS_ONE_COUNTER_H
#define SELFTESTS_ONE_COUNTER_H

#include "common.h"
#include "pinned_pages.h"

#define HUGE	((size_t)2 << 20)	/* bytes of a huge page */

static const uint32_t both_flags[] = { 0, PROFIL_PIN_ON_HIT };

struct one_counter {
	int fd;
	int file;		/* that is mapped there, or -1 */
	uint64_t *counter;	/* at the start of a page */
	uint64_t base;		/* what it had at the start */
	struct profil_region region;
	struct profil_start start;
	long long pins;
	int uffd;		/* handler of its page faults, or -1 */
};

void one_counter_init(struct one_counter *r);

/* 0 or errno. */
int one_counter_start(struct one_counter *r, void *counter, uint32_t flags);

uint64_t one_counter_value(const struct one_counter *r);

double one_counter_seconds(const struct one_counter *r, double nr);

/* A mapping of a file in memory, which is kept open. */
void *map_memfd(struct one_counter *r, int flags, size_t bytes);

/* What status says, and the counter before and after it was asked. */
struct look {
	int64_t before, after;
	struct profil_status status;
};

struct look take_look(const struct one_counter *r);

/* 0 or errno. */
int advise(struct one_counter *r, int advice);

/* A thread that is counted while another one changes the memory in a tight loop. */
struct burner {
	pthread_t thread;
	bool end;
	double used;
};

void *burn_until_end(void *data);

#endif /* SELFTESTS_ONE_COUNTER_H */
