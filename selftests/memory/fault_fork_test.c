// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failed allocations outside of calls: at a fork, and in the worker. No fork fails because of the
 * module, and the status of each child is known. Samples are lost only as long as there is no
 * memory.
 */
#include "kselftest_harness.h"
#include "profile/process.h"
#include "kernel/fault_injection.h"
#include "kernel/pinned_pages.h"

FIXTURE(fault) {
	struct injection injection;
	struct profile profile;
	long long pins, sessions;
};

FIXTURE_SETUP(fault)
{
	const char *why;

	REQUIRE_DEVICE(self->profile.fd);
	why = init_injection(&self->injection);
	if (why)
		SKIP(return, "%s", why);
	init_profile(&self->profile, 0);
	self->pins = pins_of_all();
	self->sessions = settled_figure("sessions");
}

FIXTURE_TEARDOWN(fault)
{
	end_injection(&self->injection);
	stop(self->profile.fd);
	EXPECT_EQ(0, pinned_kib());
	EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
	EXPECT_TRUE(pins_return_to(self->pins));
	close(self->profile.fd);
}

/* The status of a child, and whether it was counted */
struct child_report {
	struct profil_status status;
	bool counts;
};

static void be_child(const struct profile *profile, struct child_report *report)
{
	report->status = get_status(profile->fd);
	if (report->status.state == PROFIL_STATE_RUNNING)
		report->counts = counts(profile, 1);
	_exit(0);
}

/* Returns like fork(), with errno, after the child has ended. */
static pid_t fork_failing(struct injection *injection, unsigned long n,
			  const struct profile *profile,
			  struct child_report *report, long *hits)
{
	pid_t pid;
	int error;

	memset(report, 0, sizeof(*report));
	arm(injection, n);
	pid = fork();
	if (!pid)
		be_child(profile, report);
	error = errno;
	/* for forks of this thread only, or also for the child and the worker */
	if (injection->way == ONE)
		*hits = disarm(injection);
	if (pid > 0 && wait_for(pid))
		abort();
	if (injection->way != ONE)
		*hits = disarm(injection);
	errno = error;
	return pid;
}

/*
 * Forks with the first, the second, ... allocation failing: those of the module (@module_only) or
 * all that fork() makes. One of them is that of the child's session: that child is not followed.
 */
static void sweep_forks(struct __test_metadata *_metadata,
			struct _test_data_fault *self, bool module_only)
{
	struct child_report *report = map_shared(PAGE);
	struct profile *profile = &self->profile;
	unsigned long n = 0, forks = 0, failed = 0, unfollowed = 0;
	struct profil_status status;
	pid_t pid;
	long hits;

	do {
		pid = fork_failing(&self->injection, ++n, profile, report, &hits);
		status = get_status(profile->fd);
		if (pid < 0) {
			EXPECT_FALSE(module_only);
			EXPECT_TRUE(errno == ENOMEM || errno == EAGAIN);
			EXPECT_LT(0, hits);
			failed++;
		} else if (report->status.state == PROFIL_STATE_OFF) {
			EXPECT_LT(0, hits);
			unfollowed++;
		} else {
			forks++;
			EXPECT_EQ(PROFIL_STATE_RUNNING, report->status.state);
			EXPECT_TRUE(report->counts);
		}
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(forks, status.forks_followed);
		EXPECT_EQ(unfollowed, status.fork_failures);
		EXPECT_EQ(self->sessions + 1, await_figure("sessions", self->sessions + 1));
	} while (hits && !_metadata->exit_code);
	EXPECT_TRUE(counts(profile, 1));
	/* otherwise nothing could fail */
	EXPECT_LT(1, n);
	EXPECT_TRUE(module_only || failed);
	/* a page for the session is not needed each time */
	EXPECT_GE(1, unfollowed);
	EXPECT_TRUE(!module_only || unfollowed);
	TH_LOG("%lu forks, %lu failed, %lu not followed", n, failed, unfollowed);
}

TEST_F(fault, module_fails_at_fork)
{
	choose(&self->injection, SLAB, ONE);
	ASSERT_EQ(0, start_profile(&self->profile));
	sweep_forks(_metadata, self, true);
}

