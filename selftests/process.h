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
#include "share.h"

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

/* Use CPU time until so many are counted: that much, and more if ticks are late. */
static inline bool counts(const struct profile *profile, uint64_t nr)
{
	uint64_t before = counted(profile);
	double due = thread_seconds() + (double)nr / profile->hz;

	do
		burn(0.01);
	while (counted(profile) < before + nr && thread_seconds() < due + 1);
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
 * A busy machine may hold up the ticks of a guest for longer than a process lives.
 * The one that comes at last stands for all that were due, but to whom is there:
 * so one that has too few by now goes on until it comes. Not where PROFIL_EXACT
 * says that time is the guest's own (scripts/vm --icount).
 */
static inline void await_tick(const struct profile *profile)
{
	uint64_t ticks = get_status(profile->fd).ticks;
	double end = thread_seconds() + 1;

	while (get_status(profile->fd).ticks == ticks && thread_seconds() < end)
		loop(loops_per_second / 1000);
}

static inline void catch_up(const struct profile *profile, double started)
{
	struct profil_status status = get_status(profile->fd);
	double due = (process_seconds() - started) * profile->hz;

	if (status.state == PROFIL_STATE_RUNNING && !getenv("PROFIL_EXACT") &&
	    (double)status.ticks < due - 1.5)
		await_tick(profile);
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

/* How many more ticks a process was charged than its CPU time is worth. */
static inline double excess(const struct report *report, unsigned int hz)
{
	double ticks = (double)report->status.ticks;

	if (ticks < report->used * hz)
		return ticks - report->used * hz;
	if (ticks > report->used_after * hz)
		return ticks - report->used_after * hz;
	return 0;
}

static inline void tell_child(struct __test_metadata *_metadata,
			      const struct profile *profile,
			      const struct report *child, long number)
{
	const struct profil_status *status = &child->status;

	TH_LOG("child %ld: state %u, error %u, base %llu of %llu to %llu",
	       number, status->state, status->error,
	       (unsigned long long)child->base,
	       (unsigned long long)child->before,
	       (unsigned long long)child->after);
	TH_LOG("%llu ticks (%llu counted, %llu out of range, %llu waiting, %llu lost)",
	       (unsigned long long)status->ticks,
	       (unsigned long long)status->counted,
	       (unsigned long long)status->out_of_range,
	       (unsigned long long)status->waiting,
	       (unsigned long long)status->lost);
	TH_LOG("in %.4f s of CPU time, %.2f ticks; cut %ld times", child->used,
	       child->used * profile->hz, child->cuts);
}

/*
 * Each child's ticks are its CPU time's to within two, one for each end of it;
 * where children take turns on a CPU, so that there are many ends and luck in
 * each, to within what luck can do. Where a busy machine has its say (see
 * catch_up()), a few may be off. Each had the counts that its parent had, and its own
 * on top.
 *
 * Return: the ticks of all / those that their CPU time is worth; less than 0 if too
 * many are off.
 */
static inline double share_of_children(struct __test_metadata *_metadata,
				       const struct profile *profile,
				       const struct report *children, int nr,
				       bool take_turns)
{
	int may_be_off = getenv("PROFIL_EXACT") ? 0 :
			 nr >= 50 ? nr / 20 : (nr + 1) / 2;
	const struct report *child, *worst = children, *wrong = NULL;
	int off = 0, not_running = 0, not_counted = 0, wrong_base = 0;
	double ticks = 0, expected = 0;
	/* what a busy machine does to a child is so long, however long a tick is */
	double slack = profile->hz > 250 ? 2.0 * profile->hz / 250 : 2;

	for (child = children; child < children + nr; child++) {
		double much = excess(child, profile->hz);
		double most = excess(worst, profile->hz);
		double over = (much < 0 ? -much : much) - slack;

		ticks += (double)child->status.ticks;
		expected += (double)child->status.ticks - much;
		if (much * much > most * most)
			worst = child;
		/* a cut can cost or give a tick by half at most, on average */
		off += over > 0 && !(take_turns &&
				     over * over < 4 * (double)child->cuts);
		not_running += child->status.state != PROFIL_STATE_RUNNING;
		not_counted += child->status.counted != child->status.ticks;
		wrong_base += child->base < child->before ||
			      child->base > child->after;
		if (!wrong && not_running + not_counted + wrong_base)
			wrong = child;
	}
	ksft_print_msg("%d children, %.0f ticks in %.3f s; %d off, worst %+.2f ticks\n",
		       nr, ticks, expected / profile->hz, off,
		       excess(worst, profile->hz));
	EXPECT_EQ(0, not_running);
	EXPECT_EQ(0, not_counted);
	EXPECT_EQ(0, wrong_base);
	if (not_running + not_counted + wrong_base)
		tell_child(_metadata, profile, wrong, wrong - children);
	if (off > may_be_off) {
		tell_child(_metadata, profile, worst, worst - children);
		return -off;
	}
	return ticks / expected;
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

static inline double share_of_child(struct __test_metadata *_metadata,
				    const struct profile *profile,
				    const struct report *child)
{
	return share_of_children(_metadata, profile, child, 1, false);
}

#endif /* SELFTESTS_PROCESS_H */
