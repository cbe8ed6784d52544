// SPDX-License-Identifier: GPL-2.0-only
/*
 * A counter lies in a private mapping of a page that the user's own file system never delivers.
 * A process that waits for the page must be killable and must not hold mmap_lock. No worker may
 * wait for it: the kernel must free a dead process's memory although the page never arrives.
 *
 * The control is a process that touches such a page itself. PROFIL_ATTACKERS is the number of
 * processes of the last attack (64).
 */
#include "kselftest_harness.h"
#include "common.h"
#include "load/cpu_hog.h"
#include "files.h"
#include "eventually.h"
#include "kernel/slow_file.h"
#include "kernel/tasks.h"

#define ATTACKER	7601	/* a uid that no other test charges */
#define TOUCHED		((size_t)4 << 20)	/* bytes that each of many processes uses */

FIXTURE(stuck_page) {
	int device;
	struct slow_file slow;
	long long sessions, pinned;
};

FIXTURE_SETUP(stuck_page)
{
	const char *missing;

	REQUIRE_DEVICE(self->device);
	missing = slow_file_begin(&self->slow);
	if (missing)
		SKIP(return, "%s", missing);
	self->sessions = settled_figure("sessions");
	self->pinned = figure("pinned_bytes");
}

FIXTURE_TEARDOWN(stuck_page)
{
	slow_file_end(&self->slow);
	close(self->device);
}

/* Starts a profile and takes one sample, which waits for the page. */
static int sample(int device, void *counter)
{
	double one = seconds_for(1, get_info(device).tick_hz);
	int error = start_counting(device, counter, 0, PROFIL_PIN_ON_HIT);

	if (!error)
		burn(one);
	return error;
}

enum way { BY_ITSELF, IN_START, IN_STATUS, IN_STOP };

/* Waits for the page by an access of the program, or in a call. */
static void wait_in(int device, volatile char *at, enum way way)
{
	struct sched_param high = { .sched_priority = 2 };

	if (way == BY_ITSELF)
		at[0] = 1;
	if (way == IN_START)
		start_counting(device, (void *)at, 0, 0);
	/* the call pins the page before the worker does, which has no CPU */
	if (way >= IN_STATUS &&
	    (sched_setscheduler(0, SCHED_FIFO, &high) || sample(device, (void *)at)))
		_exit(1);
	if (way == IN_STATUS)
		get_status(device);
	if (way == IN_STOP)
		stop(device);
	_exit(0);
}

/* Returns whether a killed process exits within a second. */
static bool dies(pid_t pid)
{
	int i;

	for (i = 0; i < 100; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return true;
		usleep(10000);
	}
	return false;
}

static bool waits_for_page(struct slow_file *slow, pid_t pid)
{
	return EVENTUALLY(__atomic_load_n(&slow->order->reads, __ATOMIC_ACQUIRE) > 0 &&
			  task_state(pid) == 'D');
}

static bool dies_waiting(struct _test_data_stuck_page *self, enum way way)
{
	void *at = slow_file_map(&self->slow, 0);
	pid_t spinners[MAX_CPU_HOGS], pid;
	int nr = 0;
	bool died;
	int status;

	if (way >= IN_STATUS)
		nr = start_cpu_hogs(spinners);
	pid = fork();
	if (!pid)
		wait_in(self->device, at, way);
	if (way >= IN_STATUS) {
		/*
		 * The child has the CPU until it waits. Not SCHED_OTHER: on PREEMPT_RT, a thread of
		 * the hogs' priority would have to end the sleep.
		 */
		struct sched_param low = { .sched_priority = 1 };

		sched_setscheduler(0, SCHED_FIFO, &low);
		usleep(1000);
		stop_cpu_hogs(spinners, nr);
	}
	/* a call that does not wait at all passes too */
	if (!waits_for_page(&self->slow, pid))
		return waitpid(pid, &status, WNOHANG) == pid && !status;
	kill(pid, SIGKILL);
	died = dies(pid);
	ksft_print_msg("the killed process %s within a second\n", died ? "exits" : "does not exit");
	if (!died) {
		slow_file_answer(&self->slow);
		wait_for(pid);
	}
	return died;
}

