// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recording of a log: times of processes and threads that run, and many processes. stories.txt
 * has the others.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/process_table.h>
#include <record/recording_state.h>
#include <util/time_ns.h>

#include "support/recorded.h"

TEST_F(too_many_denied_programs_are_left_out)
{
	uint64_t processes = 0;
	char name[16];
	size_t i;

	start(PID);
	for (i = 0; i <= RESULT_MAX_UNPROFILED; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		fake_log_exec(&fake, CHILD, 0, PROFIL_EXEC_DENIED, name);
		fake_log_exit(&fake, CHILD, 1);
		if (i % 64 == 0)
			read_log();
	}
	read_log();
	assert_int_equal(result.nr_unprofiled, RESULT_MAX_UNPROFILED);
	for (i = 0; i < RESULT_MAX_UNPROFILED; i++)
		processes += result.unprofiled[i].processes;
	assert_int_equal(processes, RESULT_MAX_UNPROFILED);
	assert_null(result_problem(&result));
}

/* Its CPU time so far is read from its clock, at each snapshot anew. */
TEST_F(unlisted_process_that_runs_has_a_time)
{
	recording->processes.limit = 1;
	start(PID);
	fake_log_fork(&fake, getpid(), PID);
	read_log();
	assert_int_equal(result.unlisted_ended, 0);
	recording_read_times(recording);
	recording_read_times(recording);
	collect();
	assert_int_equal(result.unlisted_ended, 1);
	assert_in_range(result.unlisted_cpu_ns, 1, time_cpu_ns(getpid()));
	/* now the log has its end */
	fake_log_exit(&fake, getpid(), 50);
	assert_int_equal(recording_read(recording, fake.read), 1);
	recording_read_times(recording);
	collect();
	assert_int_equal(result.unlisted_ended, 1);
	assert_int_equal(result.unlisted_cpu_ns, 50);
}

TEST_F(memory_is_freed_while_processes_exist)
{
	start(PID);
	fake_log_fork(&fake, CHILD, PID);
	/* the end of the table */
	start(LOG_RECORD_PIDS - 1);
	read_log();
	assert_int_equal(result.nr_processes, 3);
	recording_free(NULL);
}

/* Use CPU time up to @cpu_ns, and stop. */
static void run_until(uint64_t cpu_ns)
{
	while (time_ns(CLOCK_PROCESS_CPUTIME_ID) < cpu_ns)
		;
	raise(SIGSTOP);
}

static void wait_until_stopped(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
}

/* The clock of a process that has ended exists until the process is reaped. */
TEST_F(cpu_time_since_attach_outlives_the_process)
{
	uint64_t base_ns, used_ns;
	siginfo_t info;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		/* so that it does not stay stopped if the test fails */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_until(5000000);
		run_until(9000000);
		_exit(0);
	}
	wait_until_stopped(child);
	base_ns = time_cpu_ns(child);
	assert_true(base_ns >= 5000000);
	assert_int_equal(recording_add_process(recording, child, time_cpu_ns(child)), 0);
	recording_read_times(recording);
	assert_int_equal(recording_attached_ns(recording, child), 0);
	kill(child, SIGCONT);
	wait_until_stopped(child);
	used_ns = time_cpu_ns(child) - base_ns;
	recording_read_times(recording);
	assert_int_equal(recording_attached_ns(recording, child), used_ns);
	kill(child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	used_ns = time_cpu_ns(child) - base_ns;
	/* the record of its exit comes first, and has less */
	fake_log_exit(&fake, child, base_ns + 1);
	assert_int_equal(recording_read(recording, fake.read), 1);
	assert_int_equal(recording_attached_ns(recording, child), used_ns);
	waitpid(child, NULL, 0);
	recording_read_times(recording);
	assert_int_equal(recording_attached_ns(recording, child), used_ns);
	assert_int_equal(recording_attached_ns(recording, child + 1), 0);
}

static uint64_t spin(uint64_t used_ns)
{
	while (time_cpu_ns(getpid()) < used_ns)
		;
	return time_cpu_ns(getpid());
}

/*
 * Another process gets the ID of an attached one that has ended: this one, whose clock runs. Its
 * time is not that of the first, and it may be attached too.
 */
