// SPDX-License-Identifier: GPL-2.0-only
/*
 * What one user may take, over all of his processes: locked memory, sessions and
 * regions; and that what the kernel keeps for him is charged to his memory cgroup.
 *
 * The tests run as root and have workers: processes of users that nobody else
 * is, which do what they are asked to and answer.
 */
#include <stdbool.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "eventually.h"
#include "helper_process.h"

/*
 * Users who have nothing locked but what this test locks: tests run in processes
 * of their own, and what an earlier one's workers had may still be on its way.
 */
#define USER		(1900000000U + 2 * (unsigned int)getpid())
#define OTHER		(USER + 1)

static int write_number(const char *path, long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", number);
	return write_text(path, text);
}

#define HIRE(worker, uid, pages, how)					\
	do {								\
		(worker) = start_helper(uid, pages, how);			\
		ASSERT_LE(0, (worker).socket) {				\
			TH_LOG("no worker: %s", strerror(errno));	\
		}							\
	} while (0)

/* As the administrator had them when we came. */
static long max_sessions, max_regions;

static int restore_parameters(void)
{
	return write_number(PARAMETERS "max_user_sessions", max_sessions) |
	       write_number(PARAMETERS "max_user_regions", max_regions);
}

FIXTURE(limits) {
	int fd;
	long ms;	/* CPU time that has more than five ticks */
};

FIXTURE_SETUP(limits)
{
	REQUIRE_DEVICE(self->fd);
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_LT(0, max_sessions);
	ASSERT_LT(0, max_regions);
	self->ms = (long)(1000 * seconds_for(6, get_info(self->fd).tick_hz)) + 1;
}

FIXTURE_TEARDOWN(limits)
{
	EXPECT_EQ(0, restore_parameters());
	close(self->fd);
}

/* All processes of a user have one limit, which may be used up, not exceeded. */
TEST_F(limits, memlock_is_per_user)
{
	struct helper a, b, c, other;

	HIRE(a, USER, 8, 0);
	HIRE(b, USER, 8, 0);
	HIRE(c, USER, 8, 0);
	HIRE(other, OTHER, 8, 0);

	EXPECT_EQ(0, ask(&a, START, 3));
	EXPECT_EQ(ENOMEM, ask(&b, START, 6));
	EXPECT_EQ(0, ask(&b, START, 5));
	EXPECT_EQ(ENOMEM, ask(&c, START, 1));
	EXPECT_EQ(PROFIL_STATE_OFF, ask(&c, STATE, 0));
	EXPECT_EQ(0, ask(&other, START, 8));

	/* who is refused a larger one keeps what he has */
	EXPECT_EQ(ENOMEM, ask(&b, START, 9));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&b, STATE, 0));
	EXPECT_EQ(5, ask(&b, PINNED, 0));
	EXPECT_LT(5, ask(&b, COUNTED, self->ms));

	/* refusals have charged nothing */
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&a, STOP, 0));
	EXPECT_EQ(ENOMEM, ask(&c, START, 4));
	EXPECT_EQ(0, ask(&c, START, 3));
	EXPECT_EQ(ENOMEM, ask(&a, START, 1));
}

TEST_F(limits, memlock_given_back)
{
	struct helper a, b;

	HIRE(a, USER, 4, 0);
	HIRE(b, USER, 4, 0);

	/* at stop */
	EXPECT_EQ(0, ask(&a, START, 4));
	EXPECT_EQ(ENOMEM, ask(&b, START, 1));
	ask(&a, STOP, 0);
	EXPECT_EQ(0, ask(&b, START, 4));
	EXPECT_EQ(ENOMEM, ask(&a, START, 1));
	ask(&b, STOP, 0);

	/* at a replacement by a smaller one */
	EXPECT_EQ(0, ask(&a, START, 3));
	EXPECT_EQ(0, ask(&a, START, 1));
	EXPECT_EQ(ENOMEM, ask(&b, START, 4));
	EXPECT_EQ(0, ask(&b, START, 3));
	ask(&b, STOP, 0);
	ask(&a, STOP, 0);

	/* at exec */
	EXPECT_EQ(0, ask(&a, START, 4));
	EXPECT_EQ(ENOMEM, ask(&b, START, 1));
	EXPECT_EQ(0, ask(&a, EXEC, 0));
	EXPECT_EQ(PROFIL_STATE_OFF, ask(&a, STATE, 0));
	EXPECT_EQ(0, ask(&b, START, 4));

	/* at exit, and when killed */
	stop_helper(&b);
	EXPECT_EQ(0, ask(&a, START, 4));
	kill(a.pid, SIGKILL);
	stop_helper(&a);
	HIRE(b, USER, 4, 0);
	EXPECT_EQ(0, ask(&b, START, 4));
	EXPECT_EQ(ENOMEM, ask(&b, START, 5));
}

