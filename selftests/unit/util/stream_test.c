// SPDX-License-Identifier: GPL-2.0-only
/*
 * Standard streams that other processes have made non-blocking.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <util/stream.h>

#include "support/test.h"

#define LINES	100000

/* Print to both, of which @ends[1] is one; another process changes its mode after the start. */
static int print(const int ends[2])
{
	int i;

	dup2(ends[1], STDOUT_FILENO);
	dup2(ends[1], STDERR_FILENO);
	stream_begin();
	if (fcntl(ends[1], F_SETFL, O_NONBLOCK) || stream_fd(stdout) != STDOUT_FILENO ||
	    stream_fd(stderr) != STDERR_FILENO)
		return 1;
	for (i = 0; i < LINES; i++)
		printf("%09d\n", i);
	if (fflush(stdout) || ferror(stdout))
		return 2;
	fprintf(stderr, "%9s\n", "end");
	return ferror(stderr);
}

/* All arrives, though the reader is slower than the writer. */
static void assert_all_is_read(const int ends[2])
{
	int status, lines = 0, last = -1;
	const pid_t pid = fork();
	char line[16] = "";
	FILE *in;

	if (!pid) {
		close(ends[0]);
		_exit(print(ends));
	}
	close(ends[1]);
	in = fdopen(ends[0], "r");
	setvbuf(in, NULL, _IOFBF, 512);
	while (fgets(line, sizeof(line), in) && lines++ < LINES)
		last = atoi(line);
	assert_string_equal(line, "      end\n");
	assert_int_equal(last, LINES - 1);
	fclose(in);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

TEST(pipe_gets_all_output)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_all_is_read(ends);
}

TEST(socket_gets_all_output)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_all_is_read(ends);
}

/* The error is known to who printed. */
TEST(closed_pipe_is_an_error)
{
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	pid = fork();
	if (!pid) {
		signal(SIGPIPE, SIG_IGN);
		_exit(print(ends));
	}
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 2);
}
