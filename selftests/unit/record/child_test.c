// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running a command: how it ends, what CPU time it used, and what signals do to
 * it and to us.
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

static void exit_status_is_the_commands(void **state)
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

static void failed_exec_is_told(void **state)
{
	char *missing[] = { "./no-such-command", NULL };
	char *unfit[] = { "./Makefile", NULL };
	struct child_end end;

	(void)state;
	assert_int_equal(child_run(missing, environ, NULL, &end), 0);
	assert_int_equal(end.exec_error, ENOENT);
	assert_int_equal(child_exit_status(&end), 127);
	assert_int_equal(child_run(unfit, environ, NULL, &end), 0);
	assert_int_equal(end.exec_error, EACCES);
	assert_int_equal(child_exit_status(&end), 126);
}

static void environment_is_as_given(void **state)
{
	char *env[] = { "PATH=/bin:/usr/bin", "GIVEN=yes", NULL };
	char *argv[] = { "sh", "-c", "test \"$GIVEN\" = yes", NULL };
	struct child_end end;

	(void)state;
	assert_int_equal(child_run(argv, env, NULL, &end), 0);
	assert_int_equal(child_exit_status(&end), 0);
}

static void cpu_time_is_without_children(void **state)
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

static void times_are_taken(void **state)
{
	uint64_t before = (uint64_t)time(NULL);
	struct child_end end;

	(void)state;
	end = run_shell("sleep 0.2");
	assert_in_range(end.start_time_ns / 1000000000, before, (uint64_t)time(NULL));
	assert_in_range(end.elapsed_ns, 200000000, 20000000000);
}

/* The shell signals its parent, which is us. */
static void terminal_signals_are_ignored(void **state)
{
	struct child_end end;

	(void)state;
	end = run_shell("kill -INT $PPID; kill -QUIT $PPID; exit 4");
	assert_int_equal(child_exit_status(&end), 4);
}

static void termination_is_passed_on(void **state)
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
	/* neither ignored in the command nor afterwards in us */
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

	/* a parent's ignored SIGCHLD must not lose us the status */
	signal(SIGCHLD, SIG_IGN);
	end = run_shell("exit 9");
	assert_int_equal(child_exit_status(&end), 9);
	sigaction(SIGCHLD, NULL, &action);
	assert_true(action.sa_handler == SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

/* The shell sends each to us, and then to itself. */
static void ignored_signals_are_not_the_commands(void **state)
{
	struct child_end end;

	(void)state;
	signal(SIGPIPE, SIG_DFL);
	child_ignore(SIGPIPE);
	/* of one who tells his programs not to mind */
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

static void meanwhile_is_watched(void **state)
{
	char *sleeps[] = { "sh", "-c", "sleep 0.5; exit 4", NULL };
	char *missing[] = { "./no-such-command", NULL };
	int times = 0;
	const struct child_watch watch = {
		.interval_ms = 20, .look = count, .data = &times,
	};
	struct child_end end;

	(void)state;
	assert_int_equal(child_run(sleeps, environ, &watch, &end), 0);
	assert_int_equal(child_exit_status(&end), 4);
	/* 25 and some for the shell; fewer where the host is busy */
	assert_in_range(times, 3, 50);
	times = 0;
	assert_int_equal(child_run(missing, environ, &watch, &end), 0);
	assert_int_equal(times, 0);
}

/* Of how the command was, and that it may go on */
struct snapshots {
	struct child_end last;
	int times;
	int go_on;
};

static void take(void *of, const struct child_end *so_far)
{
	struct snapshots *snapshots = of;

	snapshots->last = *so_far;
	snapshots->times++;
	assert_int_equal(write(snapshots->go_on, "\n", 1), 1);
}

/* It ends only if each signal is answered while it runs. */
static void snapshots_are_taken_when_asked_for(void **state)
{
	char script[200];
	char *argv[] = { "sh", "-c", script, NULL };
	struct snapshots snapshots = { 0 };
	const struct child_watch watch = { .snapshot = take, .of = &snapshots };
	struct child_end end;
	sigset_t mask;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	snapshots.go_on = ends[1];
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
	/* nobody wants one: it does not end us either */
	end = run_shell("kill -USR1 $PPID; exit 5");
	assert_int_equal(child_exit_status(&end), 5);
}

static void take_and_ask_again(void *of, const struct child_end *so_far)
{
	siginfo_t info;
	int *go_on = of;

	raise(SIGUSR1);
	assert_int_equal(write(*go_on, "\n", 1), 1);
	assert_int_equal(waitid(P_PID, (id_t)so_far->pid, &info, WEXITED | WNOWAIT), 0);
}

/* Another comes while the first is answered, and then the command has ended. */
static void signal_at_the_end_is_survived(void **state)
{
	char script[100];
	char *argv[] = { "sh", "-c", script, NULL };
	struct child_watch watch = { .snapshot = take_and_ask_again };
	struct child_end end;
	int ends[2];

	(void)state;
	child_ignore(SIGUSR1);
	assert_int_equal(pipe(ends), 0);
	watch.of = &ends[1];
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
		cmocka_unit_test(exit_status_is_the_commands),
		cmocka_unit_test(failed_exec_is_told),
		cmocka_unit_test(environment_is_as_given),
		cmocka_unit_test(cpu_time_is_without_children),
		cmocka_unit_test(times_are_taken),
		cmocka_unit_test(terminal_signals_are_ignored),
		cmocka_unit_test(termination_is_passed_on),
		cmocka_unit_test(signal_settings_are_inherited_and_restored),
		cmocka_unit_test(ignored_signals_are_not_the_commands),
		cmocka_unit_test(meanwhile_is_watched),
		cmocka_unit_test(snapshots_are_taken_when_asked_for),
		cmocka_unit_test(signal_at_the_end_is_survived),
	};

	/* whatever started us, in the background or under nohup(1), ignored */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