TEST_F(limits, memlock_exempt)
{
	struct helper root, exempt, plain;

	HIRE(root, 0, 0, 0);
	HIRE(exempt, USER, 4, KEEP_IPC_LOCK);
	HIRE(plain, USER, 4, 0);

	EXPECT_EQ(0, ask(&root, START, 16));
	EXPECT_EQ(0, ask(&exempt, START, 16));
	/* what is exempt is not charged, ... */
	EXPECT_EQ(0, ask(&plain, START, 4));
	ask(&plain, STOP, 0);
	/* ... so that it must not be given back either */
	ask(&exempt, STOP, 0);
	EXPECT_EQ(ENOMEM, ask(&plain, START, 5));
	EXPECT_EQ(0, ask(&plain, START, 4));
	/* a child is as exempt as its parent */
	EXPECT_EQ(0, ask(&exempt, START, 16));
	EXPECT_EQ(0, ask(&exempt, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&exempt, STATE, 0));
	EXPECT_EQ(0, ask(&exempt, END_CHILD, 0));
	EXPECT_EQ(ENOMEM, ask(&plain, START, 1));
}

/* It is given back to whom it was taken from, whoever the process is by then. */
TEST_F(limits, memlock_after_setuid)
{
	struct helper a, user, other;

	HIRE(a, USER, 4, KEEP_SETUID);
	HIRE(user, USER, 4, 0);
	HIRE(other, OTHER, 4, 0);

	EXPECT_EQ(0, ask(&a, START, 4));
	EXPECT_EQ(0, ask(&a, SETUID, OTHER));
	EXPECT_EQ(ENOMEM, ask(&user, START, 1));
	EXPECT_EQ(0, ask(&other, START, 4));
	ask(&other, STOP, 0);
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&a, STOP, 0));
	EXPECT_EQ(0, ask(&user, START, 4));
	EXPECT_EQ(ENOMEM, ask(&other, START, 5));
}

/* A fork needs no room: a child is charged for the pages that its samples hit. */
TEST_F(limits, fork_over_memlock)
{
	long long denied = figure("fork_failures");
	struct helper a, b;

	HIRE(a, USER, 7, 0);
	HIRE(b, USER, 7, 0);
	ASSERT_LE(0, denied);

	EXPECT_EQ(0, ask(&a, START, 3));
	EXPECT_EQ(0, ask(&a, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&a, STATE, 0));
	EXPECT_EQ(1, ask(&a, FORKS, 0));
	/* the parent has 3 pages of 7, the child the one that its samples hit */
	EXPECT_LT(5, ask_child(&a, COUNTED, self->ms));
	EXPECT_EQ(ENOMEM, ask(&b, START, 4));
	EXPECT_EQ(0, ask(&b, START, 3));

	/* there is no room for a hit of the child's child: it loses samples, and is on */
	EXPECT_EQ(0, ask_child(&a, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_at(a.socket, STATE, 0, 2));
	EXPECT_LT(5, ask_at(a.socket, LOST, self->ms, 2));
	EXPECT_EQ(0, ask_at(a.socket, COUNTED, self->ms, 2));
	EXPECT_EQ(ENOMEM, ask_at(a.socket, ERROR, 0, 2));
	ask(&b, STOP, 0);
	EXPECT_LT(5, ask_at(a.socket, COUNTED, self->ms, 2));
	EXPECT_EQ(0, ask(&a, DENIED, 0) + ask_child(&a, DENIED, 0));
	EXPECT_EQ(denied, figure("fork_failures"));
	EXPECT_EQ(0, ask_child(&a, END_CHILD, 0));

	/* a stop gives back what the child's hits charged */
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&a, STOP, 0));
	EXPECT_EQ(0, ask(&b, START, 4));
	EXPECT_EQ(0, ask(&a, END_CHILD, 0));
	EXPECT_EQ(ENOMEM, ask(&b, START, 1));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&a, STATE, 0));
}

