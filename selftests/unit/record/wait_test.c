// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting while processes are profiled: what ends it, and what is done at which time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/signals.h>
#include <record/wait.h>
#include <util/time_ns.h>

#include "support/test.h"

#define MS	1000000ULL	/* in ns */

/**
 * struct calls - what the functions do, and how often they were called
 * @log:      pipe; each byte is a record
 * @raised:   signal to raise at the first read of the log; 0: none
 * @pause_ns: the least interval
 * @ended_at: read number at which all processes have ended; 0: never
 * @last_look: look that ends the profile; 0: none
 */
static struct calls {
	int log[2];
	int raised;
	uint64_t pause_ns;
	int ended_at;
	int reads;
	int records;
	int snapshots;
	int progresses;
	int looks;
	int last_look;
	int reads_before_look;
	int keys;
} calls;

static int read_log(void *data)
{
	char bytes[16];
	ssize_t length;

	assert_ptr_equal(data, &calls);
	length = read(calls.log[0], bytes, sizeof(bytes));
	if (length > 0)
		calls.records += (int)length;
	if (!calls.reads++ && calls.raised)
		raise(calls.raised);
	return calls.reads != calls.ended_at;
}

/* Let the next read of the log find that all processes have ended. */
static void end_all(void)
{
	calls.ended_at = calls.reads + 1;
	assert_int_equal(write(calls.log[1], "z", 1), 1);
}

static uint64_t take_snapshot(void *data, bool is_requested)
{
	assert_int_equal(is_requested, !!calls.raised);
	calls.snapshots++;
	if (calls.raised)
		end_all();
	return calls.pause_ns;
}

static uint64_t show_progress(void *data)
{
	if (++calls.progresses == 2)
		end_all();
	return calls.pause_ns;
}

static uint64_t look(void *data)
{
	calls.reads_before_look = calls.reads;
	return ++calls.looks == calls.last_look ? UINT64_MAX : calls.pause_ns;
}

static bool read_keys(void *data)
{
	calls.keys++;
	return calls.keys < 2;
}

static struct signals old;
static sigset_t waiting;
static struct wait events;

FIXTURE(set_up)
{
	calls = (struct calls){ 0 };
	assert_int_equal(pipe2(calls.log, O_NONBLOCK), 0);
	signals_begin(&old, false);
	signals_allow(&old, 0, &waiting);
	events = (struct wait){
		.log = calls.log[0],
		.process = -1,
		.keys = -1,
		.waiting = &waiting,
		.read = read_log,
		.snapshot = take_snapshot,
		.progress = show_progress,
		.look = look,
		.data = &calls,
	};
	return 0;
}

FIXTURE(tear_down)
{
	signals_end(&old);
	close(calls.log[0]);
	close(calls.log[1]);
	return 0;
}

TEST_F(records_are_read_when_they_come)
{
	calls.ended_at = 1;
	assert_int_equal(write(calls.log[1], "abc", 3), 3);
	assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
	assert_int_equal(calls.records, 3);
	assert_int_equal(calls.reads, 1);
}

/* The byte is not read, so it wakes again. */
TEST_F(key_ends_the_profile)
{
	int keys[2];

	assert_int_equal(pipe(keys), 0);
	events.keys = keys[0];
	events.key = read_keys;
	assert_int_equal(write(keys[1], "q", 1), 1);
	assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
	assert_int_equal(calls.keys, 2);
	/* a terminal that was closed ends it, too */
	calls.keys = 0;
	assert_int_equal(read(keys[0], &(char){ 0 }, 1), 1);
	close(keys[1]);
	assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
	assert_int_equal(calls.keys, 0);
	close(keys[0]);
}

/* The log is read at the end of the time, even if it does not wake the reader. */
TEST_F(time_ends_the_profile)
{
	events.end_ns = time_ns(CLOCK_MONOTONIC) + 5 * MS;
	assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
	assert_int_equal(calls.reads, 1);
	assert_true(time_ns(CLOCK_MONOTONIC) >= events.end_ns);
}

/* After 10, 20 and 40 ms. Without this, wait_for_end() would not return. */
TEST_F(log_is_read_without_a_wake)
{
	const uint64_t start = time_ns(CLOCK_MONOTONIC);

	calls.ended_at = 3;
	assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
	assert_true(time_ns(CLOCK_MONOTONIC) - start >= 70 * MS);
}

/* nohup(1) and scripts ignore some of them for what they start, and then so does the command. */
TEST_F(signals_end_the_profile)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		tear_down(state);
		signal(numbers[i], SIG_DFL);
		set_up(state);
		calls.reads = 0;
		calls.raised = numbers[i];
		assert_int_equal(write(calls.log[1], "a", 1), 1);
		assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
		/* once for the record, and once at the end */
		assert_int_equal(calls.reads, 2);
	}
}

TEST_F(sigusr1_takes_a_snapshot)
{
	calls.raised = SIGUSR1;
	assert_int_equal(write(calls.log[1], "a", 1), 1);
	assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
	assert_int_equal(calls.snapshots, 1);
	/* the log is read before the snapshot */
	assert_int_equal(calls.reads, 3);
}

TEST_F(snapshots_and_progress_have_intervals)
{
	const uint64_t start = time_ns(CLOCK_MONOTONIC);
	uint64_t elapsed;

	events.snapshot_ns = 10 * MS;
	events.progress_ns = 30 * MS;
	assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
	elapsed = time_ns(CLOCK_MONOTONIC) - start;
	assert_int_equal(calls.progresses, 2);
	assert_true(elapsed >= 60 * MS);
	assert_in_range(calls.snapshots, 1, elapsed / (10 * MS));
}

/* What takes long is done less often. */
TEST_F(intervals_become_longer)
{
	const uint64_t start = time_ns(CLOCK_MONOTONIC);

	events.snapshot_ns = MS;
	events.progress_ns = MS;
	calls.pause_ns = 60 * MS;
	assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
	/* one after the first interval, and one after the pause */
	assert_int_equal(calls.progresses, 2);
	assert_true(time_ns(CLOCK_MONOTONIC) - start >= 60 * MS);
	assert_int_equal(calls.snapshots, 2);
}

/* The log is read once more after the last look. */
TEST_F(look_ends_the_profile)
{
	const uint64_t start = time_ns(CLOCK_MONOTONIC);

	events.look_ns = 15 * MS;
	calls.last_look = 3;
	assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
	assert_int_equal(calls.looks, 3);
	assert_int_equal(calls.reads, calls.reads_before_look + 1);
	assert_true(time_ns(CLOCK_MONOTONIC) - start >= 45 * MS);
}

TEST_F(looks_that_take_long_are_rarer)
{
	const uint64_t start = time_ns(CLOCK_MONOTONIC);

	events.look_ns = MS;
	calls.pause_ns = 40 * MS;
	calls.last_look = 3;
	assert_int_equal(wait_for_end(&events), WAIT_PROFILE);
	assert_true(time_ns(CLOCK_MONOTONIC) - start >= 81 * MS);
}

TEST_F(end_of_the_command_ends_it)
{
	pid_t child = fork();

	if (!child) {
		usleep(50000);
		_exit(0);
	}
	events.process = (int)syscall(SYS_pidfd_open, child, 0);
	assert_true(events.process >= 0);
	/* all profiled processes have ended, but the command has not */
	calls.ended_at = 1;
	assert_int_equal(write(calls.log[1], "ab", 2), 2);
	assert_int_equal(wait_for_end(&events), WAIT_COMMAND);
	assert_int_equal(calls.reads, 1);
	assert_int_equal(waitpid(child, NULL, WNOHANG), child);
	close(events.process);
}
