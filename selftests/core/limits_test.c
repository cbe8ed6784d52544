// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of a user over all their processes: locked memory, sessions and regions. Kernel memory is
 * charged to the memory cgroup.
 *
 * The tests run as root and control helpers: processes of other users, which execute requests and
 * return the results.
 */
#include <stdbool.h>

#include "kselftest_harness.h"
#include "eventually.h"
#include "kernel/cgroup.h"
#include "load/helper_process.h"

/*
 * Users who are charged only by this test. Each test runs in a process of its own, and the charges
 * of an earlier test's helpers may not be undone yet.
 */
#define USER		(1900000000U + 2 * (unsigned int)getpid())
#define OTHER		(USER + 1)

/* A helper uses CPU time for so many */
#define SAMPLES		6

static int write_number(const char *path, long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", number);
	return write_text(path, text);
}

#define START_HELPER(helper, uid, pages, how)				\
	do {								\
		(helper) = start_helper(uid, pages, how);		\
		ASSERT_LE(0, (helper).socket) {				\
			TH_LOG("no helper: %s", strerror(errno));	\
		}							\
	} while (0)

/* Their values before the test */
static long max_sessions, max_regions;

static int restore_parameters(void)
{
	return write_number(PARAMETERS "max_user_sessions", max_sessions) |
	       write_number(PARAMETERS "max_user_regions", max_regions);
}

FIXTURE(limits) {
	int fd;
};

FIXTURE_SETUP(limits)
{
	REQUIRE_DEVICE(self->fd);
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_LT(0, max_sessions);
	ASSERT_LT(0, max_regions);
}

FIXTURE_TEARDOWN(limits)
{
	EXPECT_EQ(0, restore_parameters());
	close(self->fd);
}

/* All processes of a user share one limit, which may be reached but not exceeded. */
TEST_F(limits, memlock_is_per_user)
{
	struct helper a, b, c, other;

	START_HELPER(a, USER, 8, 0);
	START_HELPER(b, USER, 8, 0);
	START_HELPER(c, USER, 8, 0);
	START_HELPER(other, OTHER, 8, 0);

	EXPECT_EQ(0, ask(&a, START, 3));
	EXPECT_EQ(ENOMEM, ask(&b, START, 6));
	EXPECT_EQ(0, ask(&b, START, 5));
	EXPECT_EQ(ENOMEM, ask(&c, START, 1));
	EXPECT_EQ(PROFIL_STATE_OFF, ask(&c, STATE, 0));
	EXPECT_EQ(0, ask(&other, START, 8));

	/* a process whose larger profile is refused keeps the current one */
	EXPECT_EQ(ENOMEM, ask(&b, START, 9));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&b, STATE, 0));
	EXPECT_EQ(5, ask(&b, PINNED, 0));
	EXPECT_LE(SAMPLES, ask(&b, COUNTED, SAMPLES));

	/* refusals have charged nothing */
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&a, STOP, 0));
	EXPECT_EQ(ENOMEM, ask(&c, START, 4));
	EXPECT_EQ(0, ask(&c, START, 3));
	EXPECT_EQ(ENOMEM, ask(&a, START, 1));
}

TEST_F(limits, memlock_uncharged)
{
	struct helper a, b;

	START_HELPER(a, USER, 4, 0);
	START_HELPER(b, USER, 4, 0);

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

	/* at exit, and by SIGKILL */
	stop_helper(&b);
	EXPECT_EQ(0, ask(&a, START, 4));
	kill(a.pid, SIGKILL);
	stop_helper(&a);
	START_HELPER(b, USER, 4, 0);
	EXPECT_EQ(0, ask(&b, START, 4));
	EXPECT_EQ(ENOMEM, ask(&b, START, 5));
}

