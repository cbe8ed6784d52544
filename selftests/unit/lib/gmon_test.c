// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs compiled with -pg: the calls to the kernel and to the C library, and the program's own
 * SIGPROF and ITIMER_PROF, with a fake device and a fake C library. selftests/command/gprof_test.sh
 * tests real programs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "lib/gmon/gmon.h"
#include "support/calls.h"

#define LOW	0x10001UL	/* the C library rounds the range to 0x10000 to 0x11004 */
#define HIGH	0x11001UL
#define NR	(0x1004 / 4)

static char directory[] = "/tmp/gmon_test.XXXXXX";

/* State of the fake C library. Its timer never expires. */
static struct {
	char calls[64];		/* one letter per call */
	bool armed;
	bool blocked;		/* SIGPROF was blocked when the timer was armed */
	bool fires;		/* raise SIGPROF while the timer is armed */
	struct sigaction action;
	struct itimerval timer;
} libc;

static void note(char letter)
{
	size_t end = strlen(libc.calls);

	assert_true(end + 1 < sizeof(libc.calls));
	libc.calls[end] = letter;
}

static void handler_of_libc(int signal)
{
	(void)signal;
}

static void arm(void)
{
	struct itimerval timer = { { 1000, 0 }, { 1000, 0 } };
	struct sigaction action = { .sa_handler = handler_of_libc };
	sigset_t mask;

	/* the caller must block SIGPROF, so that no handler of the program runs */
	sigprocmask(SIG_BLOCK, NULL, &mask);
	libc.blocked = sigismember(&mask, SIGPROF);
	sigaction(SIGPROF, &action, &libc.action);
	setitimer(ITIMER_PROF, &timer, &libc.timer);
	libc.armed = true;
	if (libc.fires)
		kill(getpid(), SIGPROF);
}

static int libc_profil(unsigned short *buf, size_t bufsiz, size_t start,
		       unsigned int scale)
{
	assert_true(!buf && !bufsiz && !start && !scale);
	note('p');
	if (!libc.armed)
		return 0;
	setitimer(ITIMER_PROF, &libc.timer, NULL);
	sigaction(SIGPROF, &libc.action, NULL);
	libc.armed = false;
	return 0;
}

static void libc_monstartup(unsigned long low, unsigned long high)
{
	if (low == high) {
		note('-');
		return;
	}
	assert_int_equal(low, LOW);
	assert_int_equal(high, HIGH);
	note('m');
	arm();
}

static void libc_moncontrol(int mode)
{
	note(mode ? '1' : '0');
	if (mode)
		arm();
}

static void libc_mcleanup(void)
{
	static const char empty[20] = "gmon\1";
	const char *prefix = getenv("GMON_OUT_PREFIX");
	char path[256] = "gmon.out";
	int fd;

	note('c');
	if (prefix)
		snprintf(path, sizeof(path), "%s.%d", prefix, (int)getpid());
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0666);
	assert_int_equal(write(fd, empty, sizeof(empty)), sizeof(empty));
	close(fd);
}

static const struct profil_gmon_libc functions = {
	.monstartup = libc_monstartup,
	.moncontrol = libc_moncontrol,
	.mcleanup = libc_mcleanup,
	.profil = libc_profil,
};

static void startup(void)
{
	profil_gmon_startup(&functions, LOW, HIGH);
}

static void control(int mode)
{
	profil_gmon_control(&functions, mode);
}

static void cleanup(void)
{
	profil_gmon_cleanup(&functions);
}

static uint32_t *counter(unsigned long pc)
{
	return (uint32_t *)(uintptr_t)fake_device_counter(pc);
}

static int get_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(unsigned long *)bias = info->dlpi_addr;
	return 1;
}

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

	assert_true(fd >= 0);
	assert_int_equal(read(fd, &file, sizeof(file)), sizeof(file));
	close(fd);
	unlink(path);
	dl_iterate_phdr(get_bias, &bias);
	assert_int_equal(file.nr, NR);
	assert_int_equal(file.rate, rate);
	assert_int_equal(file.low + bias, 0x10000);
	assert_int_equal(file.high + bias, 0x11004);
	return file.counts[(pc - 0x10000) / 4];
}

