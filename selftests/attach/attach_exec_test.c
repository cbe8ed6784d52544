// SPDX-License-Identifier: GPL-2.0-only
/*
 * ATTACH while the process executes another program. The descriptor of its memory proves the right
 * to trace the program before. So either ATTACH is refused, or the kernel checks the next program
 * and the log has its EXEC.
 */
#include <sched.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "eventually.h"
#include "kernel/tasks.h"

#define MOST_NS		200000	/* a timer's interrupt, a switch, and an ATTACH take less */
#define AROUND_NS	1500
#define STEP_NS		50

FIXTURE(exec) {
	int device;
	struct target first;	/* keeps the log and the hooks: ATTACH then takes microseconds */
	struct records records;
	uint64_t *when;		/* targets execute the program then, in ns of now_ns() */
};

static void run_on_first_cpu(int policy, int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	if (put_on_cpu(0, 0) || sched_setscheduler(0, policy, &param))
		_exit(98);
}

FIXTURE_SETUP(exec)
{
	REQUIRE_ATTACH(self->device);
	if (geteuid())
		SKIP(return, "needs root");
	self->records = (struct records) { 0 };
	self->when = map_shared(PAGE);
	run_on_first_cpu(SCHED_OTHER, 0);
	fcntl(self->device, F_SETFL, O_NONBLOCK);
	ASSERT_EQ(0, start_target(&self->first, self->device, wait_for_ever, NULL));
	ASSERT_EQ(0, attach_target(self->device, &self->first, 0));
}

FIXTURE_TEARDOWN(exec)
{
	kill_target(&self->first);
	free_records(&self->records);
	close(self->device);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Interrupts the test, which has a lower priority, wherever it is then. */
static void execute_then(void *data)
{
	const uint64_t *when = data;
	struct timespec then;

	run_on_first_cpu(SCHED_FIFO, 1);
	then = (struct timespec) { (time_t)(*when / 1000000000), (long)(*when % 1000000000) };
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
	execl("/proc/self/exe", "program", "task", NULL);
	_exit(99);
}

/* Attaches to a process that executes a program @ahead_ns after the call. Returns its errno. */
static int attach_before_exec(struct __test_metadata *_metadata, struct _test_data_exec *self,
			      uint64_t ahead_ns)
{
	struct profil_attach attach;
	struct target target;
	int error;

	ASSERT_EQ(0, start_target(&target, self->device, execute_then, self->when));
	attach = attachment(self->device, &target);
	*self->when = now_ns() + 1000000;
	release(&target);
	while (now_ns() < *self->when - ahead_ns)
		;
	error = call(self->device, PROFIL_IOC_ATTACH, &attach);
	/* the program sleeps */
	ASSERT_TRUE(EVENTUALLY(now_ns() >= *self->when && task_state(target.pid) == 'S'));
	ASSERT_EQ(EAGAIN, read_all(&self->records, self->device));
	EXPECT_EQ(!error, count_records(&self->records, PROFIL_RECORD_EXEC, target.pid)) {
		TH_LOG("exec %llu ns after the call: errno %d", (unsigned long long)ahead_ns,
		       error);
	}
	kill_target(&target);
	free_records(&self->records);
	return error;
}

/* Returns the shortest time before exec, to a step, at which ATTACH is not refused: below @most. */
static uint64_t search_below(struct __test_metadata *_metadata, struct _test_data_exec *self,
			     uint64_t most)
{
	uint64_t refused = 0, attached = most, between;

	while (attached - refused > STEP_NS) {
		between = (refused + attached) / 2;
		if (attach_before_exec(_metadata, self, between))
			refused = between;
		else
			attached = between;
	}
	return attached;
}

/*
 * An ATTACH that an interrupt made longer is refused, and all that the search finds then is too
 * long. So it begins anew below what it has found, until that is no longer any shorter.
 */
static uint64_t find_shortest_accepted(struct __test_metadata *_metadata,
				       struct _test_data_exec *self)
{
	uint64_t found = MOST_NS, last;

	do {
		last = found;
		found = search_below(_metadata, self, last);
	} while (found + AROUND_NS < last);
	return found;
}

/*
 * Exec comes at each place of ATTACH's last steps: the process is checked again, and its target is
 * confirmed.
 */
TEST_F(exec, at_each_place)
{
	uint64_t middle = find_shortest_accepted(_metadata, self) / STEP_NS * STEP_NS, ahead, top;
	unsigned int attached = 0, refused = 0;

	if (middle < AROUND_NS)
		SKIP(return, "the kernel does not preempt system calls");
	/*
	 * The search may err by as much: go down until enough were refused. It errs by more if an
	 * interrupt made an exec late, and none is accepted: then begin higher.
	 */
	for (top = middle + AROUND_NS; !attached && top < MOST_NS; top += AROUND_NS) {
		refused = 0;
		for (ahead = top; ahead && refused < AROUND_NS / STEP_NS; ahead -= STEP_NS) {
			int error = attach_before_exec(_metadata, self, ahead);

			EXPECT_TRUE(!error || error == ESRCH);
			attached += !error;
			refused += !!error;
		}
	}
	EXPECT_LT(0, attached);
	EXPECT_LT(0, refused);
	EXPECT_LT(middle, MOST_NS);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "task")) {
		pause();
		return 0;
	}
	return test_harness_run(argc, argv);
}
