// SPDX-License-Identifier: GPL-2.0-only
/*
 * Children that share all of their parent's memory, as after vfork(), are no
 * forks to a profile: it is the parent's that they count in, and that goes on.
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>

#include "kselftest_harness.h"
#include "process.h"

FIXTURE_OF_PROFILE(fork)

/* The child's CPU time is all in the parent's profile. */
static double sharer_used;
static const struct profile *sharer_profile;

static int burn_in_shared_memory(void *unused)
{
	(void)unused;
	burn(0.3);
	await_tick(sharer_profile);
	sharer_used = process_seconds();
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

/* Return: ticks / (rate x CPU seconds) of both, or less than 0 for what went wrong. */
static double share_with_sharer(struct profile *profile, int (*run)(void))
{
	struct report parent;

	*profile->counter = 0;
	sharer_used = 0;
	sharer_profile = profile;
	if (begin(profile))
		return -1;
	if (run())
		return -2;
	if (get_status(profile->fd).state != PROFIL_STATE_RUNNING)
		return -3;
	tell(profile, &parent);
	if (parent.status.counted != counted(profile))
		return -4;
	if (parent.status.forks || parent.status.forks_denied)
		return -5;
	if (sharer_used < 0.2)
		return -6;
	return (double)parent.status.ticks /
	       ((parent.used - profile->used + sharer_used) * profile->hz);
}

TEST_F(fork, vfork_child)
{
	EXPECT_SHARE(0.75, 1.15, share_with_sharer(&self->profile, wait_for_vfork));
}

TEST_F(fork, clone_vm_child)
{
	EXPECT_SHARE(0.75, 1.15, share_with_sharer(&self->profile, wait_for_clone));
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* CPU time of children that were waited for. */
static double children_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
}

/*
 * The child of posix_spawn() is our code for an instant only. But the kernel
 * copies its arguments before it finds them too many, which takes a while.
 */
static int spawn_in_vain(void)
{
	enum { ARGS = 80, BYTES = 120 << 10 };
	char *word = map_memory(BYTES), *args[ARGS + 1] = { NULL };
	double before = children_seconds();
	int i, error;

	memset(word, 'x', BYTES - 1);
	for (i = 0; i < ARGS; i++)
		args[i] = word;
	do {
		pid_t pid;

		error = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args,
				    NULL);
		sharer_used = children_seconds() - before;
	} while (error == E2BIG && sharer_used < 0.5);
	munmap(word, BYTES);
	return error != E2BIG;
}

TEST_F(fork, posix_spawn_child)
{
	EXPECT_SHARE(0.75, 1.15, share_with_sharer(&self->profile, spawn_in_vain));
}

static void *burn_a_little(void *unused)
{
	burn(0.02);
	return unused;
}

/* Who is passed on is told: by whom it came, and in all. */
TEST_F(fork, forks_are_told)
{
	struct profile *profile = &self->profile;
	long long followed = figure("forks_followed");
	pthread_t thread;
	pid_t pid;
	int i;

	ASSERT_LE(0, followed);
	ASSERT_EQ(0, begin(profile));
	for (i = 0; i < 3; i++) {
		pid = fork();
		if (!pid) {
			int own = (int)get_status(profile->fd).forks;

			pid = fork();
			if (!pid)
				_exit(0);
			if (wait_for(pid))
				_exit(100);
			_exit(own * 10 + (int)get_status(profile->fd).forks);
		}
		EXPECT_EQ(1, wait_for(pid));
	}
	/* neither a thread nor a child in the same memory is one */
	sharer_profile = profile;
	EXPECT_EQ(0, wait_for_vfork());
	ASSERT_EQ(0, pthread_create(&thread, NULL, burn_a_little, NULL));
	pthread_join(thread, NULL);
	EXPECT_EQ(3, get_status(profile->fd).forks);
	EXPECT_EQ(followed + 6, figure("forks_followed"));
}

TEST_HARNESS_MAIN
