// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running a command: its exit status, CPU time and environment, and how signals affect the
 * command and its parent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <record/child.h>

#include "support/test.h"

static struct child_end run_shell(char *script)
{
	char *argv[] = { "sh", "-c", script, NULL };
	struct child_end end;

	assert_int_equal(child_run(argv, environ, NULL, &end), 0);
	assert_int_equal(end.exec_error, 0);
	return end;
}

static void exit_status_is_that_of_the_command(void **state)
{
	struct child_end end;

	(void)state;
	end = run_shell("exit 0");
	assert_int_equal(child_exit_status(&end), 0);
	end = run_shell("exit 3");
	assert_int_equal(child_exit_status(&end), 3);
	end = run_shell("kill -KILL $$");
	assert_int_equal(child_exit_status(&end), 128 + SIGKILL);
}

static void failed_exec_is_reported(void **state)
{
	char *missing[] = { "./no-such-command", NULL };
	char *not_executable[] = { "./Makefile", NULL };
	struct child_end end;

	(void)state;
	assert_int_equal(child_run(missing, environ, NULL, &end), 0);
	assert_int_equal(end.exec_error, ENOENT);
	assert_int_equal(child_exit_status(&end), 127);
	assert_int_equal(child_run(not_executable, environ, NULL, &end), 0);
	assert_int_equal(end.exec_error, EACCES);
	assert_int_equal(child_exit_status(&end), 126);
}

static void command_gets_the_given_environment(void **state)
{
	char *env[] = { "PATH=/bin:/usr/bin", "GIVEN=yes", NULL };
	char *argv[] = { "sh", "-c", "test \"$GIVEN\" = yes", NULL };
	struct child_end end;

	(void)state;
	assert_int_equal(child_run(argv, env, NULL, &end), 0);
	assert_int_equal(child_exit_status(&end), 0);
}

static void cpu_time_of_children_is_separate(void **state)
{
	struct child_end end;

	(void)state;
	end = run_shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done");
	assert_in_range(end.cpu_ns, 5000000, 20000000000);
	end = run_shell("sh -c 'i=0; while [ $i -lt 1000000 ]; do "
			"i=$((i+1)); done'; true");
	assert_in_range(end.cpu_ns, 1, 100000000);
	assert_in_range(end.children_cpu_ns, 50000000, 200000000000);
}

static void start_and_elapsed_time_are_measured(void **state)
{
	uint64_t before = (uint64_t)time(NULL);
	struct child_end end;

	(void)state;
	end = run_shell("sleep 0.2");
	assert_in_range(end.start_time_ns / 1000000000, before, (uint64_t)time(NULL));
	assert_in_range(end.elapsed_ns, 200000000, 20000000000);
}

/* The shell signals its parent, this process. */
static void terminal_signals_are_ignored(void **state)
{
	struct child_end end;

	(void)state;
	end = run_shell("kill -INT $PPID; kill -QUIT $PPID; exit 4");
	assert_int_equal(child_exit_status(&end), 4);
}

static void termination_is_forwarded(void **state)
{
	struct child_end end;

	(void)state;
	end = run_shell("kill -TERM $PPID; sleep 10");
	assert_int_equal(child_exit_status(&end), 128 + SIGTERM);
	end = run_shell("sleep 100 & trap 'kill $!; exit 5' HUP; "
			"kill -HUP $PPID; wait; exit 6");
	assert_int_equal(child_exit_status(&end), 5);
}