/* A fork bomb locks no more memory than its user may. */
TEST_F(limits, fork_storm)
{
	struct helper a;
	int i;

	HIRE(a, USER, 4, 0);
	EXPECT_EQ(0, ask(&a, START, 1));
	for (i = 1; i <= 3; i++) {
		EXPECT_EQ(3, ask(&a, FORK_MANY, 30));
		EXPECT_EQ(30 * i, ask(&a, FORKS, 0));
		EXPECT_EQ(0, ask(&a, DENIED, 0));
	}
	/* all of it has come back with their ends */
	EXPECT_EQ(0, ask(&a, START, 3));
	EXPECT_EQ(3, ask(&a, PINNED, 0));
}

/* Pinned on the first hit, a page is charged then; if it may not be, it is lost. */
TEST_F(limits, memlock_on_hit)
{
	struct helper a, b;

	HIRE(a, USER, 1, 0);
	HIRE(b, USER, 1, 0);
	EXPECT_EQ(0, ask(&a, START_ON_HIT, 100));
	EXPECT_LT(5, ask(&a, COUNTED, self->ms));
	EXPECT_EQ(1, ask(&a, PINNED, 0));
	EXPECT_EQ(0, ask(&a, ERROR, 0));

	EXPECT_EQ(0, ask(&b, START_ON_HIT, 100));
	EXPECT_LT(5, ask(&b, LOST, self->ms));
	EXPECT_EQ(0, ask(&b, COUNTED, 0));
	EXPECT_EQ(ENOMEM, ask(&b, ERROR, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&b, STATE, 0));
	EXPECT_EQ(0, ask(&b, PINNED, 0));
	EXPECT_EQ(ENOMEM, ask(&b, START, 1));

	/* a child begins with nothing charged, so that it is not denied */
	EXPECT_EQ(0, ask(&a, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&a, STATE, 0));
	EXPECT_EQ(0, ask(&a, DENIED, 0));
	EXPECT_LT(5, ask_child(&a, LOST, self->ms));
	EXPECT_EQ(ENOMEM, ask_child(&a, ERROR, 0));
	EXPECT_EQ(0, ask(&a, LOST, self->ms));

	EXPECT_EQ(0, ask(&a, END_CHILD, 0));
	ask(&a, STOP, 0);
	/* else it might pin what is free now, and have all at the limit itself */
	ask(&b, STOP, 0);
	EXPECT_EVENTUALLY(ask(&b, START, 1) == 0);
}

/* Root's rights in a user namespace are none over the machine's memory. */
TEST_F(limits, container)
{
	struct helper contained = start_helper(USER, 4, CONTAINER), outside;

	if (contained.socket < 0)
		SKIP(return, "no user namespaces: %s", strerror(errno));
	HIRE(outside, USER, 4, 0);
	EXPECT_EQ(ENOMEM, ask(&contained, START, 5));
	EXPECT_EQ(0, ask(&contained, START, 4));
	/* the same user inside and out */
	EXPECT_EQ(ENOMEM, ask(&outside, START, 1));
	EXPECT_EQ(0, ask(&contained, FORK, 0));
	EXPECT_LT(5, ask_child(&contained, LOST, self->ms));
	EXPECT_EQ(ENOMEM, ask_child(&contained, ERROR, 0));
	EXPECT_EQ(0, ask(&contained, END_CHILD, 0));
	ask(&contained, STOP, 0);
	EXPECT_EQ(0, ask(&outside, START, 4));
	ask(&outside, STOP, 0);

	EXPECT_EQ(0, write_number(PARAMETERS "max_user_sessions", 1));
	EXPECT_EQ(0, ask(&outside, START, 1));
	EXPECT_EQ(ENOSPC, ask(&contained, START, 1));
}

