// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots of a run are written by a helper, which does not keep the log open.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include <live/snapshot.h>
#include <record/recording_state.h>
#include <result/resultfile.h>

#include "stderr_capture.h"
#include "support/outcome_run.h"

#define ADDRESSES	60000	/* take some ms */

static struct snapshot snapshot;

FIXTURE(set_up)
{
	const struct file_key key = { .inode = 1, .path = "/nonexistent/prog" };
	struct process *process;
	const struct file_use use = { .pid = PID };
	struct file *file;
	const struct result_part part = { .samples = 1, .thread = RESULT_NO_THREAD };
	uint64_t i;

	snapshot = (struct snapshot){ 0 };
	if (begin_run())
		return -1;
	process = process_table_add(&recording->processes, PID, space_new());
	assert_int_equal(process_table_start(&recording->processes, process, "prog", false, 0), 0);
	file = files_find(&recording->files, &key, &use);
	file_mapped(file, 0x10000, 4 * ADDRESSES, 0);
	for (i = 0; i < ADDRESSES; i++)
		assert_int_equal(file_count(file, i * 7919 % ADDRESSES * 4, &part), 0);
	return 0;
}

static void begin(void)
{
	run.so_far.elapsed_ns = 5;
	snapshot_begin(&snapshot, &run, &file_of_run, log_ends[1]);
}

TEST_F(snapshot_is_written_by_a_helper)
{
	struct result result;
	const char *why;

	assert_true(snapshot_has_ended(&snapshot, false));
	begin();
	assert_true(snapshot.helper.pid > 0);
	assert_false(file_of_run.is_written);
	assert_true(snapshot_has_ended(&snapshot, true));
	assert_int_equal(snapshot.helper.pid, 0);
	assert_true(file_of_run.is_written);
	/* 60,000 addresses are not free */
	assert_true(snapshot.helper.cpu_ns);
	assert_int_equal(resultfile_read("out", &result, &why), 0);
	assert_int_equal(result.elapsed_ns, 5);
	assert_int_equal(result_samples(&result), ADDRESSES);
	result_release(&result);
	assert_true(snapshot_has_ended(&snapshot, true));
}

/* Let standard error be a pipe that is full. Return: its read end. */
static int block_messages(int *saved)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	while (write(ends[1], "", 1) == 1)
		;
	assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
	*saved = dup(STDERR_FILENO);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	return ends[0];
}

/* It waits, as on a disk that does not answer. This process goes on, and the log can end. */
TEST_F(slow_snapshot_stops_nothing)
{
	struct pollfd log_end = { .fd = log_ends[0] };
	int saved, messages;
	char bytes[4096];

	file_of_run.path = "none/out";
	messages = block_messages(&saved);
	begin();
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(log_ends[1]);
	/* at once; never, if the child keeps it open */
	assert_int_equal(poll(&log_end, 1, -1), 1);
	assert_true(log_end.revents & POLLHUP);
	assert_false(snapshot_has_ended(&snapshot, false));
	assert_int_equal(snapshot.error, 0);
	while (read(messages, bytes, sizeof(bytes)) > 0)
		;
	assert_true(snapshot_has_ended(&snapshot, true));
	assert_int_equal(snapshot.error, -ENOENT);
	close(messages);
}

TEST_F(error_is_known_afterwards)
{
	file_of_run.path = "none/out";
	/* reported already */
	snapshot.error = -ENOENT;
	begin();
	assert_true(snapshot_has_ended(&snapshot, true));
	assert_false(file_of_run.is_written);
	assert_int_equal(snapshot.error, -ENOENT);
	file_of_run.path = "out";
	begin();
	assert_true(snapshot_has_ended(&snapshot, true));
	assert_int_equal(snapshot.error, 0);
}

/* ^C goes to all processes of the terminal's group. */
TEST_F(signals_do_not_end_it)
{
	begin();
	kill(snapshot.helper.pid, SIGINT);
	kill(snapshot.helper.pid, SIGTERM);
	assert_true(snapshot_has_ended(&snapshot, true));
	assert_true(file_of_run.is_written);
}

/* What is a tenth longer than the interval is rounded to the interval. */
TEST_F(longer_pause_is_told_once)
{
	struct stderr_capture capture;
	const char *told;

	capture_stderr(&capture);
	snapshot_explain_pause(&snapshot, 2100000000, 2000000000);
	assert_string_equal(end_capture(&capture), "");
	capture_stderr(&capture);
	snapshot_explain_pause(&snapshot, 2300000000, 2000000000);
	snapshot_explain_pause(&snapshot, 9000000000, 2000000000);
	told = end_capture(&capture);
	assert_non_null(strstr(told, "so it is written every 2.3 s, not every 2.0 s"));
	assert_null(strstr(told, "9.0 s"));
}