static void assert_calls(const char *expected)
{
	assert_string_equal(libc.calls, expected);
	memset(libc.calls, 0, sizeof(libc.calls));
}

static void counters_are_written(void **state)
{
	(void)state;
	startup();
	assert_calls("mp");
	assert_int_equal(fake_device.start.flags, PROFIL_PIN_ON_HIT);
	assert_int_equal(fake_device.start.overflow, PROFIL_OVERFLOW_SATURATE);
	assert_int_equal(fake_device.start.rate, 100);
	*counter(0x10000) = 3;
	*counter(0x11003) = 4;
	assert_ptr_equal(counter(0x10ff8), counter(0x10ffb));
	assert_ptr_equal(counter(0x11004), NULL);
	/* a second call does not change the profile */
	startup();
	assert_calls("mp");
	assert_int_equal(fake_device.starts, 1);
	*counter(0x10008) = 5;
	cleanup();
	assert_calls("c");
	assert_false(is_on());
	assert_int_equal(count_in("gmon.out", 0x10008, 100), 5);

	/* a second profile starts at 0 */
	cleanup();
	assert_calls("c");
	startup();
	*counter(0x11003) += 4;
	cleanup();
	assert_calls("mpc");
	assert_int_equal(count_in("gmon.out", 0x11003, 100), 4);
}

/* An empty range is left to the C library. */
static void empty_range_is_left_to_libc(void **state)
{
	(void)state;
	profil_gmon_startup(&functions, LOW, LOW);
	assert_calls("-");
	assert_int_equal(fake_device.starts, 0);
}

static void moncontrol_stops_and_resumes(void **state)
{
	(void)state;
	control(1);
	control(0);
	assert_calls("10");
	libc_profil(NULL, 0, 0, 0);
	assert_calls("p");
	assert_int_equal(fake_device.starts, 0);
	startup();
	*counter(0x10000) = 3;
	control(0);
	assert_false(is_on());
	control(1);
	assert_true(is_on());
	assert_calls("mp01p");
	/* turning on twice is harmless */
	control(1);
	assert_calls("1p");
	assert_int_equal(fake_device.starts, 2);
	*counter(0x10000) += 2;
	control(0);
	cleanup();
	assert_calls("0c");
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 5);
}

static void failed_moncontrol_is_printed(void **state)
{
	(void)state;
	startup();
	control(0);
	fake_device.start_error = ENOSPC;
	begin_stderr();
	control(1);
	assert_true(end_stderr("moncontrol: not profiling"));
	assert_false(is_on());
	assert_calls("mp01p");
	cleanup();
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 0);
}

static int received;

static void receive(int signal)
{
	(void)signal;
	received++;
}

static struct sigaction action_of_program = { .sa_handler = receive };

static void assert_timer(time_t seconds)
{
	struct itimerval timer;
	struct sigaction action;

	assert_int_equal(sigaction(SIGPROF, NULL, &action), 0);
	assert_ptr_equal(action.sa_handler, receive);
	assert_int_equal(getitimer(ITIMER_PROF, &timer), 0);
	/* except the CPU time used since */
	assert_in_range(timer.it_value.tv_sec, seconds - 1, seconds);
	assert_int_equal(timer.it_interval.tv_sec, seconds ? 500 : 0);
}

