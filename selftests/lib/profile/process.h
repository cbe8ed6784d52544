/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Profiled processes for the tests of fork, exec and exit. Include this after the harness.
 */
#ifndef SELFTESTS_PROCESS_H
#define SELFTESTS_PROCESS_H

#include <stdlib.h>
#include <sys/resource.h>

#include "child.h"
#include "common.h"
#include "files.h"

/* A profile that counts every pc in one counter */
struct profile {
	int fd;
	unsigned int hz;	/* of the tick */
	double used;		/* CPU time of the process at the start */
	uint64_t *counter;	/* in a page of its own; private until share_counters() */
	struct profil_region region;
	struct profil_start start;
};

/* Results of a forked child, in shared memory. Its CPU time and its status start at the fork. */
struct report {
	uint64_t before, after;	/* the parent's counter, around the fork */
	uint64_t base;		/* the child's counter at the fork */
	double used, used_after; /* CPU time, around the stop */
	long switches;		/* how often it left its CPU */
	struct profil_status status;
};

/*
 * To use CPU time without reading the clock: that gives the scheduler an opportunity to preempt, so
 * that turns are shorter than a tick. A tick then hits only a few of them, and counts are exact
 * only on average.
 */
extern double loops_per_second;

void loop(double loops);

/*
 * Uses CPU time until the process has used about @seconds since its fork. The first half measures
 * the speed, which depends on what else runs.
 */
void burn_until(double seconds);

/* In a fixture's setup */
void init_profile(struct profile *profile, __u32 flags);

/* A fixture with a profile whose page is pinned at the start, or on hit */
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

/* Returns 0 or an errno. */
int start_profile(struct profile *profile);

/* Value of the counter */
uint64_t counted(const struct profile *profile);

/* Stops the profile, which this process has started or inherited, and fills in @report. */
void stop_and_report(const struct profile *profile, struct report *report);

/*
 * Before the start: puts the counter into @pages pages of shared memory. Returns a descriptor of
 * that memory, or -1.
 */
int share_counters(struct profile *profile, size_t pages);

/*
 * Uses CPU time until @nr samples are counted, at most four times as much as they stand for: each
 * move to another CPU, whose ticks are at other times, can cost one. Returns whether they are
 * counted. expect_count.h checks how many there must be.
 */
bool counts(const struct profile *profile, uint64_t nr);

/* Starts a profile if none is inherited, and checks that it counts. Returns 0 or -1. */
int check_profiled(struct profile *profile);

/*
 * Returns a fraction of a tick for child @number, to be added to its CPU time. If all children used
 * the same time, the same part of a tick would remain uncounted in each.
 */
double tick_fraction(const struct profile *profile, unsigned int number);

/* Forks a child that uses @seconds of CPU time and fills in @report. */
pid_t fork_burner(const struct profile *profile, struct report *report, double seconds);

/*
 * Forks a child that uses some CPU time. Returns the state of its profile; 100 if it is off but a
 * shared counter increases by more than the waiting parent may cause.
 */
int child_state_after_burning(const struct profile *profile);

#endif /* SELFTESTS_PROCESS_H */
