// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is seen of programs without the library. They are this one's children, and work and
 * wait as they are told to, so that nothing depends on when they are looked at.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <record/unprofiled.h>

#include "support/test.h"

#define NS_PER_MS	1000000ULL

/* A child, which goes on by one step for each byte that it is sent */
struct worker {
	pid_t pid;
	int orders;
	int reports;
};

static struct unprofiled *unprofiled;

static uint64_t cpu_ns(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &time), 0);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void burn(uint64_t ns)
{
	const uint64_t end = cpu_ns(0) + ns;

	while (cpu_ns(0) < end)
		;
}

static void do_step(const struct worker *worker)
{
	char byte;

	if (read(worker->orders, &byte, 1) != 1)
		_exit(0);
	if (write(worker->reports, &byte, 1) != 1)
		_exit(1);
}

/* It has executed what /proc says by the time that it reports. */
static struct worker start(char *const argv[])
{
	int orders[2], reports[2];
	struct worker worker;

	assert_int_equal(pipe(orders), 0);
	assert_int_equal(pipe(reports), 0);
	worker.pid = fork();
	if (!worker.pid) {
		dup2(orders[0], STDIN_FILENO);
		dup2(reports[1], STDOUT_FILENO);
		close(orders[0]);
		close(orders[1]);
		close(reports[0]);
		close(reports[1]);
		execv(argv[0], argv);
		_exit(126);
	}
	close(orders[0]);
	close(reports[1]);
	worker.orders = orders[1];
	worker.reports = reports[0];
	return worker;
}

static void step(const struct worker *worker)
{
	char byte = 's';

	assert_int_equal(write(worker->orders, &byte, 1), 1);
	assert_int_equal(read(worker->reports, &byte, 1), 1);
}

static uint64_t end(const struct worker *worker)
{
	siginfo_t info;
	uint64_t used;

	close(worker->orders);
	close(worker->reports);
	assert_int_equal(waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOWAIT), 0);
	used = cpu_ns(worker->pid);
	assert_int_equal(waitpid(worker->pid, NULL, 0), worker->pid);
	return used;
}

/* This program again, as a child that works for 20 ms before each report */
static char *self[] = { "/proc/self/exe", "work", NULL };
/* and as a shell's child, which is no child of ours */
static char *shell[] = { "/bin/sh", "-c", "\"$0\" work; :", NULL, NULL };

static char own_path[4096];

static void __attribute__((noreturn)) work(const char *library, const char *name)
{
	const struct worker worker = { 0, STDIN_FILENO, STDOUT_FILENO };

	if (name)
		prctl(PR_SET_NAME, name);
	/* /proc/PID/exe is root's then; root reads it all the same */
	if (name)
		prctl(PR_SET_DUMPABLE, 0);
	if (library)
		mmap(NULL, 1, PROT_READ, MAP_SHARED,
		     open(library, O_RDWR | O_CREAT | O_CLOEXEC, 0600), 0);
	for (;;) {
		burn(20 * NS_PER_MS);
		do_step(&worker);
	}
}

static int set_up(void **state)
{
	(void)state;
	unprofiled = unprofiled_new();
	return !unprofiled;
}

static int tear_down(void **state)
{
	(void)state;
	unprofiled_free(unprofiled);
	return 0;
}

static void command_is_seen(void **state)
{
	struct worker worker = start(self);
	const struct unprofiled_program *programs;
	uint64_t used;
	size_t nr;

	(void)state;
	step(&worker);
	unprofiled_look(unprofiled, worker.pid);
	step(&worker);
	unprofiled_look(unprofiled, worker.pid);
	used = end(&worker);
	unprofiled_end(unprofiled, worker.pid, "/other", false, used);
	programs = unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 1);
	assert_string_equal(programs[0].path, own_path);
	assert_int_equal(programs[0].processes, 1);
	/* to the ns, as it is the command */
	assert_int_equal(programs[0].cpu_ns, used);
}

/* It ended before the first look. */
static void command_is_known_by_its_file(void **state)
{
	const struct unprofiled_program *programs;
	size_t nr;

	(void)state;
	unprofiled_end(unprofiled, 1, "/bin/static", false, 77);
	programs = unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 1);
	assert_string_equal(programs[0].path, "/bin/static");
	assert_int_equal(programs[0].cpu_ns, 77);
}

