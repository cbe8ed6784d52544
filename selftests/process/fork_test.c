// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session passes to forked children: each child counts in its own copy of the counters, or in
 * the same counters if they are in shared memory. A later call of one process does not affect
 * the others.
 */
#include <sched.h>

#include "kselftest_harness.h"
#include "profile/expect_count.h"
#include "profile/process.h"

FIXTURE_OF_PROFILE(fork)

/*
 * The allowed error of a process's samples, or of a part of them: one for the phase of the
 * ticks, and one for a migration to a CPU whose ticks have another phase.
 */
#define ALLOWANCE	2

/* The child counts its CPU time, on top of its parent's counts at the fork. */
static void expect_counted(struct __test_metadata *_metadata,
			   const struct profile *profile,
			   const struct report *child)
{
	EXPECT_EQ(PROFIL_STATE_RUNNING, child->status.state);
	EXPECT_EQ(child->status.samples, child->status.counted);
	EXPECT_LE(child->before, child->base);
	EXPECT_GE(child->after, child->base);
	EXPECT_COUNT(child->status.samples, child->used * profile->hz, ALLOWANCE);
}

static void expect_counted_while_burning(struct __test_metadata *_metadata,
					 const struct profile *profile)
{
	uint64_t samples = get_status(profile->fd).samples;
	double used = process_seconds();

	burn(0.1);
	used = process_seconds() - used;
	samples = get_status(profile->fd).samples - samples;
	EXPECT_COUNT(samples, used * profile->hz, ALLOWANCE);
}

/* In private memory, neither process sees the other's counts. */
TEST_F(fork, private_copy)
{
	struct report *child = map_shared(PAGE);
	struct profile *profile = &self->profile;
	struct report parent;
	pid_t pid;

	ASSERT_EQ(0, start_profile(profile));
	EXPECT_TRUE(counts(profile, 20));
	pid = fork_burner(profile, child, 0.1);
	ASSERT_GE(pid, 0);
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(1, get_status(profile->fd).forks_followed);
	EXPECT_LE(20, child->base);
	expect_counted(_metadata, profile, child);
	expect_counted_while_burning(_metadata, profile);
	stop_and_report(profile, &parent);
	EXPECT_EQ(PROFIL_STATE_RUNNING, parent.status.state);
	EXPECT_EQ(parent.status.counted, counted(profile));
	EXPECT_EQ(0, parent.status.fork_failures);
}

/*
 * The child shares its parent's pages until one of them writes. If the first write is a sample,
 * pinning replaces the page that the sample refers to. Every sample is counted, also the last: at
 * the highest priority, with all CPUs busy, the stop counts it, not a worker.
 */
