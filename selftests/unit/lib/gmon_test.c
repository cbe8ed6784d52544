// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs compiled with -pg: the calls to the kernel, and what is in the file, with a fake device.
 * selftests/command/gprof_test.sh and selftests/libprofil/gmon_test.sh test real programs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "lib/gmon/gmon.h"
#include "support/calls.h"

#define LOW	0x10001UL	/* rounded as by the C library: the range is 0x10000 to 0x11004 */
#define HIGH	0x11001UL
#define NR	(0x1004 / 4)

static char directory[] = "/tmp/gmon_test.XXXXXX";

void profil_gmon_mcount(uintptr_t from, uintptr_t to);

static void startup(void)
{
	monstartup(LOW, HIGH);
}

static uint32_t *counter(unsigned long pc)
{
	return (uint32_t *)(uintptr_t)fake_device_counter(pc);
}

static int get_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	*(unsigned long *)bias = info->dlpi_addr;
	return 1;
}

struct __attribute__((packed)) arc {
	char tag;
	uint64_t from, to;
	uint32_t calls;
};

/* Up to two arcs of the last file */
static struct arc arcs[2];
static size_t nr_arcs;

/* Check the only histogram of a file, and remove the file. Return: count at @pc. */
static unsigned int count_in(const char *path, unsigned long pc, int rate)
{
	struct __attribute__((packed)) {
		char header[20], tag;
		uint64_t low, high;
		int32_t nr, rate;
		char unit[16];
		uint16_t counts[NR];
	} file;
	unsigned long bias;
	int fd = open(path, O_RDONLY);
	ssize_t rest;

	assert_true(fd >= 0);
	assert_int_equal(read(fd, &file, sizeof(file)), sizeof(file));
	rest = read(fd, arcs, sizeof(arcs));
	assert_int_equal(rest % (ssize_t)sizeof(*arcs), 0);
	nr_arcs = (size_t)rest / sizeof(*arcs);
	close(fd);
	unlink(path);
	dl_iterate_phdr(get_bias, &bias);
	assert_int_equal(file.nr, NR);
	assert_int_equal(file.rate, rate);
	assert_int_equal(file.low + bias, 0x10000);
	assert_int_equal(file.high + bias, 0x11004);
	return file.counts[(pc - 0x10000) / 4];
}

TEST_F(counters_are_written)
{
	startup();
	assert_int_equal(fake_device.start.flags, PROFIL_PIN_ON_HIT);
	assert_int_equal(fake_device.start.overflow, PROFIL_OVERFLOW_SATURATE);
	assert_int_equal(fake_device.start.rate, 100);
	*counter(0x10000) = 3;
	*counter(0x11003) = 4;
	assert_ptr_equal(counter(0x10ff8), counter(0x10ffb));
	assert_ptr_equal(counter(0x11004), NULL);
	/* a second call does not change the profile */
	startup();
	assert_int_equal(fake_device.starts, 1);
	*counter(0x10008) = 5;
	_mcleanup();
	assert_false(is_on());
	assert_int_equal(count_in("gmon.out", 0x10008, 100), 5);

	/* a second end writes nothing, a second profile starts at 0 */
	_mcleanup();
	assert_int_equal(access("gmon.out", F_OK), -1);
	startup();
	*counter(0x11003) += 4;
	_mcleanup();
	assert_int_equal(count_in("gmon.out", 0x11003, 100), 4);
}

TEST_F(empty_range_starts_nothing)
{
	monstartup(LOW, LOW);
	assert_int_equal(fake_device.starts, 0);
	_mcleanup();
	assert_int_equal(access("gmon.out", F_OK), -1);
}

/* As in the C library: calls of and from other text are not in the program's file. */
TEST_F(calls_are_written)
{
	unsigned long bias;

	dl_iterate_phdr(get_bias, &bias);
	profil_gmon_mcount(0x10004, 0x10008);
	startup();
	profil_gmon_mcount(0x10004, 0x10008);
	profil_gmon_mcount(0x10004, 0x10008);
	profil_gmon_mcount(0x9000, 0x10008);
	profil_gmon_mcount(0x10004, 0x9000);
	/* of this program, which is passed over beyond the range that it gave */
	profil_gmon_mcount(0x10004, (uintptr_t)calls_are_written);
	moncontrol(0);
	profil_gmon_mcount(0x10004, 0x10008);
	moncontrol(1);
	profil_gmon_mcount(0x10004, 0x10008);
	_mcleanup();
	profil_gmon_mcount(0x10004, 0x10008);
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 0);
	assert_int_equal(nr_arcs, 1);
	assert_int_equal(arcs[0].from + bias, 0x10004);
	assert_int_equal(arcs[0].to + bias, 0x10008);
	assert_int_equal(arcs[0].calls, 3);
}