TEST_F(limits, pid_namespace)
{
	struct helper a = start_helper(USER, 8, PID_NAMESPACE);

	if (a.socket < 0)
		SKIP(return, "no PID namespaces: %s", strerror(errno));
	EXPECT_EQ(0, ask(&a, START, 7));
	EXPECT_LT(5, ask(&a, COUNTED, self->ms));
	EXPECT_EQ(0, ask(&a, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&a, STATE, 0));
	EXPECT_LT(5, ask_child(&a, COUNTED, self->ms));
	EXPECT_EQ(0, ask_child(&a, FORK, 0));
	EXPECT_LT(5, ask_at(a.socket, LOST, self->ms, 2));
	EXPECT_EQ(ENOMEM, ask_at(a.socket, ERROR, 0, 2));
}

TEST_F(limits, sessions)
{
	long long denied = figure("fork_failures");
	struct helper workers[4], other, root;
	int i;

	for (i = 0; i < 4; i++)
		HIRE(workers[i], USER, 64, 0);
	HIRE(other, OTHER, 64, 0);
	HIRE(root, 0, 64, 0);
	ASSERT_EQ(0, write_number(PARAMETERS "max_user_sessions", 3));

	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, ask(&workers[i], START, 1));
	EXPECT_EQ(ENOSPC, ask(&workers[3], START, 1));
	EXPECT_EQ(PROFIL_STATE_OFF, ask(&workers[3], STATE, 0));
	EXPECT_EQ(0, ask(&other, START, 1));
	/* one in place of another is not one more */
	EXPECT_EQ(0, ask(&workers[0], START, 2));
	EXPECT_EQ(2, ask(&workers[0], PINNED, 0));

	EXPECT_EQ(0, ask(&workers[0], FORK, 0));
	EXPECT_EQ(PROFIL_STATE_OFF, ask_child(&workers[0], STATE, 0));
	EXPECT_EQ(1, ask(&workers[0], DENIED, 0));
	EXPECT_LT(denied, figure("fork_failures"));
	EXPECT_EQ(ENOSPC, ask_child(&workers[0], START, 1));

	/* room is made by a stop, an exec, an end */
	ask(&workers[1], STOP, 0);
	EXPECT_EQ(0, ask(&workers[3], START, 1));
	EXPECT_EQ(ENOSPC, ask(&workers[1], START, 1));
	EXPECT_EQ(0, ask(&workers[3], EXEC, 0));
	EXPECT_EQ(0, ask(&workers[1], START, 1));
	EXPECT_EQ(ENOSPC, ask(&workers[3], START, 1));
	stop_helper(&workers[2]);
	EXPECT_EQ(0, ask_child(&workers[0], START, 1));
	EXPECT_EQ(ENOSPC, ask(&workers[3], START, 1));

	/* the administrator himself is not bound, nor are sessions ended */
	EXPECT_EQ(0, write_number(PARAMETERS "max_user_sessions", 0));
	EXPECT_EQ(0, ask(&root, START, 1));
	EXPECT_EQ(0, ask(&root, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&root, STATE, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&workers[0], STATE, 0));
}

TEST_F(limits, regions)
{
	struct helper a, b, c, other, root;

	HIRE(a, USER, 64, 0);
	HIRE(b, USER, 64, 0);
	HIRE(c, USER, 64, 0);
	HIRE(other, OTHER, 64, 0);
	HIRE(root, 0, 64, 0);
	ASSERT_EQ(0, write_number(PARAMETERS "max_user_regions", 10));

	EXPECT_EQ(0, ask(&a, START_REGIONS, 4));
	EXPECT_EQ(ENOSPC, ask(&b, START_REGIONS, 7));
	EXPECT_EQ(0, ask(&b, START_REGIONS, 6));
	EXPECT_EQ(ENOSPC, ask(&c, START_REGIONS, 1));
	EXPECT_EQ(PROFIL_STATE_OFF, ask(&c, STATE, 0));
	EXPECT_EQ(0, ask(&other, START_REGIONS, 10));
	EXPECT_EQ(0, ask(&root, START_REGIONS, 11));

	/* a child shares its parent's: they are counted once, until both end */
	EXPECT_EQ(0, ask(&a, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&a, STATE, 0));
	EXPECT_EQ(0, ask(&a, DENIED, 0));
	ask(&a, STOP, 0);
	EXPECT_EQ(ENOSPC, ask(&c, START_REGIONS, 1));
	ask_child(&a, STOP, 0);
	EXPECT_EVENTUALLY(ask(&c, START_REGIONS, 4) == 0);
	EXPECT_EQ(ENOSPC, ask(&a, START_REGIONS, 1));

	/* by exec and by exit too */
	EXPECT_EQ(0, ask(&c, EXEC, 0));
	EXPECT_EVENTUALLY(ask(&a, START_REGIONS, 4) == 0);
	stop_helper(&b);
	EXPECT_EVENTUALLY(ask(&c, START_REGIONS, 6) == 0);
	EXPECT_EQ(ENOSPC, ask_child(&a, START_REGIONS, 1));
}