static void expect_copies_counted(struct __test_metadata *_metadata, struct profile *profile)
{
	int i, nr = (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct report *children = map_shared((size_t)nr * sizeof(*children));
	struct sched_param low = { .sched_priority = 1 };
	struct report parent;

	/* the page exists, but is not pinned */
	profile->start.flags |= PROFIL_PIN_ON_HIT;
	*profile->counter = 7;
	ASSERT_EQ(0, start_profile(profile));
	for (i = 0; i < nr; i++) {
		pid_t pid;

		children[i].before = 7;
		pid = fork();
		if (!pid) {
			sched_setscheduler(0, SCHED_FIFO, &low);
			burn_until(0.03);
			stop_and_report(profile, &children[i]);
			_exit(0);
		}
		ASSERT_GE(pid, 0);
		children[i].after = counted(profile);
	}
	for (i = 0; i < nr; i++)
		EXPECT_EQ(0, wait_for(-1));
	stop_and_report(profile, &parent);
	EXPECT_EQ(7, parent.base);
	for (i = 0; i < nr; i++)
		expect_counted(_metadata, profile, &children[i]);
}

TEST_F(fork, sample_copies_the_page)
{
	struct sched_param normal = { 0 }, high = { .sched_priority = 2 };

	if (sched_setscheduler(0, SCHED_FIFO, &high))
		SKIP(return, "no right to be scheduled first");
	expect_copies_counted(_metadata, &self->profile);
	sched_setscheduler(0, SCHED_OTHER, &normal);
}

#define GENERATIONS	40	/* fewer than PREEMPT_RT has sessions in reserve (fork.c) */

/*
 * Each generation forks at once, and stores whether it is profiled after its child has exited.
 * The last one sets *@there.
 */
static void descend(const struct profile *profile, bool *running, volatile bool *there)
{
	int generations = GENERATIONS;
	pid_t pid = 0;

	while (generations--) {
		pid = fork();
		if (pid)
			break;
		running++;
	}
	if (!pid) {
		*there = true;
		_exit(0);
	}
	if (pid < 0 || wait_for(pid))
		_exit(1);
	*running = get_status(profile->fd).state == PROFIL_STATE_RUNNING;
	_exit(0);
}

/*
 * Children fork before a worker has prepared them: processes with a higher priority than workers
 * keep all CPUs busy until all generations exist. (The exits need workers.)
 */
TEST_F(fork, before_any_worker)
{
	struct profile *profile = &self->profile;
	int i, nr = (int)sysconf(_SC_NPROCESSORS_ONLN), followed = 0;
	struct sched_param high = { .sched_priority = 2 };
	struct sched_param low = { .sched_priority = 1 };
	struct sched_param normal = { 0 };
	bool *running = map_shared(PAGE);
	volatile bool *there = map_shared(PAGE);
	pid_t pid;

	if (!counts_are_checked())
		SKIP(return, "takes minutes on a debug kernel");
	if (sched_setscheduler(0, SCHED_FIFO, &high))
		SKIP(return, "no right to be scheduled first");
	for (i = 0; i < nr; i++) {
		pid = fork();
		if (!pid) {
			sched_setscheduler(0, SCHED_FIFO, &low);
			while (!*there)
				burn(0.01);
			_exit(0);
		}
		ASSERT_GE(pid, 0);
	}
	ASSERT_EQ(0, start_profile(profile));
	pid = fork();
	if (!pid)
		descend(profile, running, there);
	ASSERT_GE(pid, 0);
	sched_setscheduler(0, SCHED_OTHER, &normal);
	for (i = 0; i <= nr; i++)
		EXPECT_EQ(0, wait_for(-1));
	for (i = 0; i < GENERATIONS; i++)
		followed += running[i];
	EXPECT_EQ(GENERATIONS, followed);
}

/*
 * The counters span several pages. Parent and child hit some of the same pages, and each counts
 * in its own copy.
 */
static int hit_pages(const struct profile *profile, char *code, const uint64_t *counters)
{
	size_t words = PAGE / sizeof(*counters);
	uint64_t first = counters[0];
	struct profil_status status;

	/* 6 for 5: a migration may take one */
	if (stay_at_pc(code, seconds_for(6, profile->hz)) ||
	    stay_at_pc(code + 5 * PAGE, seconds_for(6, profile->hz)))
		return 100;
	status = stop(profile->fd);
	if (status.state != PROFIL_STATE_RUNNING || status.lost)
		return 101;
	/* only the child's samples were added to the copy of the first */
	if (counters[0] < first + 5 || counters[5 * words] < 5)
		return 102;
	return counters[0] - first + counters[5 * words] == status.counted ?
		0 : 103;
}

TEST_F(fork, pages_hit_by_both_are_separate)
{
	struct profile *profile = &self->profile;
	size_t bytes = 8 * PAGE, words = PAGE / sizeof(uint64_t);
	uint64_t *counters = map_memory(bytes);
	char *code = map_code(bytes);
	struct profil_status status;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, counters);
	ASSERT_NE(MAP_FAILED, code);
	profile->counter = counters;
	profile->region.start = (uintptr_t)code;
	profile->region.end = (uintptr_t)code + bytes;
	profile->region.offset = (uintptr_t)code;
	profile->region.bytes = bytes;
	profile->region.scale = 0x10000;
	profile->region.rounding = PROFIL_ROUND_DOWN;
	ASSERT_EQ(0, start_profile(profile));
	ASSERT_EQ(0, stay_at_pc(code, seconds_for(6, profile->hz)));
	pid = fork();
	if (!pid)
		_exit(hit_pages(profile, code, counters));
	EXPECT_EQ(0, wait_for(pid));
	ASSERT_EQ(0, stay_at_pc(code + 2 * PAGE, seconds_for(6, profile->hz)));
	status = stop(profile->fd);
	EXPECT_LE(5, counters[0]);
	EXPECT_LE(5, counters[2 * words]);
	EXPECT_EQ(0, counters[5 * words]);
	EXPECT_EQ(status.counted, counters[0] + counters[2 * words]);
}