#define CALLERS	2000	/* of one function, and as many functions of one caller */

/* Threads and a table with many calls lose none, as far as there are slots. */
static void *call_many(void *arcs_)
{
	uintptr_t i;
	int k;

	for (k = 0; k < 10; k++)
		for (i = 1; i <= CALLERS; i++) {
			profil_gmon_arcs_count(arcs_, i, 4);
			profil_gmon_arcs_count(arcs_, 4, 8 + i);
		}
	return NULL;
}

TEST_F(threads_lose_no_call)
{
	static struct profil_gmon_arc slots[8192];
	struct profil_gmon_arcs table = { slots, ARRAY_SIZE(slots) };
	pthread_t threads[4];
	size_t used = 0, i;

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call_many, &table), 0);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		if (!slots[i].to)
			continue;
		used++;
		assert_int_equal(slots[i].calls, 10 * ARRAY_SIZE(threads));
	}
	assert_int_equal(used, 2 * CALLERS);
}

/* A full table ends the search. */
TEST_F(full_table_counts_no_more)
{
	static struct profil_gmon_arc slots[256];
	struct profil_gmon_arcs table = { slots, ARRAY_SIZE(slots) };
	unsigned long calls = 0;
	size_t i;

	for (i = 0; i < 1000; i++)
		profil_gmon_arcs_count(&table, i + 1, i + 5);
	for (i = 0; i < ARRAY_SIZE(slots); i++)
		calls += slots[i].calls;
	assert_int_equal(calls, ARRAY_SIZE(slots));
}

TEST_F(moncontrol_stops_and_resumes)
{
	moncontrol(1);
	moncontrol(0);
	assert_int_equal(fake_device.starts, 0);
	startup();
	*counter(0x10000) = 3;
	moncontrol(0);
	assert_false(is_on());
	moncontrol(1);
	assert_true(is_on());
	/* turning on twice is harmless */
	moncontrol(1);
	assert_int_equal(fake_device.starts, 2);
	*counter(0x10000) += 2;
	moncontrol(0);
	_mcleanup();
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 5);
}

TEST_F(failed_moncontrol_is_printed)
{
	startup();
	moncontrol(0);
	fake_device.start_error = ENOSPC;
	assert_prints("moncontrol: not profiling", moncontrol(1));
	assert_false(is_on());
	_mcleanup();
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 0);
}

/* Another profile of the program continues; what was counted before is written. */
TEST_F(profile_replaced_by_program_is_written)
{
	uint32_t *first;

	startup();
	first = counter(0x10000);
	*first = 3;
	assert_int_equal(start_native(), 0);
	moncontrol(0);
	assert_true(is_on());
	_mcleanup();
	assert_true(is_on());
	assert_int_equal(fake_device.stops, 0);
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 3);

	/* moncontrol(1) replaces it */
	startup();
	assert_int_equal(start_native(), 0);
	moncontrol(1);
	*counter(0x10000) = 7;
	_mcleanup();
	assert_false(is_on());
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 7);
}

TEST_F(forked_child_writes_its_own_file)
{
	char path[64];
	int status;
	pid_t pid;

	startup();
	*counter(0x10000) = 3;
	*counter(0x10004) = 4;
	pid = fork();
	if (!pid) {
		*counter(0x10004) += 5;
		_mcleanup();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	snprintf(path, sizeof(path), "gmon.out.%d", (int)pid);
	assert_int_equal(access("gmon.out", F_OK), -1);
	assert_int_equal(count_in(path, 0x10004, 100), 5);
	_mcleanup();
	assert_int_equal(count_in("gmon.out", 0x10004, 100), 4);
}

TEST_F(child_without_profile_is_reported)
{
	startup();
	fake_device.state = PROFIL_STATE_OFF;
	assert_prints("was not sampled", _mcleanup());
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 0);
}

/* Without the device, as after chroot(), the counters are written. */
TEST_F(counters_are_written_without_device)
{
	startup();
	*counter(0x10000) = 3;
	fake_device_lose(ENOENT);
	assert_prints("moncontrol: still profiling: No such file or directory", moncontrol(0));
	assert_prints("unknown: /dev/profil: No such file or directory (ENOENT)\n", _mcleanup());
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 3);
	assert_int_equal(fake_device.stops, 0);
}