TEST_F(limits, memlock_exempt)
{
	struct helper root, exempt, plain;

	START_HELPER(root, 0, 0, 0);
	START_HELPER(exempt, USER, 4, KEEP_IPC_LOCK);
	START_HELPER(plain, USER, 4, 0);

	EXPECT_EQ(0, ask(&root, START, 16));
	EXPECT_EQ(0, ask(&exempt, START, 16));
	/* what is exempt is not charged ... */
	EXPECT_EQ(0, ask(&plain, START, 4));
	ask(&plain, STOP, 0);
	/* ... so it must not be uncharged either */
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

/* The user who was charged is uncharged, even if the process has changed its user. */
TEST_F(limits, memlock_after_setuid)
{
	struct helper a, user, other;

	START_HELPER(a, USER, 4, KEEP_SETUID);
	START_HELPER(user, USER, 4, 0);
	START_HELPER(other, OTHER, 4, 0);

	EXPECT_EQ(0, ask(&a, START, 4));
	EXPECT_EQ(0, ask(&a, SETUID, OTHER));
	EXPECT_EQ(ENOMEM, ask(&user, START, 1));
	EXPECT_EQ(0, ask(&other, START, 4));
	ask(&other, STOP, 0);
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&a, STOP, 0));
	EXPECT_EQ(0, ask(&user, START, 4));
	EXPECT_EQ(ENOMEM, ask(&other, START, 5));
}

/* A fork charges nothing: a child is charged for the pages that its samples hit. */
TEST_F(limits, fork_over_memlock)
{
	long long failures = figure("fork_failures");
	struct helper a, b;

	START_HELPER(a, USER, 7, 0);
	START_HELPER(b, USER, 7, 0);
	ASSERT_LE(0, failures);

	EXPECT_EQ(0, ask(&a, START, 3));
	EXPECT_EQ(0, ask(&a, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&a, STATE, 0));
	EXPECT_EQ(1, ask(&a, FORKS_FOLLOWED, 0));
	/* the parent has 3 of 7 pages, the child the one that its samples hit */
	EXPECT_LE(SAMPLES, ask_child(&a, COUNTED, SAMPLES));
	EXPECT_EQ(ENOMEM, ask(&b, START, 4));
	EXPECT_EQ(0, ask(&b, START, 3));

	/* nothing is left for the grandchild: its profile runs, but loses samples */
	EXPECT_EQ(0, ask_child(&a, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_at(a.socket, STATE, 0, 2));
	EXPECT_LE(SAMPLES, ask_at(a.socket, LOST, SAMPLES, 2));
	EXPECT_EQ(0, ask_at(a.socket, COUNTED, SAMPLES, 2));
	EXPECT_EQ(ENOMEM, ask_at(a.socket, ERROR, 0, 2));
	ask(&b, STOP, 0);
	EXPECT_LE(SAMPLES, ask_at(a.socket, COUNTED, SAMPLES, 2));
	EXPECT_EQ(0, ask(&a, FORK_FAILURES, 0) + ask_child(&a, FORK_FAILURES, 0));
	EXPECT_EQ(failures, figure("fork_failures"));
	EXPECT_EQ(0, ask_child(&a, END_CHILD, 0));

	/* a stop uncharges the pages of the child */
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&a, STOP, 0));
	EXPECT_EQ(0, ask(&b, START, 4));
	EXPECT_EQ(0, ask(&a, END_CHILD, 0));
	EXPECT_EQ(ENOMEM, ask(&b, START, 1));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&a, STATE, 0));
}

/* A fork bomb pins no more memory than its user may. */
TEST_F(limits, fork_storm)
{
	struct helper a;
	int i;

	START_HELPER(a, USER, 4, 0);
	EXPECT_EQ(0, ask(&a, START, 1));
	for (i = 1; i <= 3; i++) {
		EXPECT_EQ(3, ask(&a, FORK_MANY, 30));
		EXPECT_EQ(30 * i, ask(&a, FORKS_FOLLOWED, 0));
		EXPECT_EQ(0, ask(&a, FORK_FAILURES, 0));
	}
	/* their exits have uncharged everything */
	EXPECT_EQ(0, ask(&a, START, 3));
	EXPECT_EQ(3, ask(&a, PINNED, 0));
}

/*
 * With PROFIL_PIN_ON_HIT, a page is charged at the first hit; beyond the limit, samples are lost.
 */
