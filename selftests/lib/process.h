/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of fork, exec and exit share: profiled processes that tell how
 * they fared. To be included after the harness.
 */
#ifndef SELFTESTS_PROCESS_H
#define SELFTESTS_PROCESS_H

#include <stdlib.h>
#include <sys/resource.h>

#include "child.h"
#include "common.h"
#include "files.h"

/* A profile whose every pc goes to one counter, and what its owner knows of it. */
struct profile {
	int fd;
	unsigned int hz;	/* the tick's */
	double used;		/* CPU time of the process when it was started */
	uint64_t *counter;	/* in a page of its own; private unless said */
	struct profil_region region;
	struct profil_start start;
};

/*
 * What a forked child tells, in shared memory. Its CPU clock begins at its fork,
 * as its figures do.
 */
struct report {
	uint64_t before, after;	/* the parent's counter, around the fork */
	uint64_t base;		/* what the child's held at the fork */
	double used, used_after; /* CPU time, around the stop */
	long cuts;		/* how often it was put off its CPU */
	struct profil_status status;
};

/*
 * To use CPU time without a look at the clock: the scheduler looks too then, and
 * cuts our time into slices shorter than a tick. A tick meets but a few of these,
 * and counts are right on average only.
 */
extern double loops_per_second;

void loop(double loops);

/*
 * Use CPU time until the process has had about so much since it was forked. The
 * first half tells at which speed, beside all others that run.
 */
void burn_until(double seconds);

/* In a fixture's setup. */
void init_profile(struct profile *profile, __u32 flags);

/* A fixture that is a profile, whose page is pinned at the start or on hit. */
#define FIXTURE_OF_PROFILE(name)					\
	FIXTURE(name) {							\
		struct profile profile;					\
	};								\
	FIXTURE_VARIANT(name) {						\
		__u32 flags;						\
	};								\
	FIXTURE_VARIANT_ADD(name, eager) {				\
		.flags = 0,						\
	};								\
	FIXTURE_VARIANT_ADD(name, pin_on_hit) {				\
		.flags = PROFIL_PIN_ON_HIT,				\
	};								\
	FIXTURE_SETUP(name)						\
	{								\
		REQUIRE_DEVICE(self->profile.fd);			\
		init_profile(&self->profile, variant->flags);		\
	}								\
	FIXTURE_TEARDOWN(name)						\
	{								\
		stop(self->profile.fd);					\
		close(self->profile.fd);				\
	}

/* Return: 0 or errno. */
int start_profile(struct profile *profile);

uint64_t counted(const struct profile *profile);

/* End the profile of a process that was forked with it, or that began it. */
void stop_and_report(const struct profile *profile, struct report *report);

/*
 * Before it is begun: in shared memory, and so many pages of it. Return: a
 * descriptor for that memory, or -1.
 */
int share_counters(struct profile *profile, size_t pages);

/* Use CPU time in which so many are counted: two more for the phase and a migration. */
bool counts(const struct profile *profile, uint64_t nr);

/* Have a profile, one's own or the parent's, and see that it counts. 0 or -1. */
int check_profiled(struct profile *profile);

/*
 * Parts of a tick, evenly spread over children, to be added to their times: all
 * of one length, they would have the same rest of a tick uncounted.
 */
double tick_fraction(const struct profile *profile, unsigned int number);

pid_t fork_burner(const struct profile *profile, struct report *report, double seconds);

/*
 * State of a child that uses some CPU time; 100 if it is off and yet more is
 * counted than its parent may be while it waits, where the counter is shared.
 */
int child_state_after_burning(const struct profile *profile);

#endif /* SELFTESTS_PROCESS_H */