TEST_F(effective_rate_is_written)
{
	setenv("PROFIL_RATE", "250", 1);
	fake_device.figures.rate = 240;
	assert_prints(NULL, startup(); _mcleanup());
	assert_int_equal(count_in("gmon.out", 0x10000, 240), 0);

	startup();
	fake_device.figures.rate = 200;
	assert_prints("from 240 to 200 Hz", _mcleanup());
	assert_int_equal(count_in("gmon.out", 0x10000, 200), 0);
}

TEST_F(lost_samples_are_reported)
{
	startup();
	fake_device.figures.samples = 100;
	fake_device.figures.lost = 7;
	fake_device.figures.error = ENOMEM;
	moncontrol(0);
	moncontrol(1);
	assert_prints("14 of 200 samples lost", _mcleanup());
	unlink("gmon.out");
}

static bool timer_is_on(void)
{
	struct itimerval timer;

	assert_int_equal(getitimer(ITIMER_PROF, &timer), 0);
	return timer.it_interval.tv_sec || timer.it_interval.tv_usec;
}

/*
 * From the first failure on, only the timer samples. In a child process, so that its call is
 * the first. The test must run before fatal_samples_nothing, since an error of the device is
 * printed once per process.
 */
static void fall_back(int open_error, int start_error, const char *text)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		fake_device.open_error = open_error;
		fake_device.start_error = start_error;
		begin_stderr();
		startup();
		if (!end_stderr(text) || !timer_is_on())
			_exit(1);
		fake_device.open_error = 0;
		fake_device.start_error = 0;
		moncontrol(0);
		if (timer_is_on())
			_exit(2);
		moncontrol(1);
		if (!timer_is_on())
			_exit(3);
		_mcleanup();
		if (timer_is_on())
			_exit(4);
		startup();
		_exit(!fake_device.starts && timer_is_on() ? 0 : 5);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	unlink("gmon.out");
}

TEST_F(fallback_leaves_sampling_to_the_timer)
{
	fall_back(ENOENT, 0, "using a SIGPROF timer");
	fall_back(0, EOPNOTSUPP, "(EOPNOTSUPP): (remedy); using");
	fall_back(0, ENOSPC, "(ENOSPC): (remedy); using");
	setenv("PROFIL_FALLBACK", "quiet", 1);
	fall_back(ENOENT, 0, NULL);
	fall_back(0, ENOMEM, NULL);
	unsetenv("PROFIL_FALLBACK");
}

/* With PROFIL_FALLBACK=fatal nothing is sampled; calls are still counted. */
TEST_F(fatal_samples_nothing)
{
	setenv("PROFIL_FALLBACK", "fatal", 1);
	fake_device.start_error = ENOSPC;
	assert_prints("ENOSPC", startup());
	moncontrol(0);
	moncontrol(1);
	assert_false(timer_is_on());
	profil_gmon_mcount(0x10004, 0x10008);
	_mcleanup();
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 0);
	assert_int_equal(nr_arcs, 1);
	fake_device.start_error = 0;
	fake_device.open_error = EACCES;
	assert_prints("not profiling", startup());
	assert_false(timer_is_on());
	_mcleanup();
	unlink("gmon.out");
	assert_int_equal(fake_device.starts, 0);
	unsetenv("PROFIL_FALLBACK");
}

static void interrupt(int number)
{
}

/* The files are there at the end, even if signals interrupt the wait for the companion. */
TEST_F(companion_is_waited_for)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { 0 };
	const struct sigaction action = { .sa_handler = interrupt };
	struct sigaction before;
	int i;

	sigaction(SIGALRM, &action, &before);
	setenv("PROFIL_GMON_KEEP", "1", 1);
	for (i = 0; i < 20; i++) {
		startup();
		*counter(0x10000) = 3;
		setitimer(ITIMER_REAL, &often, NULL);
		_mcleanup();
		setitimer(ITIMER_REAL, &never, NULL);
		assert_int_equal(count_in("gmon.out", 0x10000, 100), 3);
	}
	unsetenv("PROFIL_GMON_KEEP");
	sigaction(SIGALRM, &before, NULL);
}

FIXTURE(enter_directory)
{
	return !mkdtemp(directory) || chdir(directory);
}

FIXTURE(remove_directory)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

GROUP(enter_directory, remove_directory)