static void profiled_command_is_none(void **state)
{
	size_t nr;

	(void)state;
	unprofiled_end(unprofiled, 1, "/bin/dynamic", true, 77);
	unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 0);
}

/* A child of the command, of which the last look counts */
static void child_is_seen(void **state)
{
	const struct unprofiled_program *programs;
	uint64_t used, least;
	struct worker worker;
	size_t nr, i;

	(void)state;
	shell[3] = own_path;
	worker = start(shell);
	step(&worker);
	unprofiled_look(unprofiled, worker.pid);
	step(&worker);
	unprofiled_look(unprofiled, worker.pid);
	/* of two steps; it may have begun the third */
	least = 40 * NS_PER_MS;
	used = end(&worker);
	unprofiled_end(unprofiled, worker.pid, NULL, false, used);
	programs = unprofiled_programs(unprofiled, &nr);
	if (nr == 1) {
		/* no CONFIG_PROC_CHILDREN: the shell alone */
		skip();
	}
	assert_int_equal(nr, 2);
	for (i = 0; i < nr && strcmp(programs[i].path, own_path); i++)
		;
	assert_true(i < nr);
	assert_true(programs[i].cpu_ns >= least);
	/* sorted */
	assert_true(programs[0].cpu_ns >= programs[1].cpu_ns);
}

/* Seen once, it may be one whose library is being loaded. */
static void one_look_is_not_enough(void **state)
{
	struct worker worker = start(self);
	size_t nr;

	(void)state;
	step(&worker);
	unprofiled_look(unprofiled, worker.pid);
	unprofiled_end(unprofiled, worker.pid, NULL, true, end(&worker));
	unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 0);
}

/* One that maps a file of the library's name, whatever is in it */
static struct worker start_with_library(void)
{
	char directory[] = "/tmp/unprofiled.XXXXXX", path[64];
	char *maps[] = { own_path, "work", path, NULL };
	struct worker worker;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/libprofil-run.so", directory);
	worker = start(maps);
	step(&worker);
	/* it stays mapped, with "(deleted)" behind its name */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
	return worker;
}

static void library_is_found(void **state)
{
	struct worker worker = start_with_library();
	size_t nr;

	(void)state;
	unprofiled_look(unprofiled, worker.pid);
	unprofiled_look(unprofiled, worker.pid);
	unprofiled_end(unprofiled, worker.pid, NULL, true, end(&worker));
	unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 0);
}

/* What has ended waits for its parent: it has no mappings, and is no other program. */
static void ended_program_stays_profiled(void **state)
{
	struct worker worker = start_with_library();
	siginfo_t info;
	size_t nr;

	(void)state;
	unprofiled_look(unprofiled, worker.pid);
	close(worker.orders);
	assert_int_equal(waitid(P_PID, (id_t)worker.pid, &info, WEXITED | WNOWAIT), 0);
	unprofiled_look(unprofiled, worker.pid);
	unprofiled_look(unprofiled, worker.pid);
	unprofiled_look(unprofiled, worker.pid);
	unprofiled_end(unprofiled, worker.pid, NULL, true, end(&worker));
	unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 0);
}

/* A process calls itself what it likes. No program is without a name in the end. */
static void names_are_odd(void **state)
{
	static char *const names[] = { "", "a\nb", ") R 1 (", "(((((((((((((((" };
	const struct unprofiled_program *programs;
	size_t nr, i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *named[] = { own_path, "work", "", names[i], NULL };
		struct worker worker = start(named);

		step(&worker);
		unprofiled_look(unprofiled, worker.pid);
		unprofiled_look(unprofiled, worker.pid);
		unprofiled_end(unprofiled, worker.pid, NULL, true, end(&worker));
		programs = unprofiled_programs(unprofiled, &nr);
		assert_true(nr >= 1);
		assert_true(programs[0].path[0]);
		tear_down(NULL);
		set_up(NULL);
	}
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(command_is_seen),
		TEST(command_is_known_by_its_file),
		TEST(profiled_command_is_none),
		TEST(child_is_seen),
		TEST(one_look_is_not_enough),
		TEST(library_is_found),
		TEST(ended_program_stays_profiled),
		TEST(names_are_odd),
	};

	if (argc > 1 && !strcmp(argv[1], "work"))
		work(argc > 2 && *argv[2] ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
	if (readlink("/proc/self/exe", own_path, sizeof(own_path) - 1) < 0)
		return 1;
	return cmocka_run_group_tests_name("unprofiled", tests, NULL, NULL);
}