static void timer_of_program_is_preserved(void **state)
{
	struct itimerval timer = { { 500, 0 }, { 700, 0 } }, off = { 0 };

	(void)state;
	sigaction(SIGPROF, &action_of_program, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
	libc.fires = true;
	received = 0;
	startup();
	assert_true(libc.blocked);
	assert_timer(700);
	control(0);
	control(1);
	assert_timer(700);
	/* changed by the program */
	timer.it_value.tv_sec = 400;
	setitimer(ITIMER_PROF, &timer, NULL);
	control(0);
	control(1);
	assert_timer(400);
	cleanup();
	assert_timer(400);
	/* the program received no signal of the C library's timer */
	assert_int_equal(received, 0);
	setitimer(ITIMER_PROF, &off, NULL);
	signal(SIGPROF, SIG_DFL);
}

/* A SIGPROF that the program blocks stays pending. */
static void pending_signal_of_program_is_preserved(void **state)
{
	sigset_t sigprof, now;

	(void)state;
	sigemptyset(&sigprof);
	sigaddset(&sigprof, SIGPROF);
	sigaction(SIGPROF, &action_of_program, NULL);
	sigprocmask(SIG_BLOCK, &sigprof, NULL);
	libc.fires = true;
	received = 0;
	startup();
	sigpending(&now);
	assert_false(sigismember(&now, SIGPROF));
	kill(getpid(), SIGPROF);
	control(1);
	sigpending(&now);
	assert_true(sigismember(&now, SIGPROF));
	sigprocmask(SIG_BLOCK, NULL, &now);
	assert_true(sigismember(&now, SIGPROF));
	assert_int_equal(received, 0);
	sigprocmask(SIG_UNBLOCK, &sigprof, NULL);
	assert_int_equal(received, 1);
	/* the signal mask is restored */
	control(1);
	sigprocmask(SIG_BLOCK, NULL, &now);
	assert_false(sigismember(&now, SIGPROF));
	assert_int_equal(received, 1);
	cleanup();
	unlink("gmon.out");
	signal(SIGPROF, SIG_DFL);
}

/* Without a handler, a signal of the C library's timer would kill the program. */
static void program_without_handler_survives(void **state)
{
	(void)state;
	libc.fires = true;
	startup();
	control(0);
	control(1);
	cleanup();
	unlink("gmon.out");
}

/* Another profile of the program continues; what was counted before is written. */
static void profile_replaced_by_program_is_written(void **state)
{
	uint32_t *first;

	(void)state;
	startup();
	first = counter(0x10000);
	*first = 3;
	assert_int_equal(start_native(), 0);
	control(0);
	assert_true(is_on());
	cleanup();
	assert_true(is_on());
	assert_int_equal(fake_device.stops, 0);
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 3);

	/* moncontrol(1) replaces it */
	startup();
	assert_int_equal(start_native(), 0);
	control(1);
	*counter(0x10000) = 7;
	cleanup();
	assert_false(is_on());
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 7);
}

static void forked_child_writes_its_own_file(void **state)
{
	char path[64];
	int status;
	pid_t pid;

	(void)state;
	startup();
	*counter(0x10000) = 3;
	*counter(0x10004) = 4;
	pid = fork();
	if (!pid) {
		*counter(0x10004) += 5;
		cleanup();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	snprintf(path, sizeof(path), "gmon.out.%d", (int)pid);
	assert_int_equal(access("gmon.out", F_OK), -1);
	assert_int_equal(count_in(path, 0x10004, 100), 5);
	cleanup();
	assert_int_equal(count_in("gmon.out", 0x10004, 100), 4);
}

static void child_without_profile_is_reported(void **state)
{
	(void)state;
	startup();
	fake_device.state = PROFIL_STATE_OFF;
	begin_stderr();
	cleanup();
	assert_true(end_stderr("was not sampled"));
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 0);
}

/* Without the device, as after chroot(), the counters are written. */
static void counters_are_written_without_device(void **state)
{
	(void)state;
	startup();
	*counter(0x10000) = 3;
	fake_device_lose(ENOENT);
	begin_stderr();
	control(0);
	assert_true(end_stderr("moncontrol: still profiling: No such file or directory"));
	begin_stderr();
	cleanup();
	assert_true(end_stderr("unknown: /dev/profil: No such file or directory (ENOENT)\n"));
	assert_int_equal(count_in("gmon.out", 0x10000, 100), 3);
	assert_int_equal(fake_device.stops, 0);
}

