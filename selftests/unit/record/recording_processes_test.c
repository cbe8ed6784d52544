// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recording of a log: a row for each program in each process, and the programs that must
 * not be sampled.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/process_table.h>
#include <record/recording_state.h>
#include <util/time_ns.h>

#include "support/recorded.h"

#define OTHER	(FAKE_PID + 2)

static void start(int pid, uint64_t cpu_ns, const char *program)
{
	fake_log_exec(&fake, pid, cpu_ns, 0, "comm");
	fake_log_run(&fake, pid);
	fake_log_map_file(&fake, pid, 0x10000, 0x1000, 0, program, PROFIL_MAP_PROGRAM);
}

static void assert_row(size_t i, int pid, int parent, const char *program, uint64_t samples)
{
	assert_true(i < result.nr_processes);
	assert_int_equal(result.processes[i].pid, pid);
	assert_int_equal(result.processes[i].parent, parent);
	assert_string_equal(result.processes[i].program, program);
	assert_int_equal(result.processes[i].samples, samples);
}

static void assert_times(size_t i, uint64_t start_cpu_ns, bool has_ended, uint64_t cpu_ns)
{
	assert_int_equal(result.processes[i].start_cpu_ns, start_cpu_ns);
	assert_int_equal(result.processes[i].has_ended, has_ended);
	assert_int_equal(result.processes[i].cpu_ns, cpu_ns);
}

/* Until its first exec, the command's process is a copy of this one. */
TEST_F(command_begins_with_exec)
{
	start(PID, 300, "/program");
	fake_log_sample(&fake, PID, 0x10000, 5);
	read_log();
	assert_int_equal(result.nr_processes, 1);
	assert_row(0, PID, 0, "/program", 5);
	assert_false(result.processes[0].is_fork);
	assert_times(0, 300, false, 0);
	fake_log_exit(&fake, PID, 1300);
	read_log();
	assert_times(0, 300, true, 1000);
	assert_null(result_problem(&result));
}

/* The kernel maps the program meanwhile. */
TEST_F(command_is_sampled_from_its_run_on)
{
	fake_log_exec(&fake, PID, 300, 0, "comm");
	fake_log_map_file(&fake, PID, 0x10000, 0x1000, 0, "/program", PROFIL_MAP_PROGRAM);
	fake_log_run_from(&fake, PID, 450);
	fake_log_sample(&fake, PID, 0x10000, 5);
	fake_log_exit(&fake, PID, 1300);
	read_log();
	assert_int_equal(result.nr_processes, 1);
	assert_row(0, PID, 0, "/program", 5);
	assert_times(0, 450, true, 850);
}

TEST_F(exec_begins_a_row)
{
	start(PID, 300, "/first");
	fake_log_sample(&fake, PID, 0x10000, 1);
	fake_log_exec(&fake, PID, 500, 0, "second");
	fake_log_run(&fake, PID);
	fake_log_sample(&fake, PID, 0x10000, 2);
	/* less than at its start: the kernel may report a tick less */
	fake_log_exit(&fake, PID, 400);
	read_log();
	assert_int_equal(result.nr_processes, 2);
	assert_row(0, PID, 0, "/first", 1);
	assert_times(0, 300, true, 200);
	/* the kernel has not told its path */
	assert_row(1, PID, 0, "second", 2);
	assert_times(1, 500, true, 0);
}

TEST_F(fork_begins_a_row)
{
	start(PID, 0, "/parent");
	fake_log_fork(&fake, CHILD, PID);
	fake_log_sample(&fake, CHILD, 0x10000, 1);
	start(CHILD, 70, "/executed");
	fake_log_sample(&fake, CHILD, 0x10000, 2);
	fake_log_exit(&fake, CHILD, 100);
	/* another process gets its ID */
	fake_log_fork(&fake, CHILD, PID);
	fake_log_sample(&fake, CHILD, 0x10000, 4);
	read_log();
	assert_int_equal(result.nr_processes, 4);
	assert_row(0, PID, 0, "/parent", 0);
	assert_row(1, CHILD, PID, "/parent", 1);
	assert_true(result.processes[1].is_fork);
	assert_times(1, 0, true, 70);
	assert_row(2, CHILD, PID, "/executed", 2);
	assert_false(result.processes[2].is_fork);
	assert_times(2, 70, true, 30);
	assert_row(3, CHILD, PID, "/parent", 4);
	assert_times(3, 0, false, 0);
}

