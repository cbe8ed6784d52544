// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running a command: its start, exit status and CPU time, and how signals affect the command and
 * its parent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <record/child.h>
#include <record/signals.h>
#include <util/time_ns.h>

#include "support/test.h"

static const struct child_calls no_calls;

static struct child_end run_shell(char *script)
{
	char *argv[] = { "sh", "-c", script, NULL };
	struct child_end end;

	assert_int_equal(child_run(argv, &no_calls, &end), 0);
	assert_int_equal(end.exec_error, 0);
	return end;
}

TEST(exit_status_is_that_of_the_command)
{
	struct child_end end;

	end = run_shell("exit 0");
	assert_int_equal(child_exit_status(&end), 0);
	end = run_shell("exit 3");
	assert_int_equal(child_exit_status(&end), 3);
	end = run_shell("kill -KILL $$");
	assert_int_equal(child_exit_status(&end), 128 + SIGKILL);
}

TEST(failed_exec_is_reported)
{
	char *missing[] = { "./no-such-command", NULL };
	char *not_executable[] = { "./Makefile", NULL };
	struct child_end end;

	assert_int_equal(child_run(missing, &no_calls, &end), 0);
	assert_int_equal(end.exec_error, ENOENT);
	assert_int_equal(child_exit_status(&end), 127);
	assert_int_equal(child_run(not_executable, &no_calls, &end), 0);
	assert_int_equal(end.exec_error, EACCES);
	assert_int_equal(child_exit_status(&end), 126);
}

/* What attach() is called with, and what it returns */
struct attached {
	pid_t pid;
	int result;
};

static int attach(void *data, pid_t pid)
{
	struct attached *attached = data;
	siginfo_t info;

	attached->pid = pid;
	/* it does not execute its program before this function returns */
	usleep(10000);
	info.si_pid = 0;
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG), 0);
	assert_int_equal(info.si_pid, 0);
	return attached->result;
}

TEST(command_waits_until_it_is_attached)
{
	char *argv[] = { "true", NULL };
	struct attached attached = { 0 };
	const struct child_calls calls = { .attach = attach, .data = &attached };
	struct child_end end;

	assert_int_equal(child_run(argv, &calls, &end), 0);
	assert_int_equal(child_exit_status(&end), 0);
	assert_int_equal(attached.pid, end.pid);
}

