// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user with many profiled processes, all asleep, could make each tick and each context
 * switch of all other processes expensive.
 *
 * Two threads alternate on one CPU while a timer clock is attached: at each switch the module
 * looks up the outgoing and the incoming thread. The test compares the cost of a switch with
 * few sessions and with 10,000. It takes the mean over several processes, because the buckets
 * of the hash table differ in length. The measured processes start before the 10,000, which
 * enter the buckets at the front.
 *
 * Run it in a guest with 3 GiB, whose clock is instructions:
 *
 *	scripts/vm/run --kernel 6.1 --sealed --smp 1 --mem 3G -- \
 *		selftests/attacks/many_sessions_test
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "common.h"
#include "files.h"

#define SESSIONS	10000
#define SESSION_KIB	160	/* memory of a sleeping process and its session */
#define METERS		16	/* processes that measure */
#define ROUNDS		500
#define TIMES		5

/*
 * In instructions. Each session in a bucket adds about 6 to each of the two lookups of a
 * switch. With 1024 buckets, 118 were measured. With 16384 buckets, 10,000 sessions put 0.6
 * in a bucket: 8 instructions.
 */
#define MOST_MORE	40

/* Starts a session with the timer clock at 1 Hz. Returns 0 or an errno. */
static int profile_slowly(int fd)
{
	struct profil_region region;
	struct profil_start start;
	void *counter = map_memory(PAGE);

	count_all(&start, &region, counter, 64, 1);
	start.flags = PROFIL_PIN_ON_HIT;
	start.clock = PROFIL_CLOCK_TIMER;
	return call(fd, PROFIL_IOC_START, &start);
}

/* Two threads that pass a byte back and forth. */
struct game {
	int there[2];
	int back[2];
};

static void *pass_back(void *data)
{
	struct game *game = data;
	char byte;

	while (read(game->there[0], &byte, 1) == 1)
		if (write(game->back[1], &byte, 1) != 1)
			break;
	return NULL;
}

/* The minimum of some measurements: an interrupt lengthens the others. */
static double switch_seconds(void)
{
	double least = 1, begin, time;
	struct game game;
	pthread_t thread;
	char byte = 0;
	int i, k;

	if (put_on_cpu(0, 0) || pipe(game.there) || pipe(game.back) ||
	    pthread_create(&thread, NULL, pass_back, &game))
		_exit(1);
	for (i = 0; i < TIMES; i++) {
		begin = clock_seconds(CLOCK_MONOTONIC_RAW);
		for (k = 0; k < ROUNDS; k++)
			if (write(game.there[1], &byte, 1) != 1 ||
			    read(game.back[0], &byte, 1) != 1)
				_exit(1);
		time = (clock_seconds(CLOCK_MONOTONIC_RAW) - begin) / ROUNDS / 2;
		if (time < least)
			least = time;
	}
	close(game.there[1]);
	pthread_join(thread, NULL);
	close(game.there[0]);
	close(game.back[0]);
	close(game.back[1]);
	return least;
}

/* A process that measures on request. */
struct meter {
	pid_t pid;
	int ask;
	int answer;
};

static bool begin_meter(struct meter *meter, int fd, bool profiled)
{
	int ask[2], answer[2];
	double result;
	char byte;

	if (pipe2(ask, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return false;
	meter->ask = ask[1];
	meter->answer = answer[0];
	meter->pid = fork();
	if (!meter->pid) {
		close(ask[1]);
		if (profiled && profile_slowly(fd))
			_exit(1);
		while (read(ask[0], &byte, 1) == 1) {
			result = switch_seconds();
			if (write(answer[1], &result, sizeof(result)) < 0)
				_exit(1);
		}
		_exit(0);
	}
	close(ask[0]);
	close(answer[1]);
	return meter->pid > 0;
}

static void end_meter(struct meter *meter)
{
	kill(meter->pid, SIGKILL);
	waitpid(meter->pid, NULL, 0);
	close(meter->ask);
	close(meter->answer);
}

/* The minimum of three, because others use the CPU too. Returns -1 on error. */
static double least_switch_seconds(const struct meter *meter)
{
	double least = 1, one;
	int i;

	for (i = 0; i < 3; i++) {
		if (write(meter->ask, "x", 1) != 1 ||
		    read(meter->answer, &one, sizeof(one)) != sizeof(one))
			return -1;
		if (one < least)
			least = one;
	}
	return least;
}

/* The mean over all meters, one after the other: each is in a bucket of its own. */
static double mean_switch_seconds(const struct meter *meters)
{
	double sum = 0, one;
	int i;

	for (i = 0; i < METERS; i++) {
		one = least_switch_seconds(&meters[i]);
		if (one < 0)
			return -1;
		sum += one;
	}
	return sum / METERS;
}

/* Starts a profiled process with @children profiled children. All sleep. */
static pid_t begin_sleepers(int fd, int children)
{
	char byte = 0;
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		if (profile_slowly(fd))
			_exit(1);
		while (children--) {
			pid = fork();
			if (!pid) {
				pause();
				_exit(0);
			}
			if (pid < 0)
				_exit(1);
		}
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static void end_sleepers(pid_t sleepers)
{
	kill(-sleepers, SIGKILL);
	waitpid(sleepers, NULL, 0);
}

FIXTURE(sessions) {
	int fd;
	double unit;
};

FIXTURE_SETUP(sessions)
{
	REQUIRE_DEVICE(self->fd);
	if (geteuid() || read_number("/proc/meminfo", "MemAvailable:") < SESSIONS * SESSION_KIB)
		SKIP(return, "needs root, and memory for %d processes", SESSIONS);
	self->unit = instruction_seconds();
}

FIXTURE_TEARDOWN(sessions)
{
	close(self->fd);
}

TEST_F_TIMEOUT(sessions, do_not_slow_context_switches, 600)
{
	static const char * const what[] = { "unprofiled", "profiled" };
	double alone[2], beside[2];
	struct meter meters[2][METERS];
	pid_t sleepers[2];
	int i, k;

	/* the first session attaches the clock */
	sleepers[0] = begin_sleepers(self->fd, 0);
	ASSERT_LT(0, sleepers[0]);
	for (i = 0; i < 2; i++)
		for (k = 0; k < METERS; k++)
			ASSERT_TRUE(begin_meter(&meters[i][k], self->fd, i));
	for (i = 0; i < 2; i++)
		alone[i] = mean_switch_seconds(meters[i]);

	sleepers[1] = begin_sleepers(self->fd, SESSIONS);
	ASSERT_LT(0, sleepers[1]);
	EXPECT_LT(SESSIONS, read_number("/sys/class/misc/profil/sessions", ""));
	for (i = 0; i < 2; i++)
		beside[i] = mean_switch_seconds(meters[i]);

	for (i = 0; i < 2; i++) {
		end_sleepers(sleepers[i]);
		for (k = 0; k < METERS; k++)
			end_meter(&meters[i][k]);
		TH_LOG("%s: a switch takes %.0f instructions with few sessions, %.0f more with %d",
		       what[i], alone[i] / self->unit,
		       (beside[i] - alone[i]) / self->unit, SESSIONS);
		EXPECT_LT(0, alone[i]);
		EXPECT_LT(0, beside[i]);
		EXPECT_GE(MOST_MORE, (beside[i] - alone[i]) / self->unit);
	}
}

TEST_HARNESS_MAIN
