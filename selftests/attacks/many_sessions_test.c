// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attack on finding S3: a user with many profiled processes, all asleep, makes each tick
 * and each context switch of all others dear, profiled or not.
 *
 * Two threads give each other the CPU, while a timer clock is attached: at each switch the
 * module looks up the thread that leaves and the one that comes. What a switch costs is
 * compared between few sessions and 10,000. It is a mean over several processes, since a
 * bucket of the table may be long or short. They are there before the 10,000, which go to
 * the front of their buckets.
 *
 * In a guest with 3 GiB, which counts time in instructions:
 *
 *	scripts/vm/run --kernel 6.1 --sealed --smp 1 --mem 3G -- selftests/attacks/many_sessions_test
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "../common.h"
#include "../files.h"

#define SESSIONS	10000
#define SESSION_KIB	160	/* a process that only sleeps, with its session */
#define METERS		16	/* processes that measure */
#define ROUNDS		500
#define TIMES		5

/*
 * In instructions. A session in a bucket costs about 3, in each of two look-ups for a
 * switch. With 1024 buckets 59 were measured. With 16384, 10,000 sessions are 0.6 in a
 * bucket: 4.
 */
#define MOST_MORE	20

static double instruction_seconds(void)
{
	double least = 1, begin, time;
	int i;

	for (i = 0; i < 5; i++) {
		unsigned long turns = 500000;

		begin = clock_seconds(CLOCK_MONOTONIC_RAW);
		while (turns--)
			__asm__ volatile("" : "+r" (turns));
		time = (clock_seconds(CLOCK_MONOTONIC_RAW) - begin) / 1e6;
		if (time < least)
			least = time;
	}
	return least;
}

/* A profile with the timer clock, one sample a second. 0 or errno. */
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

/* Two threads, each of which waits for a byte of the other. */
struct game {
	int there[2];
	int back[2];
};

static void *give_back(void *data)
{
	struct game *game = data;
	char byte;

	while (read(game->there[0], &byte, 1) == 1)
		if (write(game->back[1], &byte, 1) != 1)
			break;
	return NULL;
}

/* The least of some times: others are struck by an interrupt. */
static double switch_seconds(void)
{
	double least = 1, begin, time;
	struct game game;
	pthread_t thread;
	char byte = 0;
	int i, k;

	if (put_on_cpu(0, 0) || pipe(game.there) || pipe(game.back) ||
	    pthread_create(&thread, NULL, give_back, &game))
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

/* A process that measures when it is asked to. */
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

/* The least of three: others use the CPU too. Negative: it could not measure. */
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

/* By all of some, one after the other: each is in a bucket of its own. */
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

/* A profiled process; with @children of its own, which are too. */
static pid_t begin_crowd(int fd, int children)
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

static void end_crowd(pid_t crowd)
{
	kill(-crowd, SIGKILL);
	waitpid(crowd, NULL, 0);
}

FIXTURE(sessions) {
	int fd;
	double unit;
};

FIXTURE_SETUP(sessions)
{
	REQUIRE_DEVICE(self->fd);
	if (geteuid() ||
	    number_in("/proc/meminfo", "MemAvailable:") < SESSIONS * SESSION_KIB)
		SKIP(return, "needs root, and memory for %d processes", SESSIONS);
	self->unit = instruction_seconds();
}

FIXTURE_TEARDOWN(sessions)
{
	close(self->fd);
}

TEST_F_TIMEOUT(sessions, a_switch_beside_them, 600)
{
	static const char * const what[] = { "unprofiled", "profiled" };
	double alone[2], beside[2];
	struct meter meters[2][METERS];
	pid_t crowd[2];
	int i, k;

	/* it attaches the clock */
	crowd[0] = begin_crowd(self->fd, 0);
	ASSERT_LT(0, crowd[0]);
	for (i = 0; i < 2; i++)
		for (k = 0; k < METERS; k++)
			ASSERT_TRUE(begin_meter(&meters[i][k], self->fd, i));
	for (i = 0; i < 2; i++)
		alone[i] = mean_switch_seconds(meters[i]);

	crowd[1] = begin_crowd(self->fd, SESSIONS);
	ASSERT_LT(0, crowd[1]);
	EXPECT_LT(SESSIONS, number_in("/sys/class/misc/profil/sessions", ""));
	for (i = 0; i < 2; i++)
		beside[i] = mean_switch_seconds(meters[i]);

	for (i = 0; i < 2; i++) {
		end_crowd(crowd[i]);
		for (k = 0; k < METERS; k++)
			end_meter(&meters[i][k]);
		TH_LOG("%s: a switch is %.0f instructions beside few sessions, %.0f more beside %d",
		       what[i], alone[i] / self->unit,
		       (beside[i] - alone[i]) / self->unit, SESSIONS);
		EXPECT_LT(0, alone[i]);
		EXPECT_LT(0, beside[i]);
		EXPECT_GE(MOST_MORE, (beside[i] - alone[i]) / self->unit);
	}
}

TEST_HARNESS_MAIN