/* In shared memory, all processes increment the same counter, and no increment is lost. */
static void count_together(struct __test_metadata *_metadata, struct profile *profile)
{
	struct report *reports = map_shared(PAGE);
	uint64_t sum;
	double used;
	pid_t pids[3];
	int i;

	ASSERT_NE(MAP_FAILED, profile->counter);
	ASSERT_EQ(0, start_profile(profile));
	for (i = 0; i < 3; i++) {
		pids[i] = fork_burner(profile, &reports[i], 0.2);
		ASSERT_GE(pids[i], 0);
	}
	burn(0.2);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, wait_for(pids[i]));
	stop_and_report(profile, &reports[3]);
	used = -profile->used;
	for (sum = 0, i = 0; i < 4; i++) {
		EXPECT_EQ(PROFIL_STATE_RUNNING, reports[i].status.state);
		sum += reports[i].status.counted;
		used += reports[i].used;
	}
	EXPECT_EQ(sum, counted(profile));
	/* more processes than CPUs: each tick finds one of them */
	EXPECT_COUNT(sum, used * profile->hz, 4 * ALLOWANCE);
}

TEST_F(fork, shared_anonymous_memory)
{
	self->profile.counter = map_shared(PAGE);
	count_together(_metadata, &self->profile);
}

TEST_F(fork, shared_memfd)
{
	int memfd = memfd_create("counters", MFD_CLOEXEC);

	ASSERT_GE(memfd, 0);
	ASSERT_EQ(0, ftruncate(memfd, (off_t)PAGE));
	self->profile.counter = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	count_together(_metadata, &self->profile);
	close(memfd);
}

/* A child inherits no session if the parent has none, or if it has ended. */
TEST_F(fork, ended_session_is_not_inherited)
{
	struct profile *profile = &self->profile;
	struct profil_status status;
	pid_t other, pid;
	int pipes[2];

	/* another process's session keeps the fork hook attached */
	ASSERT_EQ(0, pipe(pipes));
	other = fork();
	if (!other) {
		close(pipes[1]);
		_exit(start_profile(profile) ? 1 : receive_byte(pipes[0]) + 1);
	}
	EXPECT_EQ(1, await_figure("sessions", 1));

	EXPECT_EQ(PROFIL_STATE_OFF, child_state_after_burning(profile));
	profile->start.overflow = PROFIL_OVERFLOW_STOP;
	profile->start.limit = 5;
	ASSERT_EQ(0, start_profile(profile));
	burn(seconds_for(5, profile->hz));
	ASSERT_EQ(PROFIL_STATE_LIMIT, get_status(profile->fd).state);
	EXPECT_EQ(PROFIL_STATE_OFF, child_state_after_burning(profile));
	EXPECT_EQ(0, get_status(profile->fd).forks_followed);

	/* each process has its own limit, which includes the parent's counts */
	*profile->counter = 0;
	profile->start.limit = 50;
	ASSERT_EQ(0, start_profile(profile));
	EXPECT_TRUE(counts(profile, 10));
	pid = fork();
	if (!pid) {
		burn(seconds_for(40, profile->hz));
		status = stop(profile->fd);
		_exit(status.state != PROFIL_STATE_LIMIT ||
		      counted(profile) != 50 || status.counted > 40);
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(profile->fd).state);
	stop(profile->fd);
	EXPECT_EQ(PROFIL_STATE_OFF, child_state_after_burning(profile));
	close(pipes[0]);
	close(pipes[1]);
	EXPECT_EQ(0, wait_for(other));
}

