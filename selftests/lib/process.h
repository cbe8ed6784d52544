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
static double loops_per_second;

static inline void loop(double loops)
{
	volatile double i;

	for (i = 0; i < loops; i++)
		;
}

/*
 * Use CPU time until the process has had about so much since it was forked. The
 * first half tells at which speed, beside all others that run.
 */
static inline void burn_until(double seconds)
{
	double start = process_seconds(), now = start;
	double loops = (seconds - start) / 2 * loops_per_second;

	if (loops > 0) {
		loop(loops);
		now = process_seconds();
	}
	if (seconds > now && now > start)
		loop(loops * (seconds - now) / (now - start));
}

/* In a fixture's setup. */
static inline void init_profile(struct profile *profile, __u32 flags)
{
	double started = thread_seconds();

	loop(1e6);
	loops_per_second = 1e6 / (thread_seconds() - started);
	profile->hz = get_info(profile->fd).tick_hz;
	profile->counter = map_memory(PAGE);
	count_all(&profile->start, &profile->region, profile->counter, 64,
		  profile->hz);
	profile->start.flags = flags;
}

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
static inline int begin(struct profile *profile)
{
	int error;

	profile->region.buf = (uintptr_t)profile->counter;
	error = call(profile->fd, PROFIL_IOC_START, &profile->start);
	profile->used = process_seconds();
	return error;
}

static inline uint64_t counted(const struct profile *profile)
{
	return __atomic_load_n(profile->counter, __ATOMIC_RELAXED);
}

/* End the profile of a process that was forked with it, or that began it. */
static inline void tell(const struct profile *profile, struct report *report)
{
	struct rusage usage;

	report->used = process_seconds();
	report->status = stop(profile->fd);
	report->used_after = process_seconds();
	report->base = counted(profile) - report->status.counted;
	getrusage(RUSAGE_SELF, &usage);
	report->cuts = usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * Before it is begun: in shared memory, and so many pages of it. Return: a
 * descriptor for that memory, or -1.
 */
static inline int share_counters(struct profile *profile, size_t pages)
{
	int fd = memfd_create("counters", 0);

	if (fd < 0 || ftruncate(fd, (off_t)(pages * PAGE)))
		return -1;
	profile->counter = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
				MAP_SHARED, fd, 0);
	profile->region.bytes = pages * PAGE;
	return profile->counter == MAP_FAILED ? -1 : fd;
}

/* Use CPU time in which so many are counted: two more for the phase and a migration. */
static inline bool counts(const struct profile *profile, uint64_t nr)
{
	uint64_t before = counted(profile);

	burn((double)(nr + 2) / profile->hz);
	return counted(profile) >= before + nr;
}

/* Have a profile, one's own or the parent's, and see that it counts. 0 or -1. */
static inline int be_profiled(struct profile *profile)
{
	struct profil_status status = get_status(profile->fd);

	if (status.state != PROFIL_STATE_RUNNING && begin(profile))
		return -1;
	if (!counts(profile, 10))
		return -1;
	status = get_status(profile->fd);
	return status.state == PROFIL_STATE_RUNNING && status.counted ? 0 : -1;
}

/*
 * Parts of a tick, evenly spread over children, to be added to their times: all
 * of one length, they would have the same rest of a tick uncounted.
 */
static inline double spread(const struct profile *profile, unsigned int number)
{
	return number * 619 % 1000 / 1000.0 / profile->hz;
}

static inline pid_t fork_burner(const struct profile *profile,
				struct report *report, double seconds)
{
	pid_t pid;

	report->before = counted(profile);
	pid = fork();
	if (!pid) {
		burn_until(seconds);
		tell(profile, report);
		_exit(0);
	}
	report->after = counted(profile);
	return pid;
}

/*
 * State of a child that uses some CPU time; 100 if it is off and yet more is
 * counted than its parent may be while it waits, where the counter is shared.
 */
static inline int state_after_burning(const struct profile *profile)
{
	pid_t pid = fork();

	if (!pid) {
		uint64_t before = counted(profile);
		struct profil_status status;

		burn(0.05);
		status = get_status(profile->fd);
		if (status.state == PROFIL_STATE_OFF &&
		    counted(profile) > before + 3)
			_exit(100);
		_exit((int)status.state);
	}
	return wait_for(pid);
}

#endif /* SELFTESTS_PROCESS_H */
