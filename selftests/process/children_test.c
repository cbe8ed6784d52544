// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many children, short-lived children, children of children, and threads: all that start in a
 * session count from their first tick on, and leave nothing when they exit.
 */
#include <sched.h>
#include <signal.h>

#include "kselftest_harness.h"
#include "load/cpu_hog.h"
#include "profile/expect_count.h"
#include "profile/process.h"

#define MANY	40

FIXTURE_OF_PROFILE(children)

/*
 * Each child runs in one stretch, plus one each time that it leaves its CPU. The number of samples
 * of a stretch has a variance of 1/4. A child starts with its parent's counts.
 *
 * If children alternate on a CPU, the ends of their stretches are also in phase with the tick: what
 * is not sampled (fork, exit, kernel threads) runs after the tick that wakes it, and no tick hits
 * it. Per child it takes up to one tick, which its neighbours get: beside what is random, each
 * child may be off by one tick, all in the same direction.
 */
static void expect_children(struct __test_metadata *_metadata,
			    const struct profile *profile,
			    const struct report *children, int nr, bool take_turns)
{
	double samples = 0, least = 0, most = 0, all_variance = 0;
	const struct report *child;

	for (child = children; child < children + nr; child++) {
		double own = (double)child->status.samples;
		/* each switch begins a new stretch */
		double variance = ((double)child->switches + 1) / 4;
		double allowance = CHANCE_ALLOWANCE(variance);

		EXPECT_EQ(PROFIL_STATE_RUNNING, child->status.state);
		EXPECT_EQ(child->status.samples, child->status.counted);
		EXPECT_LE(child->before, child->base);
		EXPECT_GE(child->after, child->base);
		EXPECT_LE(child->used * profile->hz - allowance, own);
		EXPECT_GE(child->used_after * profile->hz + allowance, own);
		samples += own;
		all_variance += variance;
		least += child->used * profile->hz;
		most += child->used_after * profile->hz;
	}
	EXPECT_COUNT_IN(samples, least, most,
			CHANCE_ALLOWANCE(all_variance) + (take_turns ? nr : 0));
}

/*
 * Children that live for one or two ticks and make no call. The counter is shared; the parent's
 * own samples are known, and the rest are the children's. A child is sampled until exit removes
 * its memory. Its own reading of its CPU time is before exit; the kernel's covers all of exit.
 * Every sample that the module has taken is in the counter.
 */
static void see_short_lives(struct __test_metadata *_metadata,
			    struct profile *profile, unsigned int rate,
			    unsigned int nr, bool crowded)
{
	pid_t hogs[MAX_CPU_HOGS];
	int nr_hogs = 0;
	double *used = map_shared(nr * sizeof(*used)), sum = 0, in_all;
	double samples = (double)rate / profile->hz;	/* of a tick */
	struct sched_param low = { .sched_priority = 1 };
	long long sessions, points = figure("samples");
	struct profil_status status;
	unsigned int i;
	uint64_t theirs;
	pid_t pid;

	/* no children of the profile */
	if (crowded)
		nr_hogs = start_cpu_hogs(hogs);
	if (nr_hogs < 0)
		SKIP(return, "no right to be scheduled first");
	profile->counter = map_shared(PAGE);
	profile->start.rate = rate;
	ASSERT_EQ(0, start_profile(profile));
	sessions = settled_figure("sessions");
	in_all = children_seconds();
	for (i = 0; i < nr; i++) {
		pid = fork();
		if (!pid) {
			if (crowded)
				sched_setscheduler(0, SCHED_FIFO, &low);
			burn_until(1.0 / profile->hz + tick_fraction(profile, i));
			used[i] = process_seconds();
			_exit(0);
		}
		ASSERT_EQ(0, wait_for(pid));
		sum += used[i];
	}
	in_all = children_seconds() - in_all;
	/* before workers are waited for, which else have 5 % of a CPU */
	if (crowded)
		stop_cpu_hogs(hogs, nr_hogs);
	/* workers count the pending samples */
	await_figure("sessions", sessions);
	status = stop(profile->fd);
	EXPECT_EQ(0, status.fork_failures);
	EXPECT_EQ(figure("samples") - points, (long long)counted(profile));
	theirs = counted(profile) - status.counted;
	/* random: the phase of the ticks, and of the thinning, in each child */
	EXPECT_COUNT_IN(theirs, rate * sum, rate * in_all,
			CHANCE_ALLOWANCE(nr * (samples * samples + (samples < 1)) / 4));
}