TEST_F(process_id_is_used_again)
{
	const pid_t pid = getpid();
	uint64_t base_ns, first_ns;

	base_ns = time_cpu_ns(pid);
	assert_false(recording_has_process(recording, pid));
	assert_int_equal(recording_add_process(recording, pid, base_ns), 0);
	assert_true(recording_has_process(recording, pid));
	fake_log_exit(&fake, pid, base_ns + 1);
	assert_int_equal(recording_read(recording, fake.read), 1);
	assert_false(recording_has_process(recording, pid));
	first_ns = recording_attached_ns(recording, pid);
	assert_true(first_ns > 0);
	base_ns = spin(base_ns + first_ns + 2000000);
	recording_read_times(recording);
	assert_int_equal(recording_attached_ns(recording, pid), first_ns);
	assert_int_equal(recording_add_process(recording, pid, base_ns), 0);
	spin(base_ns + 1000000);
	recording_read_times(recording);
	assert_int_equal(recording_attached_ns(recording, pid), first_ns);
	assert_in_range(recording_all_attached_ns(recording), first_ns + 1000000, time_cpu_ns(pid));
	assert_false(recording_has_process(recording, -1));
	assert_false(recording_has_process(recording, 1 << 22));
}

static void *wait_for_end(void *pipe)
{
	const pid_t tid = gettid();
	char byte;

	prctl(PR_SET_NAME, "a (b) c");
	assert_int_equal(write(((int *)pipe)[3], &tid, sizeof(tid)), sizeof(tid));
	assert_int_equal(read(((int *)pipe)[0], &byte, 1), 0);
	return NULL;
}

/* A thread that has not ended is looked up in /proc. */
TEST_F(name_of_a_living_thread)
{
	int fds[4];
	struct fake_thread living = { .pid = getpid() };
	pthread_t thread;

	assert_int_equal(pipe(&fds[0]), 0);
	assert_int_equal(pipe(&fds[2]), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_end, fds), 0);
	assert_int_equal(read(fds[2], &living.tid, sizeof(living.tid)), sizeof(living.tid));
	assert_int_equal(recording_add_process(recording, getpid(), time_cpu_ns(getpid())), 0);
	fake_log_user(&fake, &living, 0x10000, 1);
	read_log();
	assert_int_equal(result.nr_threads, 1);
	assert_string_equal(result.threads[0].name, "a (b) c");
	assert_true(result.threads[0].has_cpu_ns);
	close(fds[1]);
	pthread_join(thread, NULL);
	/* its own command line */
	assert_non_null(result.processes[0].argv);
	assert_non_null(strstr(result.processes[0].argv[0], "recording_processes_test"));
	close(fds[0]);
	close(fds[2]);
	close(fds[3]);
}

/* Return: whether the file of this program was opened since the last call. */
static bool was_opened(int watch)
{
	struct inotify_event event;

	return read(watch, &event, sizeof(event)) > 0;
}

/* In this test's group of processes, which end with it */
static void start_children(pid_t *children, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

static void end_children(const pid_t *children, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		kill(children[i], SIGKILL);
	for (i = 0; i < nr; i++)
		waitpid(children[i], NULL, 0);
}

/* Many processes have mapped the same files. */
TEST_F(file_of_many_processes_is_opened_once)
{
	const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	pid_t children[8];
	size_t i;

	assert_true(watch >= 0);
	assert_true(inotify_add_watch(watch, "/proc/self/exe", IN_OPEN) >= 0);
	start_children(children, ARRAY_SIZE(children));
	for (i = 0; i < ARRAY_SIZE(children); i++) {
		was_opened(watch);
		assert_int_equal(recording_add_process(recording, children[i], 0), 0);
		assert_int_equal(recording_open_files(recording), 0);
		assert_int_equal(was_opened(watch), !i);
	}
	/* later, it may be another one */
	assert_int_equal(recording_read(recording, fake.read), 1);
	assert_int_equal(recording_add_process(recording, getpid(), 0), 0);
	assert_int_equal(recording_open_files(recording), 0);
	assert_true(was_opened(watch));
	end_children(children, ARRAY_SIZE(children));
	close(watch);
}

/* Nothing is done for each attached process at each read, nor at the end of another one. */
TEST_F(attached_processes_cost_nothing_while_they_run)
{
	const pid_t first = 1 << 21;
	const int nr = 1 << 18;
	uint64_t start_ns;
	int i;

	for (i = 0; i < nr; i++)
		assert_int_equal(process_table_attach(&recording->processes, first + i, 0), 0);
	start_ns = time_cpu_ns(getpid());
	for (i = 0; i < nr; i++)
		process_table_detach(&recording->processes, first + nr - 1 - i);
	for (i = 0; i < 1000; i++)
		assert_int_equal(recording_read(recording, fake.read), 1);
	/* of a quadratic search, a tenth of a ns for each step would be 3 s */
	assert_true(time_cpu_ns(getpid()) - start_ns < 3 * NS_PER_S);
}
