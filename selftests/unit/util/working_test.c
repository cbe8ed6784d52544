// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line on the terminal that names what takes long.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <util/working.h>

#include "support/test.h"

static char text[1024];

/*
 * Be busy for so many ticks, which are signals, however long they take; or without a timer, for the
 * time of twice as many.
 */
static void work(const char *path, int ticks)
{
	working_begin("reading symbols of", path);
	while (ticks--)
		poll(NULL, 0, 200);
	working_end();
}

/* Read what is there. A terminal whose other end is closed has an error behind it. */
static void read_text(int fd)
{
	size_t length = 0;
	ssize_t bytes;

	do {
		bytes = read(fd, text + length, sizeof(text) - 1 - length);
		length += bytes > 0 ? (size_t)bytes : 0;
	} while (bytes > 0);
	text[length] = 0;
}

/* The process that works is another one, as there is one timer in a process. */
static void run(int reader, int writer, void (*works)(void))
{
	pid_t pid = fork();

	if (!pid) {
		working_show(writer);
		works();
		_exit(0);
	}
	close(writer);
	waitpid(pid, NULL, 0);
	read_text(reader);
	close(reader);
}

static void run_on_terminal(void (*works)(void))
{
	int reader = posix_openpt(O_RDWR | O_NOCTTY), writer;

	assert_true(reader >= 0);
	assert_int_equal(grantpt(reader) | unlockpt(reader), 0);
	writer = open(ptsname(reader), O_RDWR | O_NOCTTY);
	assert_true(writer >= 0);
	run(reader, writer, works);
}

static void work_long(void)
{
	work("/usr/lib/libx.so", 6);
}

static void work_briefly(void)
{
	work("/usr/lib/libx.so", 1);
}

/* Briefly, but often */
static void work_often(void)
{
	int i;

	for (i = 0; i < 20; i++)
		work(i < 18 ? "/usr/lib/first.so" : "/usr/lib/last.so", 1);
}

TEST(long_work_has_a_line)
{
	run_on_terminal(work_long);
	assert_string_equal(text, "\rprofil: reading symbols of libx.so\033[K\r\033[K");
}

TEST(brief_work_has_none)
{
	run_on_terminal(work_briefly);
	assert_string_equal(text, "");
}

TEST(much_brief_work_has_a_line)
{
	run_on_terminal(work_often);
	assert_non_null(strstr(text, "symbols of last.so"));
}

TEST(pipes_have_no_line)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	run(fds[0], fds[1], work_long);
	assert_string_equal(text, "");
}