TEST_F_TIMEOUT(fault, fork_fails, 600)
{
	enum kind kind;

	for (kind = SLAB; kind <= PAGES; kind++) {
		choose(&self->injection, kind, ONE);
		aim(kind, 0, ULONG_MAX);
		ASSERT_EQ(0, start_profile(&self->profile));
		sweep_forks(_metadata, self, false);
	}
}

/* All allocations fail: children have no profile. */
TEST_F(fault, forks_without_memory)
{
	enum { FORKS = 5 };
	struct child_report *report = map_shared(PAGE);
	struct profile *profile = &self->profile;
	long long total = figure("fork_failures");
	unsigned int i;
	long hits;

	choose(&self->injection, SLAB, ALL_OF_ALL);
	ASSERT_EQ(0, start_profile(profile));
	for (i = 1; i <= FORKS; i++) {
		ASSERT_LT(0, fork_failing(&self->injection, 1, profile, report, &hits));
		EXPECT_LT(0, hits);
		EXPECT_EQ(i, get_status(profile->fd).fork_failures);
		EXPECT_EQ(PROFIL_STATE_OFF, report->status.state);
	}
	EXPECT_EQ(total + FORKS, figure("fork_failures"));
	EXPECT_EQ(PROFIL_STATE_RUNNING, child_state_after_burning(profile));
	EXPECT_EQ(1, get_status(profile->fd).forks_followed);
	EXPECT_TRUE(counts(profile, 1));
}

/* Two pages, the catch-all counter in the first: the index must allocate a node. */
static void use_two_pages(struct profile *profile, __u32 flags)
{
	char *memory = map_memory(2 * PAGE);

	profile->counter = (uint64_t *)(memory + PAGE);
	profile->start.catch_all = (uintptr_t)memory;
	profile->start.flags = flags;
}

/* Becomes a user who may pin just these pages. */
static void be_user_of(struct injection *injection, size_t pages)
{
	struct rlimit limit;

	next_user(injection);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	limit.rlim_cur = pages * PAGE;
	setrlimit(RLIMIT_MEMLOCK, &limit);
	as_user(injection);
}

/*
 * Discards the pages, and lets the nth and all later allocations of the worker fail, which pins
 * them again for the next sample. Returns how many have failed.
 */
static long pin_failing(struct injection *injection, unsigned long n, const struct profile *profile)
{
	char *memory = (char *)profile->counter - PAGE;
	long long lost, counted;

	arm(injection, n);
	lost = figure("lost");
	madvise(memory, 2 * PAGE, MADV_DONTNEED);
	counted = figure("counted");
	while (figure("lost") == lost && figure("counted") == counted)
		;
	return disarm(injection);
}

static void sweep_pins(struct __test_metadata *_metadata,
		       struct _test_data_fault *self, __u32 flags)
{
	struct profile *profile = &self->profile;
	unsigned long n = 0, losses = 0;
	struct profil_status status;
	long hits;

	do {
		be_user_of(&self->injection, flags & PROFIL_PIN_ON_HIT ? 1 : 2);
		ASSERT_EQ(0, start_profile(profile));
		EXPECT_TRUE(counts(profile, 1));
		hits = pin_failing(&self->injection, ++n, profile);
		status = get_status(profile->fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(status.lost ? ENOMEM : 0, status.error);
		EXPECT_TRUE(hits || !status.lost);
		losses += status.lost > 0;
		/* afterwards everything works again */
		EXPECT_TRUE(counts(profile, 1));
		EXPECT_EQ(PAGE, get_status(profile->fd).pinned_bytes);
		EXPECT_EQ(status.lost, stop(profile->fd).lost);
		EXPECT_EQ(0, pinned_kib());
	} while (hits && !_metadata->exit_code);
	EXPECT_LT(0, losses);
	TH_LOG("%lu of %lu attempts lost samples", losses, n);
}

TEST_F_TIMEOUT(fault, pinning_by_the_worker, 300)
{
	enum kind kind;

	for (kind = SLAB; kind <= PAGES; kind++) {
		choose(&self->injection, kind, ALL_OF_ALL);
		use_two_pages(&self->profile, PROFIL_PIN_ON_HIT);
		sweep_pins(_metadata, self, PROFIL_PIN_ON_HIT);
		use_two_pages(&self->profile, 0);
		sweep_pins(_metadata, self, 0);
	}
}

TEST_HARNESS_MAIN