/* The log does not introduce processes when records are lost. */
TEST_F(unknown_processes_get_a_row)
{
	fake_log_exit(&fake, PID, 100);
	read_log();
	assert_int_equal(result.nr_processes, 0);
	fake_log_sample(&fake, PID, 0x10000, 2);
	fake_log_fork(&fake, CHILD, OTHER);
	fake_log_exit(&fake, PID, 100);
	/* its exit is lost */
	fake_log_fork(&fake, CHILD, OTHER);
	read_log();
	assert_int_equal(result.nr_processes, 3);
	assert_row(0, PID, 0, "[unknown]", 2);
	assert_times(0, 0, true, 100);
	assert_int_equal(result.outside, 2);
	assert_row(1, CHILD, OTHER, "[unknown]", 0);
	assert_times(1, 0, false, 0);
	assert_row(2, CHILD, OTHER, "[unknown]", 0);
	/* it has ended */
	fake_log_sample(&fake, PID, 0x10000, 4);
	read_log();
	assert_int_equal(result.nr_processes, 4);
	assert_row(0, PID, 0, "[unknown]", 2);
	assert_row(3, PID, 0, "[unknown]", 4);
}

TEST_F(denied_programs_are_listed)
{
	start(PID, 0, "/program");
	fake_log_fork(&fake, CHILD, PID);
	fake_log_exec(&fake, CHILD, 100, PROFIL_EXEC_DENIED, "sudo");
	/* no record may follow, but one that does is harmless */
	fake_log_map_file(&fake, CHILD, 0x10000, 0x1000, 0, "/sudo", PROFIL_MAP_PROGRAM);
	fake_log_sample(&fake, CHILD, 0x10000, 1);
	read_log();
	assert_int_equal(result.outside, 1);
	assert_int_equal(result.nr_processes, 2);
	assert_times(1, 0, true, 100);
	assert_int_equal(result.nr_unprofiled, 1);
	assert_string_equal(result.unprofiled[0].program, "sudo");
	assert_int_equal(result.unprofiled[0].processes, 1);
	assert_int_equal(result.unprofiled[0].cpu_ns, 0);
	fake_log_exit(&fake, CHILD, 150);
	/* most CPU time first */
	fake_log_exec(&fake, OTHER, 1000, PROFIL_EXEC_DENIED, "passwd");
	fake_log_exit(&fake, OTHER, 1080);
	fake_log_exec(&fake, OTHER, 1000, PROFIL_EXEC_DENIED, "sudo");
	fake_log_exit(&fake, OTHER, 1007);
	fake_log_exec(&fake, OTHER, 1000, PROFIL_EXEC_DENIED, "sudo");
	fake_log_exit(&fake, OTHER, 900);
	read_log();
	assert_int_equal(result.nr_processes, 2);
	assert_int_equal(result.nr_unprofiled, 2);
	assert_string_equal(result.unprofiled[0].program, "passwd");
	assert_int_equal(result.unprofiled[0].cpu_ns, 80);
	assert_string_equal(result.unprofiled[1].program, "sudo");
	assert_int_equal(result.unprofiled[1].processes, 3);
	assert_int_equal(result.unprofiled[1].cpu_ns, 57);
	assert_null(result_problem(&result));
}

/* Its parent has forbidden to trace it: it has the name of the parent. */
TEST_F(denied_child_is_listed)
{
	start(PID, 0, "/program");
	fake_log_exec(&fake, PID, 100, 0, "agent");
	fake_log_fork_denied(&fake, CHILD, PID);
	/* no record may follow, but one that does is harmless */
	fake_log_sample(&fake, CHILD, 0x10000, 1);
	fake_log_exit(&fake, CHILD, 70);
	read_log();
	assert_int_equal(result.nr_unprofiled, 1);
	assert_string_equal(result.unprofiled[0].program, "agent");
	assert_int_equal(result.unprofiled[0].processes, 1);
	assert_int_equal(result.unprofiled[0].cpu_ns, 70);
	assert_int_equal(result.outside, 1);
	assert_null(result_problem(&result));
}

/* A child of a program that must not be sampled: the kernel does not follow it. */
TEST_F(child_of_a_denied_program_has_no_mappings)
{
	fake_log_exec(&fake, PID, 100, PROFIL_EXEC_DENIED, "sudo");
	fake_log_fork(&fake, CHILD, PID);
	fake_log_sample(&fake, CHILD, 0x10000, 1);
	read_log();
	assert_int_equal(result.outside, 1);
	assert_row(0, CHILD, PID, "[unknown]", 1);
}

