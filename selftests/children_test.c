// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many children, short-lived ones, children of children, and threads: whoever
 * is born into a profile counts from the first tick, and leaves nothing behind.
 */
#include <sched.h>
#include <signal.h>

#include "kselftest_harness.h"
#include "crowd.h"
#include "process.h"

#define MANY	200

FIXTURE_OF_PROFILE(children)

/* CPU time of all children that have been waited for. */
static double children_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/*
 * Children that live for one tick or two, and make no call. The counter is
 * shared, and what the parent has counted itself is known: the rest is theirs.
 * They are counted until they have no memory any more, somewhere on their way out.
 * Of the points that the module has seen, of all of them, none is missing.
 */
static double share_of_short_lives(struct __test_metadata *_metadata,
				   struct profile *profile, unsigned int rate,
				   unsigned int nr)
{
	double *used = map_shared(nr * sizeof(*used)), sum = 0, in_all, own;
	struct sched_param low = { .sched_priority = 1 };
	bool crowded = sched_getscheduler(0) == SCHED_FIFO;
	/*
	 * A tick that a busy host holds up until there is another process is lost. Where
	 * ticks are short there are more such, so that lives are longer there.
	 */
	double life = profile->hz > 250 ? 2.0 / 250 : 1.0 / profile->hz;
	long long sessions, points = figure("ticks");
	struct profil_status status;
	unsigned int i;
	uint64_t theirs;
	pid_t pid;

	profile->counter = map_shared(PAGE);
	profile->start.rate = rate;
	ASSERT_EQ(0, begin(profile));
	sessions = settled_figure("sessions");
	in_all = children_seconds();
	own = process_seconds();
	for (i = 0; i < nr; i++) {
		pid = fork();
		if (!pid) {
			if (crowded)
				sched_setscheduler(0, SCHED_FIFO, &low);
			burn_until(life + spread(profile, i));
			used[i] = process_seconds();
			_exit(0);
		}
		ASSERT_EQ(0, wait_for(pid));
		sum += used[i];
	}
	in_all = children_seconds() - in_all;
	own = process_seconds() - own;
	/* what waits is counted by a worker, who may have had no CPU yet */
	await_figure("sessions", sessions);
	status = stop(profile->fd);
	EXPECT_EQ(0, status.forks_denied);
	EXPECT_EQ(figure("ticks") - points, (long long)counted(profile));
	theirs = counted(profile) - status.counted;
	ksft_print_msg("%u Hz: %u children, %.3f to %.3f s: %llu counts; %llu in %.3f s of ours\n",
		       rate, nr, sum, in_all, (unsigned long long)theirs,
		       (unsigned long long)status.counted, own);
	/* their own figure lacks the way out, the kernel's has all of it */
	return share_of_range((double)theirs / rate, sum, in_all);
}

TEST_F(children, first_tick)
{
	EXPECT_SHARE(0.85, 1.15,
		     share_of_short_lives(_metadata, &self->profile,
					  self->profile.hz, 200));
}

/*
 * Even if the child has gone before a worker comes to count it: so its points wait, and
 * none is lost. How many there are is seen above; a host that has more to do for us than
 * it has processors may deliver little more than half of them while the child lives.
 */
TEST_F(children, first_and_last_tick)
{
	pid_t spinners[MOST_CROWDED];
	int nr = crowd(spinners);

	if (nr < 0)
		SKIP(return, "no right to be scheduled first");
	EXPECT_SHARE(0.3, 1.15,
		     share_of_short_lives(_metadata, &self->profile,
					  self->profile.hz, 100));
	uncrowd(spinners, nr);
}

/* Each is too short for a sample of its own; together they get what is due. */
TEST_F(children, first_tick_at_a_lower_rate)
{
	EXPECT_SHARE(0.7, 1.5, share_of_short_lives(_metadata, &self->profile,
						    50, 400));
}

static double share_of_many(struct __test_metadata *_metadata,
			    struct profile *profile, bool take_turns)
{
	struct report *children = map_shared(MANY * sizeof(*children));
	struct sched_param low = { .sched_priority = 1 };
	struct profil_status status;
	pid_t pids[MANY];
	int i;