TEST(command_is_not_run_if_attaching_fails)
{
	char *argv[] = { "sh", "-c", "echo >child-test-ran", NULL };
	struct attached attached = { .result = 7 };
	const struct child_calls calls = { .attach = attach, .data = &attached };
	struct child_end end;

	assert_int_equal(child_run(argv, &calls, &end), 7);
	assert_int_equal(access("child-test-ran", F_OK), -1);
	/* no child process is left */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST(cpu_time_of_children_is_separate)
{
	struct child_end end;

	/* 2 us a round here */
	end = run_shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done");
	assert_in_range(end.cpu_ns, 5000000, 20000000000);
	end = run_shell("sh -c 'i=0; while [ $i -lt 200000 ]; do "
			"i=$((i+1)); done'; true");
	assert_in_range(end.cpu_ns, 1, 100000000);
	assert_in_range(end.children_cpu_ns, 10000000, 200000000000);
}

TEST(start_and_elapsed_time_are_measured)
{
	const uint64_t before = (uint64_t)time(NULL), start_ns = time_ns(CLOCK_MONOTONIC);
	struct child_end end;

	end = run_shell("sleep 0.2");
	assert_in_range(end.start_time_ns / NS_PER_S, before, (uint64_t)time(NULL));
	assert_in_range(end.elapsed_ns, 200000000, time_ns(CLOCK_MONOTONIC) - start_ns);
}

static int terminal;	/* the side of its user */
static pid_t other;	/* gets the signals of keys, too, and ends when it has both */

static void start_other(void)
{
	sigset_t keys, before;
	int first, second;

	sigemptyset(&keys);
	sigaddset(&keys, SIGINT);
	sigaddset(&keys, SIGQUIT);
	sigprocmask(SIG_BLOCK, &keys, &before);
	other = fork();
	if (!other)
		_exit(sigwait(&keys, &first) || sigwait(&keys, &second));
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* The user types ^C and ^\ when the command is ready. Then this process gets another signal. */
static bool type(void *data, const struct child_end *so_far, int process, const sigset_t *waiting)
{
	struct pollfd ended = { .fd = process, .events = POLLIN };
	char byte = 0;

	while (byte != 'r')
		assert_int_equal(read(terminal, &byte, 1), 1);
	assert_int_equal(write(terminal, "\x03\x1c", 2), 2);
	waitpid(other, NULL, 0);
	raise(SIGTERM);
	while (poll(&ended, 1, -1) < 0)
		;
	return true;
}

/*
 * Those of keys go to all processes on the terminal: the command would have two. Here it has left the
 * terminal, so that it has none. The test is run by a child, whose terminal it is.
 */
TEST(signals_of_keys_are_not_forwarded)
{
	char *argv[] = { "setsid", "sh", "-c", "echo r; exec sleep 100", NULL };
	const struct child_calls calls = { .meanwhile = type };
	struct child_end end;
	int side, status;
	pid_t pid;

	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_false(terminal < 0 || grantpt(terminal) || unlockpt(terminal));
	pid = fork();
	if (!pid) {
		setsid();
		side = open(ptsname(terminal), O_RDWR);
		dup2(side, STDIN_FILENO);
		dup2(side, STDOUT_FILENO);
		start_other();
		_exit(side < 0 || child_run(argv, &calls, &end) ? 1 : child_exit_status(&end));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
	close(terminal);
}

/* The shell signals its parent, this process. */
TEST(signals_are_forwarded)
{
	struct child_end end;

	end = run_shell("kill -INT $PPID; sleep 10");
	assert_int_equal(child_exit_status(&end), 128 + SIGINT);
	end = run_shell("ulimit -c 0; kill -QUIT $PPID; sleep 10");
	assert_int_equal(child_exit_status(&end), 128 + SIGQUIT);

	end = run_shell("kill -TERM $PPID; sleep 10");
	assert_int_equal(child_exit_status(&end), 128 + SIGTERM);
	end = run_shell("sleep 100 & trap 'kill $!; exit 5' HUP; "
			"kill -HUP $PPID; wait; exit 6");
	assert_int_equal(child_exit_status(&end), 5);
}

TEST(signal_settings_are_inherited_and_restored)
{
	struct sigaction action;
	struct child_end end;
	sigset_t mask;

	/* not ignored in the command, nor in this process afterwards */
	end = run_shell("kill -INT $$; exit 7");
	assert_int_equal(child_exit_status(&end), 128 + SIGINT);
	sigaction(SIGINT, NULL, &action);
	assert_true(action.sa_handler == SIG_DFL);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	assert_false(sigismember(&mask, SIGTERM));

	/* as under nohup(1) */
	signal(SIGHUP, SIG_IGN);
	end = run_shell("kill -HUP $$; kill -HUP $PPID; exit 8");
	assert_int_equal(child_exit_status(&end), 8);
	signal(SIGHUP, SIG_DFL);

	/* if SIGCHLD is ignored by inheritance, the status is still known */
	signal(SIGCHLD, SIG_IGN);
	end = run_shell("exit 9");
	assert_int_equal(child_exit_status(&end), 9);
	sigaction(SIGCHLD, NULL, &action);
	assert_true(action.sa_handler == SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

/* The shell sends each signal to its parent, and then to itself. */
TEST(ignored_signals_are_not_ignored_in_the_command)
{
	struct child_end end;

	signal(SIGPIPE, SIG_DFL);
	signals_ignore(SIGPIPE);
	/* unless they were ignored before */
	signal(SIGXFSZ, SIG_IGN);
	signals_ignore(SIGXFSZ);
	end = run_shell("kill -PIPE $PPID; kill -PIPE $$; exit 4");
	assert_int_equal(child_exit_status(&end), 128 + SIGPIPE);
	end = run_shell("kill -XFSZ $PPID; kill -XFSZ $$; exit 5");
	assert_int_equal(child_exit_status(&end), 5);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

static void be_signalled(void *data, const struct child_end *end)
{
	sigset_t pending;

	assert_int_equal(child_exit_status(end), *(int *)data);
	kill(getpid(), SIGTERM);
	kill(getpid(), SIGINT);
	sigpending(&pending);
	assert_true(sigismember(&pending, SIGTERM));
	assert_true(sigismember(&pending, SIGINT));
	*(int *)data = 0;
}

/* What ends the run is held while the end is dealt with, and is then forgotten. */
TEST(signals_are_held_at_the_end)
{
	char *argv[] = { "sh", "-c", "exit 4", NULL };
	int status = 4;
	const struct child_calls calls = { .ended = be_signalled, .data = &status };
	struct child_end end;

	assert_int_equal(child_run(argv, &calls, &end), 0);
	assert_int_equal(status, 0);
}

/* What meanwhile() is called with */
struct running {
	struct child_end so_far;
	int times;
	int resume;		/* pipe that makes the command continue */
};

static bool meanwhile(void *data, const struct child_end *so_far, int process,
		      const sigset_t *waiting)
{
	struct pollfd ended = { .fd = process, .events = POLLIN };
	struct running *running = data;

	running->so_far = *so_far;
	running->times++;
	assert_false(sigismember(waiting, SIGUSR1));
	assert_int_equal(poll(&ended, 1, 0), 0);
	assert_int_equal(write(running->resume, "\n", 1), 1);
	assert_int_equal(poll(&ended, 1, -1), 1);
	return true;
}

static bool leave(void *data, const struct child_end *so_far, int process, const sigset_t *waiting)
{
	return false;
}

static void prepare(void *data)
{
	dup2(*(int *)data, STDOUT_FILENO);
}

/* It goes on, and this process has not waited for it. */
TEST(left_command_goes_on)
{
	char script[50];
	char *argv[] = { "sh", "-c", script, NULL };
	int go[2], out[2], status;
	struct child_calls calls = { .prepare = prepare, .meanwhile = leave, .data = &out[1] };
	struct child_end end;
	char byte;

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(out), 0);
	snprintf(script, sizeof(script), "read a <&%d; echo b; exit 4", go[0]);
	assert_int_equal(child_run(argv, &calls, &end), 0);
	assert_true(end.is_left);
	assert_int_equal(child_exit_status(&end), 0);
	assert_int_equal(waitpid(end.pid, &status, WNOHANG), 0);
	assert_int_equal(write(go[1], "\n", 1), 1);
	assert_int_equal(read(out[0], &byte, 1), 1);
	assert_int_equal(byte, 'b');
	assert_int_equal(waitpid(end.pid, &status, 0), end.pid);
	assert_int_equal(WEXITSTATUS(status), 4);
	close(go[0]);
	close(go[1]);
	close(out[0]);
	close(out[1]);
}

TEST(meanwhile_gets_the_end_of_the_command)
{
	char script[50];
	char *argv[] = { "sh", "-c", script, NULL };
	char *missing[] = { "./no-such-command", NULL };
	struct running running = { 0 };
	const struct child_calls calls = { .meanwhile = meanwhile, .data = &running };
	struct child_end end;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	running.resume = ends[1];
	snprintf(script, sizeof(script), "read a <&%d; exit 4", ends[0]);
	assert_int_equal(child_run(argv, &calls, &end), 0);
	assert_int_equal(child_exit_status(&end), 4);
	assert_int_equal(running.times, 1);
	assert_int_equal(running.so_far.pid, end.pid);
	assert_int_equal(running.so_far.start_time_ns, end.start_time_ns);
	/* not called for a program that cannot be executed */
	assert_int_equal(child_run(missing, &calls, &end), 0);
	assert_int_equal(running.times, 1);
	close(ends[0]);
	close(ends[1]);
}

TEST(command_does_not_ignore_sigusr1)
{
	struct child_end end;

	signals_ignore(SIGUSR1);
	end = run_shell("kill -USR1 $PPID; exit 5");
	assert_int_equal(child_exit_status(&end), 5);
	end = run_shell("kill -USR1 $$; exit 6");
	assert_int_equal(child_exit_status(&end), 128 + SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
}

FIXTURE(set_up_all)
{
	/* ignored in background jobs or under nohup(1) */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	return 0;
}

GROUP(set_up_all, NULL)