TEST_F(limits, memlock_on_hit)
{
	struct helper a, b;

	START_HELPER(a, USER, 1, 0);
	START_HELPER(b, USER, 1, 0);
	EXPECT_EQ(0, ask(&a, START_ON_HIT, 100));
	EXPECT_LE(SAMPLES, ask(&a, COUNTED, SAMPLES));
	EXPECT_EQ(1, ask(&a, PINNED, 0));
	EXPECT_EQ(0, ask(&a, ERROR, 0));

	EXPECT_EQ(0, ask(&b, START_ON_HIT, 100));
	EXPECT_LE(SAMPLES, ask(&b, LOST, SAMPLES));
	EXPECT_EQ(0, ask(&b, COUNTED, 0));
	EXPECT_EQ(ENOMEM, ask(&b, ERROR, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&b, STATE, 0));
	EXPECT_EQ(0, ask(&b, PINNED, 0));
	EXPECT_EQ(ENOMEM, ask(&b, START, 1));

	/* a child starts with no charge, so the fork does not fail */
	EXPECT_EQ(0, ask(&a, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&a, STATE, 0));
	EXPECT_EQ(0, ask(&a, FORK_FAILURES, 0));
	EXPECT_LE(SAMPLES, ask_child(&a, LOST, SAMPLES));
	EXPECT_EQ(ENOMEM, ask_child(&a, ERROR, 0));
	EXPECT_EQ(0, ask(&a, LOST, SAMPLES));

	EXPECT_EQ(0, ask(&a, END_CHILD, 0));
	ask(&a, STOP, 0);
	/* otherwise it might pin what is free now, and reach the limit itself */
	ask(&b, STOP, 0);
	EXPECT_EVENTUALLY(ask(&b, START, 1) == 0);
}

/* Root in a user namespace has no privilege. */
TEST_F(limits, container)
{
	struct helper contained = start_helper(USER, 4, CONTAINER), outside;

	if (contained.socket < 0)
		SKIP(return, "no user namespaces: %s", strerror(errno));
	START_HELPER(outside, USER, 4, 0);
	EXPECT_EQ(ENOMEM, ask(&contained, START, 5));
	EXPECT_EQ(0, ask(&contained, START, 4));
	/* the same user inside and outside of it */
	EXPECT_EQ(ENOMEM, ask(&outside, START, 1));
	EXPECT_EQ(0, ask(&contained, FORK, 0));
	EXPECT_LE(SAMPLES, ask_child(&contained, LOST, SAMPLES));
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
	EXPECT_LE(SAMPLES, ask(&a, COUNTED, SAMPLES));
	EXPECT_EQ(0, ask(&a, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&a, STATE, 0));
	EXPECT_LE(SAMPLES, ask_child(&a, COUNTED, SAMPLES));
	EXPECT_EQ(0, ask_child(&a, FORK, 0));
	EXPECT_LE(SAMPLES, ask_at(a.socket, LOST, SAMPLES, 2));
	EXPECT_EQ(ENOMEM, ask_at(a.socket, ERROR, 0, 2));
}

TEST_F(limits, sessions)
{
	long long failures = figure("fork_failures");
	struct helper helpers[4], other, root;
	int i;

	for (i = 0; i < 4; i++)
		START_HELPER(helpers[i], USER, 64, 0);
	START_HELPER(other, OTHER, 64, 0);
	START_HELPER(root, 0, 64, 0);
	ASSERT_EQ(0, write_number(PARAMETERS "max_user_sessions", 3));

	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, ask(&helpers[i], START, 1));
	EXPECT_EQ(ENOSPC, ask(&helpers[3], START, 1));
	EXPECT_EQ(PROFIL_STATE_OFF, ask(&helpers[3], STATE, 0));
	EXPECT_EQ(0, ask(&other, START, 1));
	/* a replacement is not an additional session */
	EXPECT_EQ(0, ask(&helpers[0], START, 2));
	EXPECT_EQ(2, ask(&helpers[0], PINNED, 0));

	EXPECT_EQ(0, ask(&helpers[0], FORK, 0));
	EXPECT_EQ(PROFIL_STATE_OFF, ask_child(&helpers[0], STATE, 0));
	EXPECT_EQ(1, ask(&helpers[0], FORK_FAILURES, 0));
	EXPECT_LT(failures, figure("fork_failures"));
	EXPECT_EQ(ENOSPC, ask_child(&helpers[0], START, 1));

	/* a stop, an exec or an exit makes room */
	ask(&helpers[1], STOP, 0);
	EXPECT_EQ(0, ask(&helpers[3], START, 1));
	EXPECT_EQ(ENOSPC, ask(&helpers[1], START, 1));
	EXPECT_EQ(0, ask(&helpers[3], EXEC, 0));
	EXPECT_EQ(0, ask(&helpers[1], START, 1));
	EXPECT_EQ(ENOSPC, ask(&helpers[3], START, 1));
	stop_helper(&helpers[2]);
	EXPECT_EQ(0, ask_child(&helpers[0], START, 1));
	EXPECT_EQ(ENOSPC, ask(&helpers[3], START, 1));

	/* root is not limited, and running sessions are not ended */
	EXPECT_EQ(0, write_number(PARAMETERS "max_user_sessions", 0));
	EXPECT_EQ(0, ask(&root, START, 1));
	EXPECT_EQ(0, ask(&root, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&root, STATE, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&helpers[0], STATE, 0));
}

