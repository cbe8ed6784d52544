// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread waits in a page fault for the user's own file system, for as long as the user wants, and
 * cannot be killed there. From Linux 6.7 on, it holds the lock of its mapping, but not mmap_lock.
 *
 * The first START of a process takes the locks of all its mappings, and so does the worker for a
 * forked child. A mutex of the whole machine is held meanwhile (mm_take_all_locks()), so nobody may
 * wait for the fault there: no other user's START may take longer, no worker may be stuck, and the
 * memory must stay accessible to others. When the fault ends, START succeeds, and the child's
 * samples are counted.
 *
 * Before 6.7 the fault holds mmap_lock instead, for which START waits without the mutex.
 */
#include "kselftest_harness.h"
#include "common.h"
#include "eventually.h"
#include "kernel/slow_file.h"
#include "kernel/tasks.h"
#include "kernel/version.h"

#define ATTACKER	7620	/* a uid that no other test charges */
#define OTHER		7621
#define SAMPLES		3	/* of the child */

FIXTURE(stuck_fault) {
	int device;
	struct slow_file slow;
	pid_t holder;
	int ready[2];
	uint64_t *counter;
	int *result;
};

FIXTURE_SETUP(stuck_fault)
{
	const char *missing;

	REQUIRE_DEVICE(self->device);
	missing = slow_file_begin(&self->slow);
	if (missing)
		SKIP(return, "%s", missing);
	ASSERT_EQ(0, pipe(self->ready));
	self->counter = map_shared(PAGE);
	self->result = map_shared(PAGE);
	*self->result = -1;
	self->holder = hold_hooks(self->device);
}

FIXTURE_TEARDOWN(stuck_fault)
{
	slow_file_end(&self->slow);
	kill(self->holder, SIGKILL);
	wait_for(self->holder);
	close(self->device);
}

static void hold_fault(struct _test_data_stuck_fault *self)
{
	if (!slow_file_hold_fault(&self->slow))
		_exit(1);
	send_byte(self->ready[1]);
}

/* Its START waits for the fault. */
static void attack_by_start(struct _test_data_stuck_fault *self)
{
	if (become_user(ATTACKER, 8))
		_exit(1);
	hold_fault(self);
	*self->result = start_counting(self->device, self->counter, 0, 0);
	_exit(0);
}

/*
 * The worker subscribes for its child, at the first sample. The rate is low, so that the child has
 * hardly ever one before the fault.
 */
static void attack_by_child(struct _test_data_stuck_fault *self)
{
	unsigned int rate = get_info(self->device).tick_hz / 10;
	pid_t child;

	if (become_user(ATTACKER, 8) ||
	    start_counting(self->device, self->counter, rate, PROFIL_PIN_ON_HIT))
		_exit(1);
	child = fork();
	if (child)
		_exit(wait_for(child));
	hold_fault(self);
	burn(seconds_for(SAMPLES, rate));
	for (;;)
		pause();
}

static pid_t attack(struct _test_data_stuck_fault *self,
		    void (*by)(struct _test_data_stuck_fault *self))
{
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		by(self);
	}
	receive_byte(self->ready[0]);
	/* START waits, or the worker has run */
	usleep(500000);
	return pid;
}

static bool ends(pid_t pid)
{
	return EVENTUALLY(waitpid(pid, NULL, WNOHANG) == pid);
}

static void start_as_other_user(struct __test_metadata *_metadata, int device)
{
	pid_t pid = fork();
	bool ended;

	if (!pid)
		_exit(become_user(OTHER, 8) || start_counting(device, map_memory(PAGE), 0, 0));
	ended = ends(pid);
	ksft_print_msg("another user's START %s\n", ended ? "returns" : "does not return");
	EXPECT_TRUE(ended);
}

/* Root looks at the process, as ps(1) does. */
static void read_command_line(struct __test_metadata *_metadata, pid_t pid)
{
	pid_t reader = fork();
	char text[256];

	if (!reader)
		_exit(!read_task_file(pid, "cmdline", text, sizeof(text)));
	EXPECT_TRUE(ends(reader));
}

TEST_F(stuck_fault, others_start_while_start_waits)
{
	pid_t pid = attack(self, attack_by_start);

	EXPECT_EQ(-1, *self->result);
	start_as_other_user(_metadata, self->device);
	if (!kernel_is_before(6, 7))
		read_command_line(_metadata, pid);
	slow_file_end(&self->slow);
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(0, *self->result);
}

/* The main thread ends. The thread in the fault keeps the process until the fault ends. */
TEST_F(stuck_fault, start_can_be_killed)
{
	pid_t pid = attack(self, attack_by_start);
	bool killed;

	EXPECT_EQ(-1, *self->result);
	kill(pid, SIGKILL);
	killed = EVENTUALLY(task_state(pid) == 'Z');
	ksft_print_msg("the killed START %s\n", killed ? "ends" : "does not end");
	EXPECT_TRUE(killed);
	slow_file_end(&self->slow);
	wait_for(pid);
}

TEST_F(stuck_fault, others_start_while_child_waits)
{
	pid_t pid = attack(self, attack_by_child);

	ksft_print_msg("%llu samples are counted while the fault waits\n",
		       (unsigned long long)*self->counter);
	start_as_other_user(_metadata, self->device);
	/* one that waits for the fault does so until it ends, below; others sleep for a moment */
	EXPECT_EVENTUALLY(!stuck_kworkers());
	slow_file_end(&self->slow);
	/* now the worker subscribes, pins the counter and counts */
	EXPECT_EVENTUALLY(__atomic_load_n(self->counter, __ATOMIC_RELAXED) >= SAMPLES);
	kill(-pid, SIGKILL);
	wait_for(pid);
}

TEST_HARNESS_MAIN
