// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is refused where nobody has called: at a fork, and to the worker. No
 * fork fails for our sake, and of each that succeeds it is known what became of the
 * child; samples are lost for as long as there is no memory, and no longer.
 */
#include "kselftest_harness.h"
#include "process.h"
#include "fault_injection.h"
#include "pinned_pages.h"

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

/* What a child found itself to be, and whether it was counted. */
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

/* Return: as fork() does, with errno; the child has ended. */
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
	/* for this thread's own forks alone, or for the child and the worker too */
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
 * Forks with the first, the second, ... allocation refused, of the module's alone or
 * of all that fork makes. The module's have others in reserve: so each is followed.
 */
static void sweep_forks(struct __test_metadata *_metadata,
			struct _test_data_fault *self, bool ours)
{
	struct child_report *report = map_shared(PAGE);
	struct profile *profile = &self->profile;
	unsigned long n = 0, forks = 0, failed = 0;
	struct profil_status status;
	pid_t pid;
	long hits;

	do {
		pid = fork_failing(&self->injection, ++n, profile, report,
				   &hits);
		status = get_status(profile->fd);
		if (pid < 0) {
			EXPECT_FALSE(ours);
			EXPECT_TRUE(errno == ENOMEM || errno == EAGAIN);
			EXPECT_LT(0, hits);
			failed++;
		} else {
			forks++;
			EXPECT_EQ(PROFIL_STATE_RUNNING, report->status.state);
			EXPECT_TRUE(report->counts);
		}
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(forks, status.forks_followed);
		EXPECT_EQ(0, status.fork_failures);
		EXPECT_EQ(self->sessions + 1,
			  await_figure("sessions", self->sessions + 1));
	} while (hits && !_metadata->exit_code);
	EXPECT_TRUE(counts(profile, 1));
	/* else nothing was there to fail */
	EXPECT_LT(1, n);
	EXPECT_TRUE(ours || failed);
	TH_LOG("%lu forks, %lu failed", n, failed);
}

TEST_F(fault, forks_where_we_fail)
{
	choose(&self->injection, SLAB, ONE);
	ASSERT_EQ(0, start_profile(&self->profile));
	sweep_forks(_metadata, self, true);
}

TEST_F_TIMEOUT(fault, forks_that_fail, 600)
{
	enum kind kind;

	for (kind = SLAB; kind <= PAGES; kind++) {
		choose(&self->injection, kind, ONE);
		aim(kind, 0, ULONG_MAX);
		ASSERT_EQ(0, start_profile(&self->profile));
		sweep_forks(_metadata, self, false);
	}
}

/*
 * No memory for longer: a child gets what is in reserve, but cannot watch its memory
 * then, so that its profile ends with the reason; when nothing is left, children are
 * denied.
 */
TEST_F(fault, forks_without_memory)
{
	enum { FORKS = 40 };
	struct child_report *report = map_shared(PAGE);
	struct profile *profile = &self->profile;
	long long total = figure("fork_failures");
	struct profil_status status;
	unsigned int i, denied = 0;
	long hits;

	choose(&self->injection, SLAB, ALL_OF_ALL);
	ASSERT_EQ(0, start_profile(profile));
	for (i = 1; i <= FORKS; i++) {
		ASSERT_LT(0, fork_failing(&self->injection, 1, profile, report,
					  &hits));
		EXPECT_LT(0, hits);
		status = get_status(profile->fd);
		EXPECT_EQ(i, status.forks_followed + status.fork_failures);
		if (status.fork_failures == denied &&
		    report->status.state == PROFIL_STATE_FAULT) {
			EXPECT_EQ(ENOMEM, report->status.error);
		} else {
			EXPECT_EQ(PROFIL_STATE_OFF, report->status.state);
		}
		denied = (unsigned int)status.fork_failures;
	}
	EXPECT_LT(0, denied);
	EXPECT_EQ(total + denied, figure("fork_failures"));
	EXPECT_EQ(PROFIL_STATE_RUNNING, child_state_after_burning(profile));
	EXPECT_EQ(FORKS + 1 - denied, get_status(profile->fd).forks_followed);
	EXPECT_TRUE(counts(profile, 1));
	TH_LOG("%u of %u denied", denied, FORKS);
}

/* One page of counters behind one for all else: the index has a node to allocate. */
static void use_two_pages(struct profile *profile, __u32 flags)
{
	char *memory = map_memory(2 * PAGE);

	profile->counter = (uint64_t *)(memory + PAGE);
	profile->start.catch_all = (uintptr_t)memory;
	profile->start.flags = flags;
}

/* A user who may have just what it takes. */
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
 * The pages go, and the worker that comes for the next sample is refused the nth
 * allocation, and all after it. Return: how many were.
 */
static long repair_failing(struct injection *injection, unsigned long n,
			   const struct profile *profile)
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

static void sweep_repairs(struct __test_metadata *_metadata,
			  struct _test_data_fault *self, __u32 flags)
{
	struct profile *profile = &self->profile;
	unsigned long n = 0, losses = 0;
	struct profil_status status;
	long hits;

	do {
		be_user_of(&self->injection,
			   flags & PROFIL_PIN_ON_HIT ? 1 : 2);
		ASSERT_EQ(0, start_profile(profile));
		EXPECT_TRUE(counts(profile, 1));
		hits = repair_failing(&self->injection, ++n, profile);
		status = get_status(profile->fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(status.lost ? ENOMEM : 0, status.error);
		EXPECT_TRUE(hits || !status.lost);
		losses += status.lost > 0;
		/* all of it can be had again */
		EXPECT_TRUE(counts(profile, 1));
		EXPECT_EQ(PAGE, get_status(profile->fd).pinned_bytes);
		EXPECT_EQ(status.lost, stop(profile->fd).lost);
		EXPECT_EQ(0, pinned_kib());
	} while (hits && !_metadata->exit_code);
	EXPECT_LT(0, losses);
	TH_LOG("%lu of %lu repairs lost samples", losses, n);
}

TEST_F_TIMEOUT(fault, repairs, 300)
{
	enum kind kind;

	for (kind = SLAB; kind <= PAGES; kind++) {
		choose(&self->injection, kind, ALL_OF_ALL);
		use_two_pages(&self->profile, PROFIL_PIN_ON_HIT);
		sweep_repairs(_metadata, self, PROFIL_PIN_ON_HIT);
		use_two_pages(&self->profile, 0);
		sweep_repairs(_metadata, self, 0);
	}
}

TEST_HARNESS_MAIN