static void effective_rate_is_written(void **state)
{
	(void)state;
	setenv("PROFIL_RATE", "250", 1);
	fake_device.figures.rate = 240;
	begin_stderr();
	startup();
	cleanup();
	assert_true(end_stderr(NULL));
	assert_int_equal(count_in("gmon.out", 0x10000, 240), 0);

	startup();
	fake_device.figures.rate = 200;
	begin_stderr();
	cleanup();
	assert_true(end_stderr("from 240 to 200 Hz"));
	assert_int_equal(count_in("gmon.out", 0x10000, 200), 0);
}

static void lost_samples_are_reported(void **state)
{
	(void)state;
	startup();
	fake_device.figures.samples = 100;
	fake_device.figures.lost = 7;
	fake_device.figures.error = ENOMEM;
	control(0);
	control(1);
	begin_stderr();
	cleanup();
	assert_true(end_stderr("14 of 200 samples lost"));
	unlink("gmon.out");
}

/* With PROFIL_FALLBACK=fatal nothing is sampled; calls are still counted. */
static void fatal_samples_nothing(void **state)
{
	(void)state;
	setenv("PROFIL_FALLBACK", "fatal", 1);
	fake_device.start_error = ENOSPC;
	begin_stderr();
	startup();
	assert_true(end_stderr("ENOSPC"));
	control(0);
	control(1);
	assert_false(libc.armed);
	fake_device.start_error = 0;
	fake_device.open_error = EACCES;
	cleanup();
	begin_stderr();
	startup();
	assert_true(end_stderr("not profiling"));
	assert_false(libc.armed);
	cleanup();
	assert_int_equal(fake_device.starts, 0);
	unsetenv("PROFIL_FALLBACK");
}

/*
 * From the first failure on, only the C library samples. In a child process, so that its call is
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
		if (!end_stderr(text))
			_exit(1);
		fake_device.open_error = 0;
		fake_device.start_error = 0;
		control(0);
		control(1);
		cleanup();
		startup();
		if (strcmp(libc.calls, "m01cm") || fake_device.starts)
			_exit(2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void fallback_leaves_sampling_to_libc(void **state)
{
	(void)state;
	fall_back(ENOENT, 0, "using the C library's SIGPROF timer");
	fall_back(0, EOPNOTSUPP, "(EOPNOTSUPP): (remedy); using");
	fall_back(0, ENOSPC, "(ENOSPC): (remedy); using");
	setenv("PROFIL_FALLBACK", "quiet", 1);
	fall_back(ENOENT, 0, NULL);
	fall_back(0, ENOMEM, NULL);
	unsetenv("PROFIL_FALLBACK");
}

static int setup_libc(void **state)
{
	memset(&libc, 0, sizeof(libc));
	return setup(state);
}

#define GMON_TEST(name)	cmocka_unit_test_setup_teardown(name, setup_libc, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GMON_TEST(counters_are_written),
		GMON_TEST(empty_range_is_left_to_libc),
		GMON_TEST(moncontrol_stops_and_resumes),
		GMON_TEST(failed_moncontrol_is_printed),
		GMON_TEST(timer_of_program_is_preserved),
		GMON_TEST(pending_signal_of_program_is_preserved),
		GMON_TEST(program_without_handler_survives),
		GMON_TEST(profile_replaced_by_program_is_written),
		GMON_TEST(forked_child_writes_its_own_file),
		GMON_TEST(child_without_profile_is_reported),
		GMON_TEST(counters_are_written_without_device),
		GMON_TEST(effective_rate_is_written),
		GMON_TEST(lost_samples_are_reported),
		GMON_TEST(fallback_leaves_sampling_to_libc),
		GMON_TEST(fatal_samples_nothing),
	};
	char command[64];
	int status;

	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	status = cmocka_run_group_tests_name("gmon", tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command) ? 1 : status;
}