TEST_F(children, are_sampled_from_the_first_tick)
{
	see_short_lives(_metadata, &self->profile, self->profile.hz, 60, false);
}

/* The child exits before a worker runs. Its samples are pending, and none is lost. */
TEST_F(children, exit_before_a_worker_runs)
{
	see_short_lives(_metadata, &self->profile, self->profile.hz, 30, true);
}

/* Each child is too short for a sample. Together they get the samples that are due. */
TEST_F(children, shorter_than_a_period_get_their_share)
{
	see_short_lives(_metadata, &self->profile, self->profile.hz / 5, 120, false);
}

static void see_many(struct __test_metadata *_metadata, struct profile *profile, bool take_turns)
{
	struct report *children = map_shared(MANY * sizeof(*children));
	struct sched_param low = { .sched_priority = 1 };
	struct profil_status status;
	pid_t pids[MANY];
	int i;

	ASSERT_EQ(0, start_profile(profile));
	for (i = 0; i < MANY; i++) {
		children[i].before = counted(profile);
		pids[i] = fork();
		if (!pids[i]) {
			if (!take_turns)
				sched_setscheduler(0, SCHED_FIFO, &low);
			burn_until(0.02 + tick_fraction(profile, (unsigned int)i));
			stop_and_report(profile, &children[i]);
			_exit(0);
		}
		ASSERT_GE(pids[i], 0);
		children[i].after = counted(profile);
	}
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(0, wait_for(pids[i]));
	status = stop(profile->fd);
	EXPECT_EQ(MANY, status.forks_followed);
	EXPECT_EQ(0, status.fork_failures);
	expect_children(_metadata, profile, children, MANY, take_turns);
}

TEST_F(children, many_at_once)
{
	see_many(_metadata, &self->profile, true);
}

/*
 * Each child runs in one stretch, so that its ticks are not mixed with other children's. Workers
 * and everything else of lower priority get no CPU until all have exited.
 */
TEST_F(children, many_at_once_in_one_piece)
{
	struct sched_param high = { .sched_priority = 2 }, normal = { 0 };

	if (sched_setscheduler(0, SCHED_FIFO, &high))
		SKIP(return, "no right to be scheduled first");
	see_many(_metadata, &self->profile, false);
	sched_setscheduler(0, SCHED_OTHER, &normal);
}

TEST_F(children, many_in_turn)
{
	struct report *children = map_shared(MANY * sizeof(*children));
	struct profile *profile = &self->profile;
	int i;

	ASSERT_EQ(0, start_profile(profile));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, wait_for(fork_burner(profile, &children[i],
						  0.02 + tick_fraction(profile, i))));
	EXPECT_EQ(MANY, stop(profile->fd).forks_followed);
	expect_children(_metadata, profile, children, MANY, false);
}

/* Each generation forks the next one, and continues to run. */
static int live(const struct profile *profile, struct report *reports, int left)
{
	int error = 0;
	pid_t pid;

	burn_until(0.03 + tick_fraction(profile, left));
	if (left > 1) {
		reports[1].before = counted(profile);
		pid = fork();
		if (!pid)
			_exit(live(profile, reports + 1, left - 1));
		reports[1].after = counted(profile);
		error = wait_for(pid);
	}
	burn(0.02);
	stop_and_report(profile, reports);
	/* tell the first generation how far down the failure was */
	return error ? error + 1 : reports->status.forks_followed != (left > 1);
}

TEST_F(children, generations)
{
	enum { GENERATIONS = 10 };
	struct report *reports = map_shared(GENERATIONS * sizeof(*reports));
	struct profile *profile = &self->profile;
	pid_t pid;

	ASSERT_EQ(0, start_profile(profile));
	reports[0].before = counted(profile);
	pid = fork();
	if (!pid)
		_exit(live(profile, reports, GENERATIONS));
	reports[0].after = counted(profile);
	EXPECT_EQ(0, wait_for(pid));
	/* the inherited counts grow: each generation adds 0.03 s, off by two samples at most */
	EXPECT_LT((double)reports[0].base + (GENERATIONS - 1) * (0.03 * profile->hz - 2),
		  (double)reports[GENERATIONS - 1].base);
	/* the figures are of one process */
	EXPECT_EQ(1, stop(profile->fd).forks_followed);
	expect_children(_metadata, profile, reports, GENERATIONS, true);
}

