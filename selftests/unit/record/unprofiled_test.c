// SPDX-License-Identifier: GPL-2.0-only
/*
 * Observing programs without the library. These are children of the test, which work and wait
 * on command, so that the results do not depend on when they are scanned.
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

/* A child that does one step for each byte that it receives */
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

/* After its first report, the child has executed the program. */
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

/* This program again, which works for 20 ms before each report */
static char *self[] = { "/proc/self/exe", "work", NULL };
/* The same as the child of a shell */
static char *shell[] = { "/bin/sh", "-c", "\"$0\" work; :", NULL, NULL };

static char own_path[4096];

static void __attribute__((noreturn)) work(const char *library, const char *name)
{
	const struct worker worker = { 0, STDIN_FILENO, STDOUT_FILENO };

	if (name)
		prctl(PR_SET_NAME, name);
	/* makes /proc/PID/exe unreadable, except for root */
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

static void command_is_observed(void **state)
{
	struct worker worker = start(self);
	const struct unprofiled_program *programs;
	uint64_t used;
	size_t nr;

	(void)state;
	step(&worker);
	unprofiled_scan(unprofiled, worker.pid);
	step(&worker);
	unprofiled_scan(unprofiled, worker.pid);
	used = end(&worker);
	unprofiled_finish(unprofiled, worker.pid, "/other", false, used);
	programs = unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 1);
	assert_string_equal(programs[0].path, own_path);
	assert_int_equal(programs[0].processes, 1);
	/* exact, as it is the command */
	assert_int_equal(programs[0].cpu_ns, used);
}

/* The command ended before the first scan. */
static void command_without_scan_is_listed(void **state)
{
	const struct unprofiled_program *programs;
	size_t nr;

	(void)state;
	unprofiled_finish(unprofiled, 1, "/bin/static", false, 77);
	programs = unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 1);
	assert_string_equal(programs[0].path, "/bin/static");
	assert_int_equal(programs[0].cpu_ns, 77);
}

static void profiled_command_is_not_listed(void **state)
{
	size_t nr;

	(void)state;
	unprofiled_finish(unprofiled, 1, "/bin/dynamic", true, 77);
	unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 0);
}

/* The CPU time of a child is that of the last scan. */
static void child_is_observed(void **state)
{
	const struct unprofiled_program *programs;
	uint64_t used, least;
	struct worker worker;
	size_t nr, i;

	(void)state;
	shell[3] = own_path;
	worker = start(shell);
	step(&worker);
	unprofiled_scan(unprofiled, worker.pid);
	step(&worker);
	unprofiled_scan(unprofiled, worker.pid);
	/* two steps; it may have started the third */
	least = 40 * NS_PER_MS;
	used = end(&worker);
	unprofiled_finish(unprofiled, worker.pid, NULL, false, used);
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

/* At the first scan, the library may not be loaded yet. */
static void one_scan_is_not_enough(void **state)
{
	struct worker worker = start(self);
	size_t nr;

	(void)state;
	step(&worker);
	unprofiled_scan(unprofiled, worker.pid);
	unprofiled_finish(unprofiled, worker.pid, NULL, true, end(&worker));
	unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 0);
}

/* Start a worker that maps an empty file with the library's name. */
static struct worker start_with_library(void)
{
	char directory[] = "/tmp/unprofiled.XXXXXX", path[64];
	char *maps[] = { own_path, "work", path, NULL };
	struct worker worker;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/libprofil-run.so", directory);
	worker = start(maps);
	step(&worker);
	/* it stays mapped, with "(deleted)" after its name */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
	return worker;
}

static void library_is_found(void **state)
{
	struct worker worker = start_with_library();
	size_t nr;

	(void)state;
	unprofiled_scan(unprofiled, worker.pid);
	unprofiled_scan(unprofiled, worker.pid);
	unprofiled_finish(unprofiled, worker.pid, NULL, true, end(&worker));
	unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 0);
}

/* A zombie has no mappings, but still counts as the same, profiled program. */
static void zombie_stays_profiled(void **state)
{
	struct worker worker = start_with_library();
	siginfo_t info;
	size_t nr;

	(void)state;
	unprofiled_scan(unprofiled, worker.pid);
	close(worker.orders);
	assert_int_equal(waitid(P_PID, (id_t)worker.pid, &info, WEXITED | WNOWAIT), 0);
	unprofiled_scan(unprofiled, worker.pid);
	unprofiled_scan(unprofiled, worker.pid);
	unprofiled_scan(unprofiled, worker.pid);
	unprofiled_finish(unprofiled, worker.pid, NULL, true, end(&worker));
	unprofiled_programs(unprofiled, &nr);
	assert_int_equal(nr, 0);
}

/* Processes can have any name, even an empty one. No listed program has an empty name. */
static void odd_names_are_listed(void **state)
{
	static char *const names[] = { "", "a\nb", ") R 1 (", "(((((((((((((((" };
	const struct unprofiled_program *programs;
	size_t nr, i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *named[] = { own_path, "work", "", names[i], NULL };
		struct worker worker = start(named);

		step(&worker);
		unprofiled_scan(unprofiled, worker.pid);
		unprofiled_scan(unprofiled, worker.pid);
		unprofiled_finish(unprofiled, worker.pid, NULL, true, end(&worker));
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
		TEST(command_is_observed),
		TEST(command_without_scan_is_listed),
		TEST(profiled_command_is_not_listed),
		TEST(child_is_observed),
		TEST(one_scan_is_not_enough),
		TEST(library_is_found),
		TEST(zombie_stays_profiled),
		TEST(odd_names_are_listed),
	};

	if (argc > 1 && !strcmp(argv[1], "work"))
		work(argc > 2 && *argv[2] ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
	if (readlink("/proc/self/exe", own_path, sizeof(own_path) - 1) < 0)
		return 1;
	return cmocka_run_group_tests_name("unprofiled", tests, NULL, NULL);
}