	ASSERT_EQ(0, begin(profile));
	for (i = 0; i < MANY; i++) {
		children[i].before = counted(profile);
		pids[i] = fork();
		if (!pids[i]) {
			if (!take_turns)
				sched_setscheduler(0, SCHED_FIFO, &low);
			burn_until(0.05 + spread(profile, (unsigned int)i));
			if (take_turns)
				catch_up(profile, 0);
			tell(profile, &children[i]);
			_exit(0);
		}
		ASSERT_GE(pids[i], 0);
		children[i].after = counted(profile);
	}
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(0, wait_for(pids[i]));
	status = stop(profile->fd);
	EXPECT_EQ(MANY, status.forks);
	EXPECT_EQ(0, status.forks_denied);
	return share_of_children(_metadata, profile, children, MANY,
				 take_turns);
}

/* (ticks may prefer some of those that take turns, and what they do) */
TEST_F(children, many_at_once)
{
	EXPECT_SHARE(0.85, 1.15,
		     share_of_many(_metadata, &self->profile, true));
}

/*
 * Again, each in one piece: so its ticks are its own, and not its neighbours'. By
 * the way nothing of lower priority gets a CPU meanwhile, such as workers.
 */
TEST_F(children, many_at_once_in_one_piece)
{
	struct sched_param high = { .sched_priority = 2 }, normal = { 0 };

	if (sched_setscheduler(0, SCHED_FIFO, &high))
		SKIP(return, "no right to be scheduled first");
	EXPECT_SHARE(0.93, 1.07,
		     share_of_many(_metadata, &self->profile, false));
	sched_setscheduler(0, SCHED_OTHER, &normal);
}

static double share_of_many_in_turn(struct __test_metadata *_metadata,
				    struct profile *profile)
{
	struct report *children = map_shared(MANY * sizeof(*children));
	pid_t pid;
	int i;

	ASSERT_EQ(0, begin(profile));
	for (i = 0; i < MANY; i++) {
		pid = fork_burner(profile, &children[i],
				  0.02 + spread(profile, i));
		ASSERT_EQ(0, wait_for(pid));
	}
	EXPECT_EQ(MANY, stop(profile->fd).forks);
	return share_of_children(_metadata, profile, children, MANY, false);
}

TEST_F(children, many_in_turn)
{
	EXPECT_SHARE(0.93, 1.07,
		     share_of_many_in_turn(_metadata, &self->profile));
}

/* One after the other: each is forked by the one before, which lives on. */
static int live(const struct profile *profile, struct report *reports, int left)
{
	int error = 0;
	pid_t pid;

	burn_until(0.03 + spread(profile, left));
	if (left > 1) {
		reports[1].before = counted(profile);
		pid = fork();
		if (!pid)
			_exit(live(profile, reports + 1, left - 1));
		reports[1].after = counted(profile);
		error = wait_for(pid);
	}
	burn(0.02);
	catch_up(profile, 0);
	tell(profile, reports);
	/* to the first, how many generations down it failed */
	return error ? error + 1 : reports->status.forks != (left > 1);
}

static double share_of_generations(struct __test_metadata *_metadata,
				   struct profile *profile)
{
	enum { GENERATIONS = 20 };
	struct report *reports = map_shared(GENERATIONS * sizeof(*reports));
	pid_t pid;

	ASSERT_EQ(0, begin(profile));
	reports[0].before = counted(profile);
	pid = fork();
	if (!pid)
		_exit(live(profile, reports, GENERATIONS));
	reports[0].after = counted(profile);
	EXPECT_EQ(0, wait_for(pid));
	/* what comes down grows on the way: each adds its first 7 ticks or so */
	EXPECT_LT(reports[0].base + 3 * GENERATIONS,
		  reports[GENERATIONS - 1].base);
	/* figures are of one process each */
	EXPECT_EQ(1, stop(profile->fd).forks);
	return share_of_children(_metadata, profile, reports, GENERATIONS,
				 false);
}

