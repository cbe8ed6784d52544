// SPDX-License-Identifier: GPL-2.0-only
/*
 * Children that share all of their parent's memory, as after vfork(), are no
 * forks to a profile: it is the parent's that they count in, and that goes on.
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>

#include "kselftest_harness.h"
#include "expect_count.h"
#include "process.h"

FIXTURE_OF_PROFILE(fork)

/* The children's CPU time is in the parent's profile: at least so much, at most so much. */
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
 * The parent and its children take turns, as each waits for the other. So each child has a
 * stretch, and the parent has one before it and one after the last. Its ends are by
 * chance.
 */
static void see_sharers(struct __test_metadata *_metadata, struct profile *profile,
			int (*run)(void))
{
	double before = children_seconds();
	struct report parent;

	sharer_least = 0;
	sharers = 1;
	ASSERT_EQ(0, begin(profile));
	ASSERT_EQ(0, run());
	tell(profile, &parent);
	sharer_most = children_seconds() - before;
	EXPECT_EQ(PROFIL_STATE_RUNNING, parent.status.state);
	EXPECT_EQ(parent.status.counted, counted(profile));
	EXPECT_EQ(0, parent.status.forks_followed);
	EXPECT_EQ(0, parent.status.fork_failures);
	EXPECT_LT(0.09, sharer_most);
	EXPECT_COUNT_IN(parent.status.samples,
			(parent.used - profile->used + sharer_least) * profile->hz,
			(parent.used_after - profile->used + sharer_most) * profile->hz,
			4 * root_of((2 * sharers + 1) / 4.0));
}

TEST_F(fork, vfork_child)
{
	see_sharers(_metadata, &self->profile, wait_for_vfork);
}

TEST_F(fork, clone_vm_child)
{
	see_sharers(_metadata, &self->profile, wait_for_clone);
}

/*
 * The child of posix_spawn() is our code for an instant only. But the kernel
 * copies its arguments before it finds them too many, which takes a while. What a child
 * does after that, on its way out, has no memory to be counted in.
 */
static int spawn_in_vain(void)
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

		error = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args,
				    NULL);
		used = children_seconds() - before;
		sharers++;
	} while (error == E2BIG && used < 0.1);
	munmap(word, BYTES);
	sharer_least = used;
	return error != E2BIG;
}

TEST_F(fork, posix_spawn_child)
{
	see_sharers(_metadata, &self->profile, spawn_in_vain);
}

static void *burn_a_little(void *unused)
{
	burn(0.02);
	return unused;
}

/* Children that a profile passes on to: those of each process, and in all. */
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
	/* neither a thread nor a child in the same memory is one */
	EXPECT_EQ(0, wait_for_vfork());
	ASSERT_EQ(0, pthread_create(&thread, NULL, burn_a_little, NULL));
	pthread_join(thread, NULL);
	EXPECT_EQ(3, get_status(profile->fd).forks_followed);
	EXPECT_EQ(followed + 6, figure("forks_followed"));
}

TEST_HARNESS_MAIN
