// SPDX-License-Identifier: GPL-2.0-only
/*
 * A child that shares its parent's memory, as after vfork(), is not a fork for a session: it
 * counts in the parent's session.
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>

#include "kselftest_harness.h"
#include "profile/expect_count.h"
#include "profile/process.h"

FIXTURE_OF_PROFILE(sharer)

/* Bounds of the children's CPU time, which counts in the parent's session. */
static double sharer_least, sharer_most;
static int sharers;

static int burn_in_shared_memory(void *unused)
{
	(void)unused;
	burn(0.1);
	sharer_least = process_seconds();
	return 0;
}

static int __attribute__((noinline)) wait_for_vfork(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(burn_in_shared_memory(NULL));
	return wait_for(pid);
}

static int wait_for_clone(void)
{
	size_t bytes = 16 * PAGE;
	char *stack = map_memory(bytes);
	int status = wait_for(clone(burn_in_shared_memory, stack + bytes,
				    CLONE_VM | SIGCHLD, NULL));

	munmap(stack, bytes);
	return status;
}

/*
 * The parent and its children alternate, because each waits for the other. So each child has one
 * stretch, and the parent has one before each child and one after the last. The ends of a stretch
 * are random.
 */
static void see_sharers(struct __test_metadata *_metadata, struct profile *profile,
			int (*run)(void))
{
	double before = children_seconds();
	struct report parent;

	sharer_least = 0;
	sharers = 1;
	ASSERT_EQ(0, start_profile(profile));
	ASSERT_EQ(0, run());
	stop_and_report(profile, &parent);
	sharer_most = children_seconds() - before;
	EXPECT_EQ(PROFIL_STATE_RUNNING, parent.status.state);
	EXPECT_EQ(parent.status.counted, counted(profile));
	EXPECT_EQ(0, parent.status.forks_followed);
	EXPECT_EQ(0, parent.status.fork_failures);
	EXPECT_LT(0.09, sharer_most);
	EXPECT_COUNT_IN(parent.status.samples,
			(parent.used - profile->used + sharer_least) * profile->hz,
			(parent.used_after - profile->used + sharer_most) * profile->hz,
			CHANCE_ALLOWANCE((2 * sharers + 1) / 4.0));
}

TEST_F(sharer, vfork_child_counts_in_its_parent)
{
	see_sharers(_metadata, &self->profile, wait_for_vfork);
}

TEST_F(sharer, clone_vm_child_counts_in_its_parent)
{
	see_sharers(_metadata, &self->profile, wait_for_clone);
}

/*
 * The child of posix_spawn() runs this program only briefly. To make it longer, the kernel copies
 * arguments until they are too many. While the child exits afterwards, it has no memory, and is
 * not sampled.
 */
static int spawn_fails(void)
{
	enum { ARGS = 80, BYTES = 120 << 10 };
	char *word = map_memory(BYTES), *args[ARGS + 1] = { NULL };
	double before = children_seconds(), used;
	int i, error;

	memset(word, 'x', BYTES - 1);
	for (i = 0; i < ARGS; i++)
		args[i] = word;
	sharers = 0;
	do {
		pid_t pid;

		error = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, NULL);
		used = children_seconds() - before;
		sharers++;
	} while (error == E2BIG && used < 0.1);
	munmap(word, BYTES);
	sharer_least = used;
	return error != E2BIG;
}

TEST_F(sharer, posix_spawn_child_counts_in_its_parent)
{
	see_sharers(_metadata, &self->profile, spawn_fails);
}

/* What a sharer of the memory gets: an errno of START, STATUS and STOP each */
static int sharer_errors[3];

static int call_in_shared_memory(void *data)
{
	const struct profile *profile = data;
	struct profil_status status = { .size = sizeof(status) };

	sharer_errors[0] = start_counting(profile->fd, map_memory(PAGE), 0, 0);
	sharer_errors[1] = call(profile->fd, PROFIL_IOC_STATUS, &status);
	sharer_errors[2] = call(profile->fd, PROFIL_IOC_STOP, &status);
	return 0;
}