TEST_F(limits, regions)
{
	struct helper a, b, c, other, root;

	START_HELPER(a, USER, 64, 0);
	START_HELPER(b, USER, 64, 0);
	START_HELPER(c, USER, 64, 0);
	START_HELPER(other, OTHER, 64, 0);
	START_HELPER(root, 0, 64, 0);
	ASSERT_EQ(0, write_number(PARAMETERS "max_user_regions", 10));

	EXPECT_EQ(0, ask(&a, START_REGIONS, 4));
	EXPECT_EQ(ENOSPC, ask(&b, START_REGIONS, 7));
	EXPECT_EQ(0, ask(&b, START_REGIONS, 6));
	EXPECT_EQ(ENOSPC, ask(&c, START_REGIONS, 1));
	EXPECT_EQ(PROFIL_STATE_OFF, ask(&c, STATE, 0));
	EXPECT_EQ(0, ask(&other, START_REGIONS, 10));
	EXPECT_EQ(0, ask(&root, START_REGIONS, 11));

	/* a child shares its parent's regions: they count once, until both end */
	EXPECT_EQ(0, ask(&a, FORK, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask_child(&a, STATE, 0));
	EXPECT_EQ(0, ask(&a, FORK_FAILURES, 0));
	ask(&a, STOP, 0);
	EXPECT_EQ(ENOSPC, ask(&c, START_REGIONS, 1));
	ask_child(&a, STOP, 0);
	EXPECT_EVENTUALLY(ask(&c, START_REGIONS, 4) == 0);
	EXPECT_EQ(ENOSPC, ask(&a, START_REGIONS, 1));

	/* an exec or an exit makes room, too */
	EXPECT_EQ(0, ask(&c, EXEC, 0));
	EXPECT_EVENTUALLY(ask(&a, START_REGIONS, 4) == 0);
	stop_helper(&b);
	EXPECT_EVENTUALLY(ask(&c, START_REGIONS, 6) == 0);
	EXPECT_EQ(ENOSPC, ask_child(&a, START_REGIONS, 1));
}

/* At the limit, a process may replace its regions, and stop and start again. */
TEST_F(limits, regions_replaced)
{
	struct helper a;
	int i, refused = 0;

	START_HELPER(a, USER, 64, 0);
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

/* Returns the bytes of kernel memory charged to a group, or -1. */
static long long kernel_memory(const struct memory_cgroup *group)
{
	return cgroup_statistic(group, "kernel ");
}

TEST_F(limits, memory_cgroup)
{
	/* at least start, end and offset of each region */
	const long long least = MAX_REGIONS * 3 * sizeof(uint64_t);
	struct memory_cgroup group;
	struct helper a;
	long long before;

	if (!cgroup_make(&group, "limits"))
		SKIP(return, "no memory cgroup");
	if (kernel_memory(&group) < 0) {
		rmdir(group.path);
		SKIP(return, "memory.stat does not show kernel memory");
	}
	START_HELPER(a, USER, 64, 0);
	EXPECT_EQ(0, cgroup_set(&group, "cgroup.procs", a.pid));

	/* wait until its page tables and descriptors are in the figures, which are updated late */
	EXPECT_EQ(0, ask(&a, START_REGIONS, 1));
	usleep(2500000);
	before = kernel_memory(&group);
	EXPECT_EQ(0, ask(&a, START_REGIONS, MAX_REGIONS));
	EXPECT_EVENTUALLY(kernel_memory(&group) >= before + least);
	TH_LOG("%d regions: %lld bytes of kernel memory", MAX_REGIONS,
	       kernel_memory(&group) - before);
	EXPECT_EQ(PROFIL_STATE_RUNNING, ask(&a, STOP, 0));
	EXPECT_EVENTUALLY(kernel_memory(&group) < before + least / 2);
	stop_helper(&a);
	EXPECT_EVENTUALLY(!rmdir(group.path));
}

/* Restores the parameters, even if a test has timed out. */
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