/* A child's session does not depend on its parent's. */
TEST_F(children, grandchild_outlives_child)
{
	struct report *report = map_shared(PAGE);
	struct profile *profile = &self->profile;
	int pipes[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, start_profile(profile));
	pid = fork();
	if (!pid) {
		pid_t child = getpid();

		report->before = counted(profile);
		pid = fork();
		if (!pid) {
			while (getppid() == child)
				usleep(1000);
			burn_until(0.1);
			stop_and_report(profile, report);
			_exit(send_byte(pipes[1]));
		}
		report->after = counted(profile);
		_exit(pid < 0);
	}
	EXPECT_EQ(0, wait_for(pid));
	/* only the children can write: without them, the read fails */
	close(pipes[1]);
	ASSERT_EQ(0, receive_byte(pipes[0]));
	close(pipes[0]);
	stop(profile->fd);
	expect_children(_metadata, profile, report, 1, false);
}

/* A child forks before it has touched the memory and before its first tick. */
TEST_F(children, may_fork_before_their_first_tick)
{
	enum { PAIRS = 30 };
	struct report *reports = map_shared(PAIRS * sizeof(*reports));
	struct profile *profile = &self->profile;
	int i;

	ASSERT_EQ(0, start_profile(profile));
	for (i = 0; i < PAIRS; i++) {
		pid_t pid = fork();

		if (!pid) {
			pid = fork_burner(profile, &reports[i], 0.01 + tick_fraction(profile, i));
			_exit(wait_for(pid));
		}
		ASSERT_EQ(0, wait_for(pid));
	}
	stop(profile->fd);
	expect_children(_metadata, profile, reports, PAIRS, false);
}

/* All of them fork, before a worker has prepared any. */
static int grow(const struct profile *profile, struct report *reports, int node, int nr)
{
	int child, failed = 0;

	for (child = 2 * node + 1; child <= 2 * node + 2 && child < nr; child++) {
		pid_t pid;

		reports[child].before = counted(profile);
		pid = fork();
		if (!pid)
			_exit(grow(profile, reports, child, nr));
		reports[child].after = counted(profile);
		failed += pid < 0;
	}
	burn_until(0.02 + tick_fraction(profile, (unsigned int)node));
	stop_and_report(profile, &reports[node]);
	while ((child = wait_for(-1)) >= 0)
		failed += child != 0;
	return failed;
}

TEST_F(children, family_tree)
{
	enum { NODES = 31 };
	struct report *reports = map_shared(NODES * sizeof(*reports));
	struct profile *profile = &self->profile;
	pid_t pid;

	ASSERT_EQ(0, start_profile(profile));
	pid = fork();
	if (!pid)
		_exit(grow(profile, reports, 0, NODES));
	EXPECT_EQ(0, wait_for(pid));
	stop(profile->fd);
	expect_children(_metadata, profile, &reports[1], NODES - 1, true);
}

/* Children are killed at once: their sessions and pins are released. */
TEST_F(children, killed_at_once_leave_nothing)
{
	enum { CHILDREN = 50 };
	struct profile *profile = &self->profile;
	long long sessions, pinned;
	struct profil_status status;
	pid_t pid;
	int i;

	ASSERT_EQ(0, start_profile(profile));
	EXPECT_TRUE(counts(profile, 3));
	sessions = settled_figure("sessions");
	pinned = settled_figure("pinned_bytes");
	EXPECT_LE(1, sessions);
	EXPECT_LE((long long)PAGE, pinned);
	for (i = 0; i < CHILDREN; i++) {
		pid = fork();
		if (!pid)
			for (;;)
				burn(1);
		ASSERT_GE(pid, 0);
		kill(pid, SIGKILL);
		EXPECT_EQ(128 + SIGKILL, wait_for(pid));
	}
	status = get_status(profile->fd);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(CHILDREN, status.forks_followed);
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
	EXPECT_EQ(pinned, await_figure("pinned_bytes", pinned));
	status = stop(profile->fd);
	EXPECT_EQ(status.counted, counted(profile));
}

/*
 * Children that sleep have no samples, so their memory is not watched. The reaper looks at them
 * each second, as long as there are some, and finds that they have ended.
 */