/* At the cap, a process may replace its regions, and stop and start again. */
TEST_F(limits, regions_in_place_of_others)
{
	struct helper a;
	int i, refused = 0;

	HIRE(a, USER, 64, 0);
	ASSERT_EQ(0, write_number(PARAMETERS "max_user_regions", 10));
	EXPECT_EQ(0, ask(&a, START_REGIONS, 10));
	EXPECT_EQ(0, ask(&a, START_REGIONS, 10));
	EXPECT_EQ(ENOSPC, ask(&a, START_REGIONS, 11));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&a, STATE, 0));
	EXPECT_EQ(0, ask(&a, START_REGIONS, 5));
	for (i = 0; i < 10; i++) {
		ask(&a, STOP, 0);
		refused += ask(&a, START_REGIONS, 10) != 0;
	}
	EXPECT_EQ(0, refused);
}

/* --- memory cgroup --------------------------------------------------------- */

/* A new group, with figures of its memory if the kernel has them. */
static bool make_cgroup(char *path, size_t bytes)
{
	FILE *mounts = fopen("/proc/mounts", "r");
	char place[200], type[32];
	bool found = false;

	while (mounts && !found &&
	       fscanf(mounts, "%*s %199s %31s %*[^\n]", place, type) == 2)
		found = !strcmp(type, "cgroup2");
	if (mounts)
		fclose(mounts);
	if (!found)
		return false;
	snprintf(path, bytes, "%s/cgroup.subtree_control", place);
	write_text(path, "+memory");
	snprintf(path, bytes, "%s/profil-limits-%d", place, (int)getpid());
	return !mkdir(path, 0755);
}

/* Kernel memory charged to a group, in bytes, or -1. */
static long long kernel_memory(const char *group)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/memory.stat", group);
	return read_number(path, "kernel ");
}

TEST_F(limits, memory_cgroup)
{
	/* start, end and offset of a region, at the least */
	const long long least = MAX_REGIONS * 3 * sizeof(uint64_t);
	char group[256], procs[320];
	struct helper a;
	long long before;

	if (!make_cgroup(group, sizeof(group)))
		SKIP(return, "no cgroup2");
	if (kernel_memory(group) < 0) {
		rmdir(group);
		SKIP(return, "memory.stat has no figure for kernel memory");
	}
	HIRE(a, USER, 64, 0);
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", group);
	EXPECT_EQ(0, write_number(procs, a.pid));

	/* it has its page tables and descriptors by then; figures come late */
	EXPECT_EQ(0, ask(&a, START_REGIONS, 1));
	usleep(2500000);
	before = kernel_memory(group);
	EXPECT_EQ(0, ask(&a, START_REGIONS, MAX_REGIONS));
	EXPECT_EVENTUALLY(kernel_memory(group) >= before + least);
	TH_LOG("%d regions: %lld bytes of kernel memory", MAX_REGIONS,
	       kernel_memory(group) - before);
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&a, STOP, 0));
	EXPECT_EVENTUALLY(kernel_memory(group) < before + least / 2);
	stop_helper(&a);
	EXPECT_EVENTUALLY(!rmdir(group));
}

/* The last word on the parameters, also if a test has run out of time. */
int main(int argc, char **argv)
{
	int status;

	max_sessions = read_number(PARAMETERS "max_user_sessions", "");
	max_regions = read_number(PARAMETERS "max_user_regions", "");
	status = test_harness_run(argc, argv);
	if (!geteuid() && max_sessions > 0)
		restore_parameters();
	return status;
}