static void signal_settings_are_inherited_and_restored(void **state)
{
	struct sigaction action;
	struct child_end end;
	sigset_t mask;

	(void)state;
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
static void ignored_signals_are_not_ignored_in_the_command(void **state)
{
	struct child_end end;

	(void)state;
	signal(SIGPIPE, SIG_DFL);
	child_ignore(SIGPIPE);
	/* unless they were ignored before */
	signal(SIGXFSZ, SIG_IGN);
	child_ignore(SIGXFSZ);
	end = run_shell("kill -PIPE $PPID; kill -PIPE $$; exit 4");
	assert_int_equal(child_exit_status(&end), 128 + SIGPIPE);
	end = run_shell("kill -XFSZ $PPID; kill -XFSZ $$; exit 5");
	assert_int_equal(child_exit_status(&end), 5);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

static void count(void *data, pid_t pid)
{
	assert_true(pid > 0);
	++*(int *)data;
}

static void poll_is_called_at_intervals(void **state)
{
	char *sleeps[] = { "sh", "-c", "sleep 0.5; exit 4", NULL };
	char *missing[] = { "./no-such-command", NULL };
	int times = 0;
	const struct child_watch watch = {
		.interval_ms = 20, .poll = count, .data = &times,
	};
	struct child_end end;

	(void)state;
	assert_int_equal(child_run(sleeps, environ, &watch, &end), 0);
	assert_int_equal(child_exit_status(&end), 4);
	/* about 25; fewer if the host is busy */
	assert_in_range(times, 3, 50);
	times = 0;
	assert_int_equal(child_run(missing, environ, &watch, &end), 0);
	assert_int_equal(times, 0);
}

/* @resume: pipe that makes the command continue */
struct snapshots {
	struct child_end last;
	int times;
	int resume;
};

static void take_snapshot(void *data, const struct child_end *so_far)
{
	struct snapshots *snapshots = data;

	snapshots->last = *so_far;
	snapshots->times++;
	assert_int_equal(write(snapshots->resume, "\n", 1), 1);
}

/* The command ends only if each signal is handled while it runs. */
static void sigusr1_takes_a_snapshot(void **state)
{
	char script[200];
	char *argv[] = { "sh", "-c", script, NULL };
	struct snapshots snapshots = { 0 };
	const struct child_watch watch = {
		.snapshot = take_snapshot, .snapshot_data = &snapshots,
	};
	struct child_end end;
	sigset_t mask;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	snapshots.resume = ends[1];
	snprintf(script, sizeof(script), "kill -USR1 $PPID; read a <&%d; "
		 "kill -USR1 $PPID; read a <&%d; kill -USR1 $$; exit 4", ends[0], ends[0]);
	assert_int_equal(child_run(argv, environ, &watch, &end), 0);
	/* the command has its own settings */
	assert_int_equal(child_exit_status(&end), 128 + SIGUSR1);
	assert_int_equal(snapshots.times, 2);
	assert_int_equal(snapshots.last.pid, end.pid);
	assert_int_equal(snapshots.last.start_time_ns, end.start_time_ns);
	assert_in_range(snapshots.last.elapsed_ns, 1, end.elapsed_ns);
	assert_in_range(snapshots.last.cpu_ns, 1, end.cpu_ns);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	assert_false(sigismember(&mask, SIGUSR1));
	close(ends[0]);
	close(ends[1]);
	/* without a snapshot function, the signal is ignored */
	end = run_shell("kill -USR1 $PPID; exit 5");
	assert_int_equal(child_exit_status(&end), 5);
}

static void request_another_snapshot(void *data, const struct child_end *so_far)
{
	siginfo_t info;
	int *resume = data;

	raise(SIGUSR1);
	assert_int_equal(write(*resume, "\n", 1), 1);
	assert_int_equal(waitid(P_PID, (id_t)so_far->pid, &info, WEXITED | WNOWAIT), 0);
}

/* A second SIGUSR1 arrives during the first snapshot, and then the command ends. */
static void sigusr1_at_the_end_is_ignored(void **state)
{
	char script[100];
	char *argv[] = { "sh", "-c", script, NULL };
	struct child_watch watch = { .snapshot = request_another_snapshot };
	struct child_end end;
	int ends[2];

	(void)state;
	child_ignore(SIGUSR1);
	assert_int_equal(pipe(ends), 0);
	watch.snapshot_data = &ends[1];
	snprintf(script, sizeof(script), "kill -USR1 $PPID; read a <&%d; exit 6", ends[0]);
	assert_int_equal(child_run(argv, environ, &watch, &end), 0);
	assert_int_equal(child_exit_status(&end), 6);
	/* the command does not ignore it */
	assert_int_equal(child_run((char *[]){ "sh", "-c", "kill -USR1 $$", NULL }, environ,
				     NULL, &end), 0);
	assert_int_equal(child_exit_status(&end), 128 + SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_status_is_that_of_the_command),
		cmocka_unit_test(failed_exec_is_reported),
		cmocka_unit_test(command_gets_the_given_environment),
		cmocka_unit_test(cpu_time_of_children_is_separate),
		cmocka_unit_test(start_and_elapsed_time_are_measured),
		cmocka_unit_test(terminal_signals_are_ignored),
		cmocka_unit_test(termination_is_forwarded),
		cmocka_unit_test(signal_settings_are_inherited_and_restored),
		cmocka_unit_test(ignored_signals_are_not_ignored_in_the_command),
		cmocka_unit_test(poll_is_called_at_intervals),
		cmocka_unit_test(sigusr1_takes_a_snapshot),
		cmocka_unit_test(sigusr1_at_the_end_is_ignored),
	};

	/* ignored in background jobs or under nohup(1) */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