TEST_F(children, generations)
{
	EXPECT_SHARE(0.6, 1.4,
		     share_of_generations(_metadata, &self->profile));
}

/* A profile does not hang on the one that it came from. */
static double share_of_grandchild(struct __test_metadata *_metadata,
				  struct profile *profile)
{
	struct report *report = map_shared(PAGE);
	int pipes[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, begin(profile));
	pid = fork();
	if (!pid) {
		pid_t child = getpid();

		report->before = counted(profile);
		pid = fork();
		if (!pid) {
			while (getppid() == child)
				usleep(1000);
			burn_until(0.1);
			catch_up(profile, 0);
			tell(profile, report);
			_exit(pass(pipes[1]));
		}
		report->after = counted(profile);
		_exit(pid < 0);
	}
	EXPECT_EQ(0, wait_for(pid));
	/* the only writers are in the family: no byte if it has died */
	close(pipes[1]);
	ASSERT_EQ(0, await_pass(pipes[0]));
	close(pipes[0]);
	stop(profile->fd);
	return share_of_child(_metadata, profile, report);
}

TEST_F(children, grandchild_outlives_child)
{
	EXPECT_SHARE(0.6, 1.4,
		     share_of_grandchild(_metadata, &self->profile));
}

/*
 * A child may fork before it has used the memory, or been seen by a tick. That it
 * has not changes nothing.
 */
static double share_of_grandchildren(struct __test_metadata *_metadata,
				     struct profile *profile)
{
	enum { PAIRS = 50 };
	struct report *reports = map_shared(PAIRS * sizeof(*reports));
	int i;

	ASSERT_EQ(0, begin(profile));
	for (i = 0; i < PAIRS; i++) {
		pid_t pid = fork();

		if (!pid) {
			pid = fork_burner(profile, &reports[i],
					  0.01 + spread(profile, i));
			_exit(wait_for(pid));
		}
		ASSERT_EQ(0, wait_for(pid));
	}
	stop(profile->fd);
	return share_of_children(_metadata, profile, reports, PAIRS, false);
}

TEST_F(children, that_fork_at_once)
{
	EXPECT_SHARE(0.85, 1.15,
		     share_of_grandchildren(_metadata, &self->profile));
}

/* ... nor that all of them do, so that no worker has come to any yet. */
static int grow(const struct profile *profile, struct report *reports, int node,
		int nr)
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
	burn_until(0.02 + spread(profile, (unsigned int)node));
	catch_up(profile, 0);
	tell(profile, &reports[node]);
	while ((child = wait_for(-1)) >= 0)
		failed += child != 0;
	return failed;
}

static double share_of_family(struct __test_metadata *_metadata,
			      struct profile *profile)
{
	enum { NODES = 127 };
	struct report *reports = map_shared(NODES * sizeof(*reports));
	pid_t pid;

	ASSERT_EQ(0, begin(profile));
	pid = fork();
	if (!pid)
		_exit(grow(profile, reports, 0, NODES));
	EXPECT_EQ(0, wait_for(pid));
	stop(profile->fd);
	return share_of_children(_metadata, profile, &reports[1], NODES - 1,
				 true);
}

TEST_F(children, family_tree)
{
	EXPECT_SHARE(0.85, 1.15, share_of_family(_metadata, &self->profile));
}

/* Children that are killed before they know, and all goes back. */
TEST_F(children, killed_at_once)
{
	enum { CHILDREN = 100 };
	struct profile *profile = &self->profile;
	long long sessions, pinned;
	struct profil_status status;
	pid_t pid;
	int i;

	ASSERT_EQ(0, begin(profile));
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
	EXPECT_EQ(CHILDREN, status.forks);
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
	EXPECT_EQ(pinned, await_figure("pinned_bytes", pinned));
	status = stop(profile->fd);
	EXPECT_EQ(status.counted, counted(profile));
}

/*
 * Threads that were there before the call and ones that came after, when those who
 * began the process and the profile have left.
 */
