// SPDX-License-Identifier: GPL-2.0-only
/*
 * Helpers: their return values, their output, and their crashes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <util/helper.h>

#include "support/test.h"

static pid_t worker;

static int return_data(void *data)
{
	return *(const int *)data;
}

static int be_killed(void *data)
{
	raise(SIGKILL);
	return 0;
}

static int write_word(void *data)
{
	fputs("word ", data);
	return 0;
}

static int set_worker(void *data)
{
	worker = getpid();
	return 0;
}

static int run(int (*work)(void *data), void *data, struct helper *helper)
{
	return helper_run(helper, &(struct helper_work){ .run = work, .data = data });
}

TEST(return_value_is_passed_on)
{
	struct helper helper;
	int error;

	for (error = 0; error < 256; error += 85) {
		assert_int_equal(run(return_data, &error, &helper), -error);
		assert_int_equal(helper.killer, 0);
	}
}

TEST(crash_is_reported)
{
	char why[HELPER_WHY];
	struct helper helper;

	assert_int_equal(run(be_killed, NULL, &helper), -EPROTO);
	assert_int_equal(helper.killer, SIGKILL);
	helper_explain(&helper, why);
	assert_non_null(strstr(why, "was killed (SIGKILL), as the kernel does if memory is short"));
	helper.killer = SIGBUS;
	helper_explain(&helper, why);
	assert_non_null(strstr(why, "changed while it was read (SIGBUS)"));
}

/* As after `env --ignore-signal=CHLD profil' */
TEST(crash_is_reported_while_sigchld_is_ignored)
{
	struct helper helper;

	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(run(be_killed, NULL, &helper), -EPROTO);
	assert_ptr_equal(signal(SIGCHLD, SIG_DFL), SIG_IGN);
}

TEST(memory_is_not_shared)
{
	struct helper helper;

	assert_int_equal(run(set_worker, NULL, &helper), 0);
	assert_int_equal(worker, 0);
}

/* The helper does not write buffered text of its parent a second time. */
TEST(buffers_are_written_once)
{
	FILE *out = tmpfile();
	char text[64] = "";
	struct helper helper;

	assert_non_null(out);
	fputs("first ", out);
	assert_int_equal(run(write_word, out, &helper), 0);
	fputs("last", out);
	rewind(out);
	assert_non_null(fgets(text, sizeof(text), out));
	assert_string_equal(text, "first word last");
	fclose(out);
}

static int wait_for_ever(void *data)
{
	while (pause())
		;
	return 0;
}

/* One that runs beside this process takes no signals of the terminal, but can be ended. */
TEST(one_beside_is_ended)
{
	const struct helper_work work = { .run = wait_for_ever, .is_beside = true };
	struct helper helper;

	assert_int_equal(helper_start(&helper, &work), 0);
	assert_int_equal(kill(helper.pid, SIGINT), 0);
	assert_int_equal(kill(helper.pid, SIGTERM), 0);
	assert_false(helper_has_ended(&helper, false));
	helper_kill(&helper);
	assert_true(helper_has_ended(&helper, false));
	assert_int_equal(helper.killer, SIGKILL);
}

/* A signal that this process holds ends it, and stays pending. */
TEST(pending_signal_ends_it)
{
	const struct timespec now = { 0 };
	char why[HELPER_WHY];
	struct helper helper;
	sigset_t ends, mask;
	const struct helper_work work = { .run = wait_for_ever, .ends = &ends };
	int i;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, &mask);
	raise(SIGTERM);
	for (i = 0; i < 2; i++) {
		assert_int_equal(helper_run(&helper, &work), -EINTR);
		assert_int_equal(helper.pid, 0);
	}
	helper_explain(&helper, why);
	assert_string_equal(why, "a signal came while the files were read");
	assert_int_equal(sigtimedwait(&ends, NULL, &now), SIGTERM);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static int start_another(void *data)
{
	struct helper helper;
	const struct helper_work work = { .run = wait_for_ever };

	if (helper_start(&helper, &work))
		return errno;
	return write(*(int *)data, &helper.pid, sizeof(pid_t)) == sizeof(pid_t) ? 0 : errno;
}

/* A helper whose parent has ended ends, too: the write end of the pipe is closed. */
TEST(it_does_not_stay_behind)
{
	struct helper helper;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(run(start_another, &ends[1], &helper), 0);
	close(ends[1]);
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), 0);
	close(ends[0]);
}

TEST(time_is_bounded)
{
	const struct helper_work work = { .run = wait_for_ever, .seconds = 1 };
	struct helper helper;

	assert_int_equal(helper_run(&helper, &work), -ETIMEDOUT);
	assert_int_equal(helper.killer, SIGALRM);
}

static int write_file(void *data)
{
	return write(*(int *)data, "handed over", 11) == 11 ? 0 : errno;
}

TEST(a_file_is_handed_over)
{
	int file = helper_file();
	unsigned char *text;
	struct helper helper;
	size_t bytes;

	assert_true(file >= 0);
	assert_int_equal(run(write_file, &file, &helper), 0);
	text = helper_read(file, &bytes);
	assert_int_equal(bytes, 11);
	assert_string_equal((char *)text, "handed over");
	free(text);
	close(file);
}
