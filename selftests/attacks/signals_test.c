// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process with many mappings gets a signal every 200 us, as from a timer of its own or
 * another profiler. START must return, and so must STOP in a forked child whose memory was not
 * watched before. (They used to restart after each signal.)
 *
 * With 4000 mappings, mm_take_all_locks() takes longer than 200 us: 4000 locks of some 20
 * instructions are 80,000 instructions, 640 us at 8 ns. A call without signals takes 25 ms.
 * With signals it may take 250 ms, which is time for 1250 restarts.
 */
#include <signal.h>
#include <sys/time.h>

#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "load/cpu_hog.h"

#define MAPPINGS	4000
#define PERIOD_US	200
#define MOST_MS		250

FIXTURE(signals) {
	int device;
	pid_t holder;
};

FIXTURE_SETUP(signals)
{
	size_t i;
	char *memory;

	REQUIRE_DEVICE(self->device);
	self->holder = hold_hooks(self->device);
	ASSERT_LT(0, self->holder);
	/* every second page is read-only, so that each page is a mapping of its own */
	memory = map_memory(MAPPINGS * PAGE);
	for (i = 0; i < MAPPINGS; i += 2)
		ASSERT_EQ(0, mprotect(memory + i * PAGE, PAGE, PROT_READ));
	for (i = 1; i < MAPPINGS; i += 2)
		memory[i * PAGE] = 1;
}

FIXTURE_TEARDOWN(signals)
{
	if (self->holder > 0) {
		kill(self->holder, SIGKILL);
		wait_for(self->holder);
	}
	close(self->device);
}

static volatile sig_atomic_t signals;

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

static void send_signals(bool on)
{
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };
	const struct timeval period = { .tv_usec = on ? PERIOD_US : 0 };
	const struct itimerval timer = { period, period };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* In shared memory: the parent reads it. */
struct outcome {
	int error;
	int signals;
	double ms;
	int done;
	__u32 state;	/* of the session that STOP ended */
};

static bool quiet;	/* no signals */

/* Makes a call while signals arrive. */
static void measure(struct outcome *outcome, int device, unsigned long command, void *arg)
{
	double began;

	signals = 0;
	send_signals(!quiet);
	began = clock_seconds(CLOCK_MONOTONIC);
	outcome->error = call(device, command, arg);
	outcome->ms = (clock_seconds(CLOCK_MONOTONIC) - began) * 1e3;
	send_signals(false);
	outcome->signals = signals;
	__atomic_store_n(&outcome->done, 1, __ATOMIC_RELEASE);
}

static void start_during_signals(struct outcome *outcome, int device)
{
	struct profil_region region;
	struct profil_start start;

	count_all(&start, &region, map_memory(PAGE), 64, get_info(device).tick_hz);
	measure(outcome, device, PROFIL_IOC_START, &start);
}

static bool returns(pid_t pid, struct outcome *outcome, const char *what)
{
	int i;

	for (i = 0; i < 300 && !__atomic_load_n(&outcome->done, __ATOMIC_ACQUIRE); i++)
		usleep(10000);
	if (outcome->done)
		ksft_print_msg("%s during %d signals: %.1f ms, error %d\n", what, outcome->signals,
			       outcome->ms, outcome->error);
	else
		ksft_print_msg("%s has not returned after 3 s\n", what);
	kill(pid, SIGKILL);
	wait_for(pid);
	return outcome->done && outcome->ms < MOST_MS;
}

static void see_start(struct __test_metadata *_metadata, struct _test_data_signals *self)
{
	struct outcome *outcome = map_shared(PAGE);
	pid_t pid = fork();

	if (!pid) {
		start_during_signals(outcome, self->device);
		pause();
	}
	EXPECT_TRUE(returns(pid, outcome, "START"));
	EXPECT_EQ(0, outcome->error);
}

TEST_F(signals, start_without_signals)
{
	quiet = true;
	see_start(_metadata, self);
}

TEST_F(signals, start_returns)
{
	see_start(_metadata, self);
}

/* No worker gets a CPU before the child stops. */
TEST_F(signals, stop_in_a_child_returns)
{
	struct outcome *outcome = map_shared(PAGE);
	pid_t spinners[MAX_CPU_HOGS], pid;
	int nr = start_cpu_hogs(spinners);

	if (nr < 0)
		SKIP(return, "needs root");
	/* on one CPU, the child runs as soon as its parent sleeps */
	ASSERT_EQ(0, put_on_cpu(0, 0));
	ASSERT_EQ(0, start_counting(self->device, map_memory(PAGE), 0, 0));
	pid = fork();
	if (!pid) {
		struct profil_status status = { .size = sizeof(status) };

		measure(outcome, self->device, PROFIL_IOC_STOP, &status);
		outcome->state = status.state;
		pause();
	}
	EXPECT_TRUE(returns(pid, outcome, "STOP"));
	EXPECT_EQ(0, outcome->error);
	EXPECT_EQ(PROFIL_STATE_RUNNING, outcome->state);
	stop_cpu_hogs(spinners, nr);
}

TEST_HARNESS_MAIN