struct ages {
	struct profile *profile;
	struct report *report;
	pthread_t oldest;
};

static void *burn_and_tell(void *data)
{
	struct ages *ages = data;

	burn(0.4);
	if (pthread_join(ages->oldest, NULL))
		_exit(100);
	catch_up(ages->profile, ages->profile->used);
	tell(ages->profile, ages->report);
	_exit(0);
}

static void *burn_for_long(void *unused)
{
	burn(0.6);
	return unused;
}

static void *begin_and_leave(void *data)
{
	struct ages *ages = data;
	pthread_t youngest;

	if (begin(ages->profile) ||
	    pthread_create(&youngest, NULL, burn_and_tell, ages))
		_exit(101);
	pthread_exit(NULL);
}

/* Return: ticks / (rate x CPU seconds) of all, or less than 0 for what went wrong. */
static double share_of_all_ages(struct profile *profile)
{
	struct report *report = map_shared(PAGE);
	/* a copy: the child's main thread leaves its stack to nobody */
	static struct ages ages;
	static struct profile copy;
	double *used = map_shared(PAGE);
	pid_t pid;

	pid = fork();
	if (!pid) {
		pthread_t caller;

		copy = *profile;
		copy.start.regions = (uintptr_t)&copy.region;
		ages.profile = &copy;
		ages.report = report;
		if (pthread_create(&ages.oldest, NULL, burn_for_long, NULL) ||
		    pthread_create(&caller, NULL, begin_and_leave, &ages) ||
		    pthread_join(caller, NULL))
			_exit(102);
		*used = copy.used;
		pthread_exit(NULL);
	}
	if (wait_for(pid))
		return -1;
	if (report->status.state != PROFIL_STATE_RUNNING || report->base)
		return -2;
	if (report->used - *used < 0.3)
		return -3;
	return (double)report->status.counted /
	       ((report->used - *used) * profile->hz);
}

TEST_F(children, threads_of_all_ages)
{
	EXPECT_SHARE(0.93, 1.07, share_of_all_ages(&self->profile));
}

/* Threads that fork while others count. */
struct forker {
	struct profile *profile;
	struct report *children;
	pthread_t thread;
	int failed;
};

#define CHILDREN_EACH	10

static void *fork_some(void *data)
{
	struct forker *forker = data;
	int i;

	for (i = 0; i < CHILDREN_EACH; i++) {
		pid_t pid = fork_burner(forker->profile, &forker->children[i],
					0.02 + spread(forker->profile, i));

		loop(0.005 * loops_per_second);
		forker->failed += wait_for(pid) != 0;
	}
	return NULL;
}

static double share_of_threads_children(struct __test_metadata *_metadata,
					struct profile *profile)
{
	enum { THREADS = 4 };
	struct report *children =
		map_shared(THREADS * CHILDREN_EACH * sizeof(*children));
	struct forker forkers[THREADS];
	struct report parent;
	uint64_t before = counted(profile);
	long long sessions;
	int i;

	ASSERT_EQ(0, begin(profile));
	sessions = settled_figure("sessions");
	for (i = 0; i < THREADS; i++) {
		forkers[i] = (struct forker) {
			.profile = profile,
			.children = children + (long)i * CHILDREN_EACH,
		};
		ASSERT_EQ(0, pthread_create(&forkers[i].thread, NULL,
					    fork_some, &forkers[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(forkers[i].thread, NULL);
		EXPECT_EQ(0, forkers[i].failed);
	}
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
	tell(profile, &parent);
	EXPECT_EQ(THREADS * CHILDREN_EACH, parent.status.forks);
	EXPECT_EQ(parent.status.counted, counted(profile) - before);
	return share_of_children(_metadata, profile, children,
				 THREADS * CHILDREN_EACH, true);
}

TEST_F(children, threads_that_fork)
{
	EXPECT_SHARE(0.6, 1.4,
		     share_of_threads_children(_metadata, &self->profile));
}

TEST_HARNESS_MAIN