/* A stop ends the session of one process, the child's or the parent's. */
static int stop_and_fork(const struct profile *profile)
{
	uint64_t after;

	burn(0.03);
	if (stop(profile->fd).state != PROFIL_STATE_RUNNING)
		return 100;
	after = counted(profile);
	burn(0.05);
	if (counted(profile) != after)
		return 101;
	return child_state_after_burning(profile);
}

TEST_F(fork, stop_affects_one_process)
{
	struct profile *profile = &self->profile;
	struct report *report = map_shared(PAGE);
	int pipes[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, start_profile(profile));
	pid = fork();
	if (!pid)
		_exit(stop_and_fork(profile));
	EXPECT_EQ(PROFIL_STATE_OFF, wait_for(pid));
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(profile->fd).state);
	EXPECT_TRUE(counts(profile, 10));

	report->before = counted(profile);
	pid = fork();
	if (!pid) {
		if (receive_byte(pipes[0]))
			_exit(1);
		burn_until(0.1);
		stop_and_report(profile, report);
		_exit(0);
	}
	EXPECT_EQ(PROFIL_STATE_RUNNING, stop(profile->fd).state);
	report->after = counted(profile);
	ASSERT_EQ(0, send_byte(pipes[1]));
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(report->after, counted(profile));
	close(pipes[0]);
	close(pipes[1]);
	expect_counted(_metadata, profile, report);
}

/* The child replaces its session, and the parent's continues. */
static int replace_and_burn(struct profile *profile)
{
	uint64_t *old = profile->counter, old_count;

	burn(0.05);
	profile->counter = map_memory(PAGE);
	if (start_profile(profile))
		return 100;
	old_count = __atomic_load_n(old, __ATOMIC_RELAXED);
	if (!counts(profile, 10))
		return 101;
	if (stop(profile->fd).counted != counted(profile))
		return 102;
	return __atomic_load_n(old, __ATOMIC_RELAXED) == old_count ? 0 : 103;
}

TEST_F(fork, replaced_in_child)
{
	struct profile *profile = &self->profile;
	struct profil_status status;
	pid_t pid;

	ASSERT_EQ(0, start_profile(profile));
	pid = fork();
	if (!pid)
		_exit(replace_and_burn(profile));
	EXPECT_TRUE(counts(profile, 10));
	EXPECT_EQ(0, wait_for(pid));
	status = stop(profile->fd);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(status.counted, counted(profile));
}