TEST_F(children, killed_while_they_sleep_leave_nothing)
{
	enum { CHILDREN = 8 };
	struct profile *profile = &self->profile;
	pid_t pids[CHILDREN];
	long long sessions;
	int i;

	ASSERT_EQ(0, start_profile(profile));
	EXPECT_TRUE(counts(profile, 3));
	sessions = settled_figure("sessions");
	for (i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (!pids[i])
			for (;;)
				pause();
		ASSERT_GE(pids[i], 0);
	}
	/* it has looked twice */
	sleep(3);
	EXPECT_EQ(sessions + CHILDREN, await_figure("sessions", sessions + CHILDREN));
	for (i = 0; i < CHILDREN; i++) {
		kill(pids[i], SIGKILL);
		EXPECT_EQ(128 + SIGKILL, wait_for(pids[i]));
	}
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
	stop(profile->fd);
}

/*
 * Threads that started before and after the session count, even after the first thread and the
 * thread that started the session have exited.
 */
struct ages {
	struct profile *profile;
	struct report *report;
	double *begun;	/* CPU time before and after the call of START */
	pthread_t oldest;
};

static void *burn_and_tell(void *data)
{
	struct ages *ages = data;

	burn(0.1);
	if (pthread_join(ages->oldest, NULL))
		_exit(100);
	stop_and_report(ages->profile, ages->report);
	_exit(0);
}

static void *burn_for_longer(void *unused)
{
	burn(0.2);
	return unused;
}

static void *begin_and_leave(void *data)
{
	struct ages *ages = data;
	pthread_t youngest;

	ages->begun[0] = process_seconds();
	if (start_profile(ages->profile))
		_exit(101);
	ages->begun[1] = process_seconds();
	if (pthread_create(&youngest, NULL, burn_and_tell, ages))
		_exit(102);
	pthread_exit(NULL);
}

/* Each of the three threads may migrate. */
TEST_F(children, threads_of_all_ages)
{
	/* static, because the stack of an exited thread may be reused */
	static struct profile copy;
	static struct ages ages;
	struct report *report = map_shared(PAGE);
	double *begun = map_shared(PAGE), hz = self->profile.hz;
	pid_t pid;

	copy = self->profile;
	copy.start.regions = (uintptr_t)&copy.region;
	ages = (struct ages){ .profile = &copy, .report = report, .begun = begun };
	pid = fork();
	if (!pid) {
		pthread_t caller;

		if (pthread_create(&ages.oldest, NULL, burn_for_longer, NULL) ||
		    pthread_create(&caller, NULL, begin_and_leave, &ages) ||
		    pthread_join(caller, NULL))
			_exit(103);
		pthread_exit(NULL);
	}
	ASSERT_EQ(0, wait_for(pid));
	EXPECT_EQ(PROFIL_STATE_RUNNING, report->status.state);
	EXPECT_EQ(0, report->base);
	EXPECT_COUNT_IN(report->status.counted, hz * (report->used - begun[1]),
			hz * (report->used_after - begun[0]), 3 * 2);
}

/* Threads fork while other threads are sampled. */
struct forker {
	struct profile *profile;
	struct report *children;
	pthread_t thread;
	int failed;
};

#define CHILDREN_EACH	6

static void *fork_some(void *data)
{
	struct forker *forker = data;
	int i;

	for (i = 0; i < CHILDREN_EACH; i++) {
		pid_t pid = fork_burner(forker->profile, &forker->children[i],
					0.02 + tick_fraction(forker->profile, i));

		loop(0.005 * loops_per_second);
		forker->failed += wait_for(pid) != 0;
	}
	return NULL;
}

TEST_F(children, threads_that_fork)
{
	enum { THREADS = 4 };
	struct report *children = map_shared(THREADS * CHILDREN_EACH * sizeof(*children));
	struct profile *profile = &self->profile;
	struct forker forkers[THREADS];
	struct report parent;
	long long sessions;
	int i;

	ASSERT_EQ(0, start_profile(profile));
	sessions = settled_figure("sessions");
	for (i = 0; i < THREADS; i++) {
		forkers[i] = (struct forker) {
			.profile = profile,
			.children = children + (long)i * CHILDREN_EACH,
		};
		ASSERT_EQ(0, pthread_create(&forkers[i].thread, NULL, fork_some, &forkers[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(forkers[i].thread, NULL);
		EXPECT_EQ(0, forkers[i].failed);
	}
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
	stop_and_report(profile, &parent);
	EXPECT_EQ(THREADS * CHILDREN_EACH, parent.status.forks_followed);
	EXPECT_EQ(parent.status.counted, counted(profile));
	expect_children(_metadata, profile, children, THREADS * CHILDREN_EACH, true);
}

TEST_HARNESS_MAIN
