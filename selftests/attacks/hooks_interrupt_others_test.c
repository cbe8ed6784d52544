// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching and detaching the module's hooks patches the kernel's text, which interrupts all CPUs,
 * also isolated ones: some 100 times for all hooks. A user who makes the module do that as often as
 * possible must not interrupt a CPU more than once a second in the long run.
 *
 * The attacker starts and ends a profile, waits until the hooks are detached, and does it again.
 * The kernel does not show when they are detached. But /proc/interrupts, which anyone may read,
 * shows whether a start attached them. If it did not, the pause was too short, and is doubled.
 *
 * hooks.c proves the bound: for max_hook_seconds of M, at most log2(M) + 1 attachments of a hook
 * once, and one for each M seconds. The test has a lower M than the default of 256, with which 0.55
 * interrupts per second remain, so that it simulates minutes and not hours.
 *
 * The kernel itself interrupts the CPU about once a second. The test subtracts as many as it counts
 * without an attack.
 */
#include <sys/prctl.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "child.h"
#include "common.h"
#include "files.h"
#include "kernel/interrupts.h"

#define ATTACKER	7800	/* a uid that no other test charges */
#define SECONDS		240	/* 80 until the attacker has found the longest pause, and 4 of it */
#define LONGEST		32	/* in seconds: max_hook_seconds */
#define EACH		150	/* interrupts by attaching and detaching once: 80 to 140 on 6.12 */
#define MOST		((6 + SECONDS / LONGEST) * EACH)
#define IDLE_SECONDS	60
#define FTRACE		"/proc/sys/kernel/ftrace_enabled"
#define REFUSED		100	/* starts */
#define FEW		10	/* interrupts by a start that attaches nothing */

/* What an attack did, in shared memory */
struct attack {
	int err;
	unsigned int starts;
	unsigned int attachments;	/* that the attacker saw */
	/* more function call interrupts of the last CPU than idle */
	long calls;
	double seconds;
};

FIXTURE(hooks) {
	char workers[MASK_TEXT];	/* CPUs on which the kernel's workers may run */
	int device;
	int last;			/* the last CPU */
	struct attack *attack;
};

FIXTURE_VARIANT(hooks) {
	bool attach;			/* or START */
	unsigned int clock;
};

FIXTURE_VARIANT_ADD(hooks, attach_timer) { true, PROFIL_CLOCK_TIMER };
FIXTURE_VARIANT_ADD(hooks, attach_tick) { true, PROFIL_CLOCK_TICK };
FIXTURE_VARIANT_ADD(hooks, start_timer) { false, PROFIL_CLOCK_TIMER };
FIXTURE_VARIANT_ADD(hooks, start_tick) { false, PROFIL_CLOCK_TICK };

FIXTURE_SETUP(hooks)
{
	REQUIRE_ATTACH(self->device);
	self->last = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	if (!self->last)
		SKIP(return, "needs two CPUs");
	if (geteuid())
		SKIP(return, "needs root");
	if (calls_of_cpu(self->last) < 0)
		SKIP(return, "this architecture does not count them");
	ASSERT_EQ(256, read_number(PARAMETERS "max_hook_seconds", ""));
	ASSERT_EQ(0, put_on_cpu(0, 0));
	ASSERT_EQ(0, put_workers_on_first_cpu(self->workers));
	self->attack = map_shared(sizeof(*self->attack));
}

FIXTURE_TEARDOWN(hooks)
{
	write_text(PARAMETERS "max_hook_seconds", "256");
	put_workers_back(self->workers);
	close(self->device);
}

/* A process profiles itself for a moment. */
static int attach_and_close(unsigned int clock)
{
	struct profil_attach attach = {
		.size = sizeof(attach),
		.rate = 100,
		.clock = clock,
		.pid = getpid(),
		.mem = open_of(getpid(), "mem", O_RDONLY),
		.log_bytes = LEAST_LOG,
	};
	int device = open_device(), err;

	err = call(device, PROFIL_IOC_ATTACH, &attach);
	close(attach.mem);
	close(device);
	return err;
}

static int start_and_stop(unsigned int clock)
{
	static uint64_t counter;
	struct profil_region region;
	struct profil_start start;
	int device = open_device(), err;

	count_all(&start, &region, &counter, 64, 100);
	start.clock = clock;
	err = call(device, PROFIL_IOC_START, &start);
	stop(device);
	close(device);
	return err;
}

/* Returns the interrupts in a second without an attack. */
static double idle_rate(int cpu)
{
	long before = calls_of_cpu(cpu);

	sleep(IDLE_SECONDS);
	return (double)(calls_of_cpu(cpu) - before) / IDLE_SECONDS;
}

static void attack_others(struct attack *attack, bool attach, unsigned int clock, int cpu)
{
	double idle = idle_rate(cpu);
	double begin = clock_seconds(CLOCK_MONOTONIC);
	long first = calls_of_cpu(cpu), before;
	unsigned int pause = 1;

	do {
		before = calls_of_cpu(cpu);
		attack->err = attach ? attach_and_close(clock) : start_and_stop(clock);
		attack->starts++;
		if (calls_of_cpu(cpu) - before > FEW)
			attack->attachments++;
		else if (pause < LONGEST)
			pause *= 2;
		/* a quarter more: the kernel's timers may be an eighth late */
		sleep(pause);
		usleep(pause * 250000);
		attack->seconds = clock_seconds(CLOCK_MONOTONIC) - begin;
		attack->calls = calls_of_cpu(cpu) - first - (long)(idle * attack->seconds);
	} while (!attack->err && attack->seconds < SECONDS && attack->calls <= MOST);
}

TEST_F_TIMEOUT(hooks, seldom_interrupt_others, 600)
{
	struct attack *attack = self->attack;
	char text[16];
	pid_t pid;

	snprintf(text, sizeof(text), "%d", LONGEST);
	ASSERT_EQ(0, write_text(PARAMETERS "max_hook_seconds", text));
	pid = fork();
	if (!pid) {
		attack->err = become_user(ATTACKER, 32);
		/* so that it may open its own memory after it has changed its user */
		prctl(PR_SET_DUMPABLE, 1);
		if (!attack->err)
			attack_others(attack, variant->attach, variant->clock, self->last);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(0, attack->err);
	ksft_print_msg("%u attachments in %u starts: %ld interrupts in %.0f s, %.2f per second\n",
		       attack->attachments, attack->starts, attack->calls, attack->seconds,
		       (double)attack->calls / attack->seconds);
	/* else the attack did not find out when to start */
	EXPECT_LE(4, attack->attachments);
	EXPECT_LE(attack->calls, MOST);
}

/* While the tick cannot be hooked, no other hook may be attached and detached for each start. */
TEST_F(hooks, refused_starts_interrupt_nobody)
{
	long before;
	int i;

	if (variant->attach)
		SKIP(return, "the same as with START");
	detach_hooks_early(true);
	sleep(2);
	detach_hooks_early(false);
	if (write_text(FTRACE, "0"))
		SKIP(return, "this kernel does not disable ftrace");
	before = calls_of_cpu(self->last);
	for (i = 0; i < REFUSED; i++)
		EXPECT_EQ(EOPNOTSUPP, start_and_stop(variant->clock));
	before = calls_of_cpu(self->last) - before;
	EXPECT_EQ(0, write_text(FTRACE, "1"));
	ksft_print_msg("%ld interrupts by %d refused starts\n", before, REFUSED);
	EXPECT_LT(before, REFUSED);
}

TEST_HARNESS_MAIN