static int __attribute__((noinline)) call_in_vfork(struct profile *profile)
{
	pid_t pid = vfork();

	if (!pid) {
		call_in_shared_memory(profile);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	return wait_for(pid);
}

static int call_in_clone(struct profile *profile)
{
	size_t bytes = 16 * PAGE;
	char *stack = map_memory(bytes);

	return wait_for(clone(call_in_shared_memory, stack + bytes, CLONE_VM | SIGCHLD, profile));
}

/* A process has its own profile only, not that of the memory which it uses. */
static void see_refusals(struct __test_metadata *_metadata, struct profile *profile,
			 int (*run)(struct profile *profile))
{
	uint64_t before;
	int i, turn;

	for (turn = 0; turn < 2; turn++) {
		if (turn)
			ASSERT_EQ(0, start_profile(profile));
		ASSERT_EQ(0, run(profile));
		for (i = 0; i < 3; i++)
			EXPECT_EQ(EBUSY, sharer_errors[i]);
		EXPECT_EQ(turn ? PROFIL_STATE_RUNNING : PROFIL_STATE_OFF,
			  get_status(profile->fd).state);
		before = counted(profile);
		burn(seconds_for(4, profile->hz));
		EXPECT_EQ(turn, counted(profile) > before);
	}
}

TEST_F(sharer, vfork_child_has_no_profile)
{
	see_refusals(_metadata, &self->profile, call_in_vfork);
}

TEST_F(sharer, clone_vm_child_has_no_profile)
{
	see_refusals(_metadata, &self->profile, call_in_clone);
}

/* Another thread of the lender has the profile, also while a child uses the memory. */
static void *start_and_stop(void *data)
{
	struct profile *profile = data;

	burn(0.01);
	sharer_errors[0] = start_profile(profile);
	sharer_errors[1] = stop(profile->fd).state != PROFIL_STATE_RUNNING;
	return NULL;
}

static int sleep_a_little(void *unused)
{
	(void)unused;
	usleep(200000);
	return 0;
}

TEST_F(sharer, lender_has_its_profile)
{
	size_t bytes = 16 * PAGE;
	char *stack = map_memory(bytes);
	pthread_t thread;
	pid_t pid;

	sharer_errors[0] = -1;
	sharer_errors[1] = -1;
	pid = clone(sleep_a_little, stack + bytes, CLONE_VM | SIGCHLD, NULL);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, pthread_create(&thread, NULL, start_and_stop, &self->profile));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, sharer_errors[0]);
	EXPECT_EQ(0, sharer_errors[1]);
	EXPECT_EQ(0, wait_for(pid));
}

static void *burn_a_little(void *unused)
{
	burn(0.02);
	return unused;
}

/* forks_followed counts the children of each process; in sysfs, of all. */
TEST_F(sharer, is_not_in_forks_followed)
{
	struct profile *profile = &self->profile;
	long long followed = figure("forks_followed");
	pthread_t thread;
	pid_t pid;
	int i;

	ASSERT_LE(0, followed);
	ASSERT_EQ(0, start_profile(profile));
	for (i = 0; i < 3; i++) {
		pid = fork();
		if (!pid) {
			int own = (int)get_status(profile->fd).forks_followed;

			pid = fork();
			if (!pid)
				_exit(0);
			if (wait_for(pid))
				_exit(100);
			_exit(own * 10 + (int)get_status(profile->fd).forks_followed);
		}
		EXPECT_EQ(1, wait_for(pid));
	}
	/* a thread and a child in the same memory are not counted */
	EXPECT_EQ(0, wait_for_vfork());
	ASSERT_EQ(0, pthread_create(&thread, NULL, burn_a_little, NULL));
	pthread_join(thread, NULL);
	EXPECT_EQ(3, get_status(profile->fd).forks_followed);
	EXPECT_EQ(followed + 6, figure("forks_followed"));
}

TEST_HARNESS_MAIN