TEST_F(too_many_denied_programs_are_left_out)
{
	uint64_t processes = 0;
	char name[16];
	size_t i;

	start(PID, 0, "/program");
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

/* With --no-follow, other programs are not part of the run. */
TEST_F(programs_that_are_not_followed_are_not_listed)
{
	start(PID, 0, "/program");
	fake_log_exec(&fake, PID, 100, PROFIL_EXEC_LEFT, "other");
	fake_log_exit(&fake, PID, 150);
	fake_log_exec(&fake, CHILD, 100, PROFIL_EXEC_LEFT, "other");
	read_log();
	assert_int_equal(result.nr_processes, 1);
	assert_times(0, 0, true, 100);
	assert_int_equal(result.nr_unprofiled, 0);
}

TEST_F(losses_are_counted)
{
	start(PID, 0, "/program");
	read_log();
	assert_int_equal(result.lost, 0);
	fake_log_lost(&fake, 20, 3);
	fake_log_lost(&fake, 2, 0);
	read_log();
	assert_int_equal(result.lost, 22);
	/* the last record about it may not have been read */
	run_log.status.lost = 25;
	read_log();
	assert_int_equal(result.lost, 25);
	assert_int_equal(result_samples(&result), 0);
	assert_int_equal(result.nr_processes, 1);
}

TEST_F(too_many_processes_are_summed_up)
{
	recording->processes.limit = 2;
	start(PID, 0, "/program");
	fake_log_fork(&fake, CHILD, PID);
	fake_log_exit(&fake, CHILD, 7);
	/* no room for these */
	fake_log_fork(&fake, CHILD, PID);
	fake_log_sample(&fake, CHILD, 0x10000, 5);
	fake_log_exec(&fake, CHILD, 40, 0, "second");
	fake_log_run(&fake, CHILD);
	fake_log_exit(&fake, CHILD, 100);
	fake_log_exec(&fake, OTHER, 10, 0, "other");
	fake_log_run_from(&fake, OTHER, 30);
	fake_log_exit(&fake, OTHER, 50);
	/* outside of the PID namespace */
	fake_log_fork(&fake, 0, PID);
	fake_log_exec(&fake, 0, 0, 0, "nameless");
	fake_log_run(&fake, 0);
	fake_log_exit(&fake, 0, 100);
	read_log();
	assert_int_equal(result.nr_processes, 2);
	assert_int_equal(result.unlisted_processes, 2 + 1 + 2);
	/* the times from the fork to the exec, from there to the end, and of the other one */
	assert_int_equal(result.unlisted_ended, 3);
	assert_int_equal(result.unlisted_cpu_ns, 40 + 60 + 20);
	/* its samples count */
	assert_int_equal(result_samples(&result), 5);
	assert_string_equal(result.objects[0].path, "/program");
	assert_null(result_problem(&result));
}

/* Its CPU time so far is read from its clock, at each snapshot anew. */
TEST_F(unlisted_process_that_runs_has_a_time)
{
	recording->processes.limit = 1;
	start(PID, 0, "/program");
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

/* The log is full of what was read together with the record of the loss, or before it. */
TEST_F(losses_tell_what_filled_the_log)
{
	start(PID, 0, "/program");
	read_log();
	/* one sample, and nothing else at that time */
	fake_log_sample(&fake, PID, 0x10000, 1);
	fake_log_lost(&fake, 1, 4);
	read_log();
	assert_int_equal(result.lost, 1);
	assert_int_equal(result.lost_records, 4);
	assert_false(result.records_filled_log);
	start(PID, 0, "/program");
	fake_log_sample(&fake, PID, 0x10000, 1);
	fake_log_lost(&fake, 0, 2);
	read_log();
	assert_int_equal(result.lost_records, 6);
	assert_true(result.records_filled_log);
}

/* The status tells it: nothing is written after the last loss. */
TEST_F(last_loss_may_be_only_in_the_status)
{
	start(PID, 0, "/program");
	read_log();
	assert_int_equal(result.lost_records, 0);
	assert_false(result.records_filled_log);
	/* a sample and perhaps others */
	run_log.status.error = ENOBUFS;
	run_log.status.lost = 1;
	collect();
	assert_int_equal(result.lost, 1);
	assert_int_equal(result.lost_records, 0);
	assert_true(result.records_filled_log);
	/* no sample, so at least one other record */
	run_log.status.lost = 0;
	collect();
	assert_int_equal(result.lost, 0);
	assert_int_equal(result.lost_records, 1);
	assert_true(result.records_filled_log);
}

TEST_F(memory_is_freed_while_processes_exist)
{
	start(PID, 0, "/program");
	fake_log_fork(&fake, CHILD, PID);
	/* the end of the table */
	start(LOG_RECORD_PIDS - 1, 0, "/program");
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
	assert_in_range(recording_all_attached_ns(recording), first_ns + 1000000,
			time_cpu_ns(pid));
	assert_false(recording_has_process(recording, -1));
	assert_false(recording_has_process(recording, 1 << 22));
}
