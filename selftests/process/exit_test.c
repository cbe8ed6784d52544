// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session ends with its process, by each kind of exit and with any number of threads, and
 * releases its pins and their charge.
 */
#include <signal.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "profile/process.h"
#include "eventually.h"

#define COUNTER_PAGES	16

FIXTURE(exit) {
	struct profile profile;	/* counters in several pages of shared memory */
	char dir[32];		/* for core dumps */
};

FIXTURE_VARIANT(exit) {
	__u32 flags;
	bool inherited;		/* by fork; else the child starts the session */
};

FIXTURE_VARIANT_ADD(exit, eager) {
	.flags = 0,
};

FIXTURE_VARIANT_ADD(exit, pin_on_hit) {
	.flags = PROFIL_PIN_ON_HIT,
};

FIXTURE_VARIANT_ADD(exit, inherited) {
	.inherited = true,
};

FIXTURE_SETUP(exit)
{
	REQUIRE_DEVICE(self->profile.fd);
	strcpy(self->dir, "/tmp/profil-exit-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	/* the caller of this program may ignore it */
	signal(SIGSEGV, SIG_DFL);
	init_profile(&self->profile, variant->flags);
	ASSERT_LE(0, share_counters(&self->profile, COUNTER_PAGES));
	if (variant->inherited)
		ASSERT_EQ(0, check_profiled(&self->profile));
}

FIXTURE_TEARDOWN(exit)
{
	stop(self->profile.fd);
	close(self->profile.fd);
	remove_tree(self->dir);
}

static void *burn_for_ever(void *unused)
{
	for (;;)
		burn(1);
	return unused;
}

static int run_threads(int nr)
{
	pthread_t thread;

	for (; nr; nr--)
		if (pthread_create(&thread, NULL, burn_for_ever, NULL))
			return -1;
	return 0;
}

static void leave(struct profile *profile)
{
	(void)profile;
	_exit(0);
}

static void be_killed(struct profile *profile)
{
	(void)profile;
	raise(SIGKILL);
}

/* A word in shared memory outside the counters. */
static uint64_t *note(struct profile *profile)
{
	return profile->counter + PAGE / sizeof(uint64_t);
}

/* Ticks arrive while the kernel writes the core file. */
static void dump_core(struct profile *profile)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	size_t bytes = 48 << 20;

	memset(map_memory(bytes), 1, bytes);
	setrlimit(RLIMIT_CORE, &all);
	*note(profile) = counted(profile);
	raise(SIGSEGV);
}

static void crash(struct profile *profile)
{
	struct rlimit none = { 0, 0 };

	(void)profile;
	setrlimit(RLIMIT_CORE, &none);
	raise(SIGSEGV);
}

static void execute(struct profile *profile)
{
	(void)profile;
	execl("/bin/true", "true", NULL);
}

struct end {
	struct profile *profile;
	void (*function)(struct profile *profile);
};

/* Ends the process from a thread other than the first. */
static void *end_here(void *data)
{
	struct end *end = data;

	end->function(end->profile);
	return NULL;
}

/* Returns the child's status, as waitpid() does. */
static int end_by(struct _test_data_exit *self, struct end *end, bool in_thread)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		pthread_t thread;

		if (chdir(self->dir) || check_profiled(end->profile) || run_threads(3))
			_exit(100);
		burn(0.02);
		if (!in_thread)
			end->function(end->profile);
		else if (!pthread_create(&thread, NULL, end_here, end))
			burn(100);
		_exit(101);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void expect_end(struct __test_metadata *_metadata,
		       struct _test_data_exit *self,
		       void (*function)(struct profile *profile), int expected)
{
	struct end end = { &self->profile, function };
	long long sessions = settled_figure("sessions");
	long long pinned = settled_figure("pinned_bytes");
	int in_thread, status;

	ASSERT_LE(0, sessions);
	ASSERT_LE(0, pinned);
	for (in_thread = 0; in_thread < 2; in_thread++) {
		status = end_by(self, &end, in_thread);
		EXPECT_EQ(expected, WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status));
		if (function == dump_core) {
			EXPECT_TRUE(WCOREDUMP(status));
			EXPECT_LT(*note(end.profile), counted(end.profile));
		}
		EXPECT_EQ(sessions, await_figure("sessions", sessions));
		EXPECT_EQ(pinned, await_figure("pinned_bytes", pinned));
	}
}

TEST_F(exit, exit_group_releases_everything)
{
	expect_end(_metadata, self, leave, 0);
}

TEST_F(exit, sigkill_releases_everything)
{
	expect_end(_metadata, self, be_killed, SIGKILL);
}

TEST_F(exit, core_dump_releases_everything)
{
	expect_end(_metadata, self, dump_core, SIGSEGV);
}

/*
 * process_mrelease() frees the memory of a dying process, as the OOM reaper does, without waiting
 * for the process.
 */
TEST_F(exit, reaping_releases_everything)
{
	struct profile *profile = &self->profile;
	long long sessions, pinned;
	int i, reaped = 0;

	sessions = settled_figure("sessions");
	pinned = settled_figure("pinned_bytes");
	ASSERT_LE(0, sessions);
	for (i = 0; i < 10; i++) {
		int pipes[2], pidfd;
		pid_t pid;

		ASSERT_EQ(0, pipe(pipes));
		pid = fork();
		if (!pid) {
			memset(map_memory(8 << 20), 1, 8 << 20);
			if (check_profiled(profile) || run_threads(3) || send_byte(pipes[1]))
				_exit(100);
			burn(100);
		}
		close(pipes[1]);
		ASSERT_EQ(0, receive_byte(pipes[0]));
		close(pipes[0]);
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		ASSERT_GE(pidfd, 0);
		kill(pid, SIGKILL);
		if (!release_memory(pidfd))
			reaped++;
		else if (errno == ENOSYS)
			SKIP(return, "no process_mrelease()");
		EXPECT_EQ(128 + SIGKILL, wait_for(pid));
		close(pidfd);
	}
	EXPECT_LT(0, reaped);
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
	EXPECT_EQ(pinned, await_figure("pinned_bytes", pinned));
}

/*
 * One process uses all of the user's limit. When its parent has waited for it, the charge is
 * returned, or soon after if the module's worker is busy with the session. The next process can
 * use all of the limit again.
 */
static int use_all_of_the_limit(struct profile *profile, int number)
{
	static void (*const ways[])(struct profile *profile) = {
		leave, be_killed, crash, execute,
	};

	int error;

	stop(profile->fd);
	profile->start.flags = 0;
	if (become_user(61005, COUNTER_PAGES))
		return 100;
	(void)EVENTUALLY((error = start_profile(profile)) != ENOMEM);
	if (error)
		return 104;
	/* the limit is exhausted: a child cannot start a session */
	if (number == 0 && !fork())
		_exit(start_profile(profile) != ENOMEM);
	if (number == 0 && wait_for(-1))
		return 101;
	if (number % 5 == 1 && run_threads(2))
		return 102;
	burn(0.01);
	ways[number % ARRAY_SIZE(ways)](profile);
	return 103;
}

TEST_F(exit, charge_returns)
{
	static const int ends[] = {
		0, 128 + SIGKILL, 128 + SIGSEGV, 0,
	};
	int i;

	if (getuid())
		SKIP(return, "needs root, to be another user");
	for (i = 0; i < 50; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(use_all_of_the_limit(&self->profile, i));
		ASSERT_EQ(ends[(size_t)i % ARRAY_SIZE(ends)], wait_for(pid)) {
			TH_LOG("process %d", i);
		}
	}
}

TEST_HARNESS_MAIN
