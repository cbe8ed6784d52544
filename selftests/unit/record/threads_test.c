// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads, modes and command lines in a recording.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <record/attach.h>
#include <record/recording.h>
#include <record/recording_state.h>
#include <util/time_ns.h>

#include "support/recorded.h"

#define CODE	0x10000
#define BYTES	0x1000

static void start(int pid, const char *program)
{
	fake_log_exec(&fake, pid, 0, 0, "comm");
	fake_log_map_file(&fake, pid, CODE, BYTES, 0, program, PROFIL_MAP_PROGRAM);
	fake_log_run(&fake, pid);
}

/* Return: the only thread with that ID. */
static const struct result_thread *thread_of(int tid)
{
	const struct result_thread *found = NULL;
	size_t i;

	for (i = 0; i < result.nr_threads; i++) {
		if (result.threads[i].tid != tid)
			continue;
		assert_null(found);
		found = &result.threads[i];
	}
	assert_non_null(found);
	return found;
}

TEST_F(threads_have_their_samples)
{
	const struct fake_thread main_thread = { PID, PID }, worker = { PID, PID + 5 };

	start(PID, "/program");
	fake_log_user(&fake, &main_thread, CODE, 1);
	fake_log_user(&fake, &worker, CODE, 2);
	fake_log_kernel(&fake, &worker, CODE + 1, 4);
	fake_log_user(&fake, &main_thread, CODE, 8);
	fake_log_thread(&fake, &worker, 77, "worker");
	read_log();
	assert_int_equal(result.nr_threads, 2);
	assert_int_equal(thread_of(PID)->samples, 9);
	assert_int_equal(thread_of(PID)->system, 0);
	/* it has not ended, and there is no such process */
	assert_string_equal(thread_of(PID)->name, "comm");
	assert_false(thread_of(PID)->has_cpu_ns);
	assert_int_equal(thread_of(PID + 5)->samples, 6);
	assert_int_equal(thread_of(PID + 5)->system, 4);
	assert_string_equal(thread_of(PID + 5)->name, "worker");
	assert_int_equal(thread_of(PID + 5)->cpu_ns, 77);
	assert_int_equal(result.processes[0].samples, 15);
	assert_int_equal(result.processes[0].system, 4);
	assert_int_equal(result_system_samples(&result), 4);
	/* a count for each address, over all threads */
	assert_int_equal(result.objects[0].nr_counts, 2);
	assert_int_equal(result.objects[0].counts[0].samples, 11);
	assert_int_equal(result.objects[0].counts[1].system, 4);
}

/* Samples of a thread's exit follow its record. Another thread that gets its ID is the same one. */
TEST_F(samples_after_the_end)
{
	const struct fake_thread worker = { PID, PID + 5 };

	start(PID, "/program");
	fake_log_user(&fake, &worker, CODE, 1);
	fake_log_thread(&fake, &worker, 10, "first");
	fake_log_kernel(&fake, &worker, CODE, 2);
	read_log();
	assert_int_equal(result.nr_threads, 1);
	assert_string_equal(result.threads[0].name, "first");
	assert_int_equal(result.threads[0].samples, 3);
	fake_log_user(&fake, &worker, CODE, 4);
	fake_log_thread(&fake, &worker, 20, "second");
	read_log();
	assert_int_equal(result.nr_threads, 1);
	assert_string_equal(result.threads[0].name, "second");
	assert_int_equal(result.threads[0].cpu_ns, 30);
	assert_int_equal(result.threads[0].samples, 7);
}

/* A thread belongs to one program: the samples of the next one are not in its row. */
TEST_F(exec_begins_other_threads)
{
	const struct fake_thread thread = { PID, PID };

	start(PID, "/first");
	fake_log_user(&fake, &thread, CODE, 1);
	start(PID, "/second");
	fake_log_user(&fake, &thread, CODE, 2);
	fake_log_thread(&fake, &thread, 9, "second");
	read_log();
	assert_int_equal(result.nr_threads, 2);
	assert_int_equal(result.threads[0].process, 0);
	assert_int_equal(result.threads[0].samples, 1);
	assert_string_equal(result.threads[0].name, "comm");
	assert_int_equal(result.threads[1].process, 1);
	assert_int_equal(result.threads[1].samples, 2);
	assert_string_equal(result.threads[1].name, "second");
}

/* Without a row for the process, there is none for its threads. */
TEST_F(threads_of_unlisted_processes_are_not_listed)
{
	recording->processes.limit = 1;
	start(PID, "/program");
	start(CHILD, "/program");
	fake_log_sample(&fake, PID, CODE, 1);
	fake_log_sample(&fake, CHILD, CODE, 2);
	/* outside of the PID namespace */
	fake_log_sample(&fake, 0, CODE, 4);
	read_log();
	assert_int_equal(result.nr_threads, 1);
	assert_int_equal(result.threads[0].samples, 1);
	assert_int_equal(result_samples(&result), 7);
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
	fake_log_user(&fake, &living, CODE, 1);
	read_log();
	assert_int_equal(result.nr_threads, 1);
	assert_string_equal(result.threads[0].name, "a (b) c");
	assert_true(result.threads[0].has_cpu_ns);
	close(fds[1]);
	pthread_join(thread, NULL);
	/* its own command line */
	assert_non_null(result.processes[0].argv);
	assert_non_null(strstr(result.processes[0].argv[0], "threads_test"));
	close(fds[0]);
	close(fds[2]);
	close(fds[3]);
}

TEST_F(command_lines)
{
	static const char args[] = "cc\0-c\0\0a file.c";
	char *const *argv;

	start(PID, "/bin/cc");
	fake_log_args(&fake, PID, args, sizeof(args), sizeof(args));
	fake_log_fork(&fake, CHILD, PID);
	start(CHILD + 1, "/bin/cut");
	/* cut within an argument */
	fake_log_args(&fake, CHILD + 1, "cut\0-f", 6, 5000);
	start(CHILD + 2, "/bin/none");
	fake_log_args(&fake, CHILD + 2, "", 0, 0);
	start(CHILD + 3, "/bin/unknown");
	read_log();
	argv = result.processes[0].argv;
	assert_string_equal(argv[0], "cc");
	assert_string_equal(argv[1], "-c");
	assert_string_equal(argv[2], "");
	assert_string_equal(argv[3], "a file.c");
	assert_null(argv[4]);
	/* a forked child has that of its parent */
	assert_string_equal(result.processes[1].argv[3], "a file.c");
	argv = result.processes[2].argv;
	assert_string_equal(argv[0], "cut");
	assert_string_equal(argv[1], "-f");
	assert_string_equal(argv[2], "...");
	assert_null(argv[3]);
	assert_null(result.processes[3].argv[0]);
	assert_null(result.processes[4].argv);
}

/* Samples that wait for /proc after a loss have their thread and mode, too. */
TEST_F(late_samples_have_threads)
{
	const struct fake_thread worker = { PID, PID + 5 };

	start(PID, "/program");
	fake_log_lost(&fake, 0, 1);
	fake_log_kernel(&fake, &worker, CODE, 3);
	read_log();
	assert_int_equal(result.nr_threads, 1);
	assert_int_equal(result.threads[0].tid, PID + 5);
	assert_int_equal(result.threads[0].system, 3);
	assert_string_equal(result.processes[result.threads[0].process].program, RESULT_UNKNOWN);
}
