// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user can act as any of its subordinate uids, 65,536 by default, in a user namespace of its own,
 * as rootless containers do. What is limited for a user must be limited for all of them together:
 * targets of a process, sessions, locked memory, and the CPU time that samples of a process take.
 */
#include <sched.h>
#include <sys/prctl.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "files.h"

#define USER		7900		/* a uid that no other test charges */
#define SUBORDINATE	1079000		/* and the following uids likewise */
#define UIDS		12
#define PAGES		64		/* room for three logs */
#define MAX_SESSIONS	PARAMETERS "max_user_sessions"
#define MAX_PERCENT	PARAMETERS "max_cpu_percent"
#define MOST_TARGETS	4		/* of a process, for all who may not trace all */

/* Values of parameters before the test */
static long long sessions, percent;

static void restore(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", sessions);
	write_text(MAX_SESSIONS, text);
	snprintf(text, sizeof(text), "%lld", percent);
	write_text(MAX_PERCENT, text);
}

FIXTURE(subordinate) {
	int device;
	int *results;			/* of UIDS steps; shared */
};

FIXTURE_SETUP(subordinate)
{
	REQUIRE_ATTACH(self->device);
	if (geteuid())
		SKIP(return, "needs root");
	self->results = map_shared(PAGE);
}

FIXTURE_TEARDOWN(subordinate)
{
	restore();
	close(self->device);
}

/* As newuidmap(1) does for a user. */
static int map_uids(pid_t pid)
{
	char path[64], map[128];

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	snprintf(map, sizeof(map), "0 %d 1\n1 %d %d\n", USER, SUBORDINATE, UIDS);
	return write_text(path, map);
}

/*
 * Runs @act in a child: USER, as root of a user namespace with UIDS uids. Returns its exit status,
 * or -1 without user namespaces.
 */
static int in_namespace(struct _test_data_subordinate *self, size_t pages,
			int (*act)(struct _test_data_subordinate *self))
{
	int to_child[2], to_parent[2], mapped;
	pid_t pid;

	if (pipe(to_child) || pipe(to_parent))
		return -1;
	pid = fork();
	if (!pid) {
		if (become_user(USER, pages) || prctl(PR_SET_DUMPABLE, 1) ||
		    unshare(CLONE_NEWUSER) || send_byte(to_parent[1]) || receive_byte(to_child[0]))
			_exit(255);
		_exit(act(self));
	}
	close(to_parent[1]);
	mapped = receive_byte(to_parent[0]) ? -1 : map_uids(pid);
	if (mapped || send_byte(to_child[1]))
		kill(pid, SIGKILL);
	return mapped ? (wait_for(pid), -1) : wait_for(pid);
}

/* A target of the current user, which uses CPU time without end. */
static int start_burner(struct target *target)
{
	target->pid = fork();
	if (!target->pid)
		for (;;)
			burn(1);
	target->mem = open_of(target->pid, "mem", O_RDONLY);
	return target->mem < 0;
}

/* Each uid attaches one log to the same process. */
static int attach_by_each(struct _test_data_subordinate *self)
{
	struct target target;
	int i;

	if (start_burner(&target))
		return 255;
	for (i = 0; i < UIDS; i++) {
		if (setresuid((uid_t)i + 1, 0, 0))
			return 255;
		self->results[i] = attach_target(open_device(), &target, 0);
	}
	kill(target.pid, SIGKILL);
	return 0;
}

TEST_F(subordinate, targets_of_a_process)
{
	int status = in_namespace(self, (size_t)16 * UIDS, attach_by_each), i;

	if (status < 0)
		SKIP(return, "no user namespaces");
	ASSERT_EQ(0, status);
	for (i = 0; i < UIDS; i++)
		EXPECT_EQ(i < MOST_TARGETS ? 0 : EBUSY, self->results[i]);
}

/* Each uid attaches a log to a process of its own. */
static int attach_own_by_each(struct _test_data_subordinate *self)
{
	struct target targets[UIDS];
	int i;

	for (i = 0; i < UIDS; i++)
		if (start_burner(&targets[i]))
			return 255;
	for (i = 0; i < UIDS; i++) {
		if (setresuid((uid_t)i + 1, 0, 0))
			return 255;
		self->results[i] = attach_target(open_device(), &targets[i], 0);
	}
	for (i = 0; i < UIDS; i++)
		kill(targets[i].pid, SIGKILL);
	return 0;
}

TEST_F(subordinate, locked_memory)
{
	int status = in_namespace(self, PAGES, attach_own_by_each), i;

	if (status < 0)
		SKIP(return, "no user namespaces");
	ASSERT_EQ(0, status);
	for (i = 0; i < UIDS; i++)
		EXPECT_EQ((size_t)i < PAGES * PAGE / LEAST_LOG ? 0 : ENOMEM, self->results[i]);
}

TEST_F(subordinate, sessions)
{
	int status, i;

	ASSERT_EQ(0, write_text(MAX_SESSIONS, "5"));
	status = in_namespace(self, (size_t)16 * UIDS, attach_own_by_each);
	if (status < 0)
		SKIP(return, "no user namespaces");
	ASSERT_EQ(0, status);
	for (i = 0; i < UIDS; i++)
		EXPECT_EQ(i < 5 ? 0 : ENOSPC, self->results[i]);
}

/* Sum of the rates that are left to so many uids which sample the same process at 4000 Hz. */
static int sum_of_rates(const struct target *target, int uids)
{
	struct profil_attach arg;
	int devices[MOST_TARGETS], i, sum = 0;

	for (i = 0; i < uids; i++) {
		devices[i] = open_device();
		arg = attachment(devices[i], target);
		arg.rate = 4000;
		arg.clock = PROFIL_CLOCK_TIMER;
		if (setresuid((uid_t)i + 1, 0, 0) || call(devices[i], PROFIL_IOC_ATTACH, &arg))
			return -1;
	}
	/* some hundred samples of each: their mean cost is known */
	usleep(500000);
	for (i = 0; i < uids; i++) {
		sum += (int)log_status(devices[i]).rate;
		close(devices[i]);
	}
	return sum;
}

static int sample_by_each(struct _test_data_subordinate *self)
{
	struct target target;

	if (start_burner(&target))
		return 255;
	self->results[0] = sum_of_rates(&target, 1);
	self->results[1] = sum_of_rates(&target, MOST_TARGETS);
	kill(target.pid, SIGKILL);
	return 0;
}

/*
 * Samples of all together may take as much as those of one. They cost more, since the clock is read
 * for each: fewer are left. Each may have the tick's rate in any case.
 */
TEST_F(subordinate, cpu_time)
{
	int status, hz = (int)get_info(self->device).tick_hz;

	ASSERT_EQ(0, write_text(MAX_PERCENT, "1"));
	status = in_namespace(self, (size_t)16 * UIDS, sample_by_each);
	if (status < 0)
		SKIP(return, "no user namespaces");
	ASSERT_EQ(0, status);
	ksft_print_msg("one uid has %d Hz, %d have %d\n", self->results[0], MOST_TARGETS,
		       self->results[1]);
	EXPECT_LE(hz, self->results[0]);
	EXPECT_LE(MOST_TARGETS * hz, self->results[1]);
	EXPECT_GE(self->results[0] * 3 / 2 + MOST_TARGETS * hz, self->results[1]);
}

int main(int argc, char **argv)
{
	sessions = read_number(MAX_SESSIONS, "");
	percent = read_number(MAX_PERCENT, "");
	return test_harness_run(argc, argv);
}