/* Counts the entries of @pc in a part of a log that was all 0, or all entries if @pc is NULL. */
static size_t log_find(const uint64_t *log, size_t from, size_t to, void *pc)
{
	size_t i, found = 0;

	for (i = from; i < to; i++)
		found += pc ? log[i] == (uintptr_t)pc : log[i] != 0;
	return found;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/*
 * The child's log continues where its copy of the parent's log ends. A gap is possible if ticks
 * hit the parent in fork after the copy: at most the ticks since the fork began.
 */
static int log_in_child(const struct profile *profile, const uint64_t *log,
			size_t nr, char *code, size_t *copied, double forked)
{
	double ticks_of_fork = (now() - forked) * profile->hz + 2;
	struct profil_status status;
	size_t own, end = nr;

	if (stay_at_pc(code + 64, seconds_for(5, profile->hz)))
		return 100;
	status = stop(profile->fd);
	while (end && !log[end - 1])
		end--;
	if (status.state != PROFIL_STATE_RUNNING || end < status.counted)
		return 101;
	own = end - status.counted;
	*copied = log_find(log, 0, own, NULL);
	if (log_find(log, own, end, NULL) != status.counted ||
	    log_find(log, 0, *copied, NULL) != *copied ||
	    (double)(own - *copied) > ticks_of_fork)
		return 102;
	/* neither process wrote into the other's part */
	if (log_find(log, 0, own, code) < 5 || log_find(log, own, end, code))
		return 103;
	return log_find(log, own, end, code + 64) < 5 ||
	       log_find(log, 0, own, code + 64) ? 104 : 0;
}

TEST_F(fork, private_pc_log)
{
	struct profile *profile = &self->profile;
	size_t nr = 2 * PAGE / sizeof(uint64_t);
	uint64_t *log = map_memory(2 * PAGE);
	size_t *copied = map_shared(PAGE);
	char *code = map_code(PAGE);
	struct profil_status before, after;
	double forked;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, log);
	profile->start.flags |= PROFIL_PC_LOG;
	profile->start.nr_regions = 0;
	profile->start.regions = 0;
	profile->start.log = (uintptr_t)log;
	profile->start.log_bytes = 2 * PAGE;
	ASSERT_EQ(0, start_profile(profile));
	ASSERT_EQ(0, stay_at_pc(code, seconds_for(5, profile->hz)));
	before = get_status(profile->fd);
	forked = now();
	pid = fork();
	if (!pid)
		_exit(log_in_child(profile, log, nr, code, copied, forked));
	after = get_status(profile->fd);
	ASSERT_EQ(0, stay_at_pc(code, seconds_for(5, profile->hz)));
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_LE(before.counted, *copied);
	EXPECT_GE(after.counted, *copied);
	after = stop(profile->fd);
	EXPECT_EQ(PROFIL_STATE_RUNNING, after.state);
	EXPECT_EQ(after.counted, log_find(log, 0, after.counted, NULL));
	EXPECT_EQ(after.counted, log_find(log, 0, nr, NULL));
	EXPECT_EQ(0, log_find(log, 0, nr, code + 64));
}

/* The child does not inherit the memory (MADV_DONTFORK): its first sample ends its session. */
TEST_F(fork, memory_not_inherited)
{
	struct profile *profile = &self->profile;
	struct profil_status *child = map_shared(PAGE);
	long long faults = settled_figure("fault_ends");
	pid_t pid;

	ASSERT_LE(0, faults);
	ASSERT_EQ(0, madvise(profile->counter, PAGE, MADV_DONTFORK));
	ASSERT_EQ(0, start_profile(profile));
	burn(0.03);
	pid = fork();
	if (!pid) {
		burn(seconds_for(1, profile->hz));
		*child = get_status(profile->fd);
		_exit(stop(profile->fd).state != PROFIL_STATE_FAULT);
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(PROFIL_STATE_FAULT, child->state);
	EXPECT_EQ(EFAULT, child->error);
	EXPECT_EQ(0, child->counted);
	EXPECT_EQ(faults + 1, figure("fault_ends"));
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(profile->fd).state);
	EXPECT_TRUE(counts(profile, 10));
}

TEST_F(fork, wiped_memory_counts_from_zero)
{
	struct profile *profile = &self->profile;
	struct report *child = map_shared(PAGE);
	struct report parent;

	ASSERT_EQ(0, madvise(profile->counter, PAGE, MADV_WIPEONFORK));
	ASSERT_EQ(0, start_profile(profile));
	EXPECT_TRUE(counts(profile, 10));
	EXPECT_EQ(0, wait_for(fork_burner(profile, child, 0.1)));
	EXPECT_LE(10, child->before);
	EXPECT_EQ(0, child->base);
	child->before = 0;
	expect_counted(_metadata, profile, child);
	stop_and_report(profile, &parent);
	EXPECT_EQ(PROFIL_STATE_RUNNING, parent.status.state);
	EXPECT_EQ(counted(profile), parent.status.counted);
}

TEST_HARNESS_MAIN