TEST_F(stuck_page, access_can_be_killed)
{
	EXPECT_TRUE(dies_waiting(self, BY_ITSELF));
}

TEST_F(stuck_page, start_can_be_killed)
{
	EXPECT_TRUE(dies_waiting(self, IN_START));
}

TEST_F(stuck_page, status_can_be_killed)
{
	EXPECT_TRUE(dies_waiting(self, IN_STATUS));
}

TEST_F(stuck_page, stop_can_be_killed)
{
	EXPECT_TRUE(dies_waiting(self, IN_STOP));
}

/* --- other users of the address space -------------------------------------------------- */

static void *map_a_page(void *unused)
{
	usleep(200000);
	map_memory(PAGE);
	return unused;
}

/* Waits for the page in START or by the worker. Another thread waits to change the mappings. */
static void wait_with_writer(int device, void *at, bool by_worker)
{
	pthread_t writer;

	if (pthread_create(&writer, NULL, map_a_page, NULL))
		_exit(1);
	if (by_worker)
		sample(device, at);
	else
		start_counting(device, at, 0, 0);
	for (;;)
		pause();
}

static void read_command_line(struct __test_metadata *_metadata,
			      struct _test_data_stuck_page *self, bool by_worker)
{
	void *at = slow_file_map(&self->slow, 0);
	pid_t pid, reader;
	char text[256];
	bool read_it;

	pid = fork();
	if (!pid)
		wait_with_writer(self->device, at, by_worker);
	/* by then the mapping thread waits for mmap_lock */
	usleep(500000);
	reader = fork();
	if (!reader)
		_exit(!read_task_file(pid, "cmdline", text, sizeof(text)));
	read_it = dies(reader);
	ksft_print_msg("root's read of /proc/PID/cmdline %s within a second\n",
		       read_it ? "returns" : "does not return");
	EXPECT_TRUE(read_it);
	kill(pid, SIGKILL);
	slow_file_answer(&self->slow);
	if (!read_it)
		wait_for(reader);
	wait_for(pid);
}

TEST_F(stuck_page, cmdline_is_readable_while_start_waits)
{
	read_command_line(_metadata, self, false);
}

TEST_F(stuck_page, cmdline_is_readable_while_sample_waits)
{
	read_command_line(_metadata, self, true);
}

/* --- processes that have exited --------------------------------------------------------- */

static void fill_sample_and_exit(int device, void *at, size_t nr)
{
	char *much = map_memory(TOUCHED);

	/* each process is charged one page */
	if (become_user(ATTACKER, nr))
		_exit(1);
	memset(much, 1, TOUCHED);
	_exit(sample(device, at));
}

static long long available(void)
{
	return read_number("/proc/meminfo", "MemAvailable:") * 1024;
}

TEST_F_TIMEOUT(stuck_page, memory_of_exited_processes_is_freed, 900)
{
	const char *number = getenv("PROFIL_ATTACKERS");
	int i, stuck, nr = number ? atoi(number) : 64;
	void *at = slow_file_map(&self->slow, 0);
	long long before, missing;
	pid_t pid;

	before = available();
	for (i = 0; i < nr; i++) {
		pid = fork();
		if (!pid)
			fill_sample_and_exit(self->device, at, (size_t)nr);
		ASSERT_EQ(0, wait_for(pid));
	}
	EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
	EXPECT_EQ(self->pinned, await_figure("pinned_bytes", self->pinned));
	/* one that waits for the page does so until the test ends; others sleep for a moment */
	stuck = EVENTUALLY(!stuck_kworkers()) ? 0 : stuck_kworkers();
	missing = before - available();
	ksft_print_msg("%d processes of %zu MiB exited: %lld sessions, %lld MiB\n", nr,
		       TOUCHED >> 20, figure("sessions") - self->sessions, missing >> 20);
	ksft_print_msg("%d waiting workers\n", stuck);
	EXPECT_EQ(0, stuck);
	/* less than an eighth of their memory is left */
	EXPECT_GT((long long)(nr * TOUCHED / 8), missing);
}

TEST_HARNESS_MAIN
