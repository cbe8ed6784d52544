// SPDX-License-Identifier: GPL-2.0-only
/*
 * The descriptor that stays open while a profile runs, in programs that close or replace it; and
 * cancellation of threads in the library.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "support/calls.h"

#define MIN_NUMBER	200	/* lower numbers are for the program */

/* Number of open descriptors of the process */
static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

TEST_F(one_descriptor_while_running)
{
	int fd;

	assert_int_equal(0, start_native());
	assert_int_equal(1, fake_device_descriptors());
	fd = fake_device_descriptor();
	assert_true(fd >= MIN_NUMBER);
	assert_int_equal(FD_CLOEXEC, fcntl(fd, F_GETFD));
	assert_int_equal(0, start_sprofil());
	assert_int_equal(1, fake_device_descriptors());
	assert_int_equal(fd, fake_device_descriptor());
	assert_int_equal(1, fake_device.opens);
	/* after a refused start, the earlier profile keeps its descriptor */
	fake_device.start_error = ENOMEM;
	assert_int_equal(ENOMEM, error_of(start_native()));
	assert_int_equal(fd, fake_device_descriptor());
	assert_int_equal(0, profil_stop(NULL));
	assert_int_equal(0, fake_device_descriptors());
}

TEST_F(no_descriptor_without_profile)
{
	struct profil_status status;

	fake_device.start_error = ENOMEM;
	assert_int_equal(ENOMEM, error_of(start_native()));
	assert_int_equal(0, fake_device_descriptors());
	assert_int_equal(0, profil_status(&status));
	assert_int_equal(0, profil_set_rate(50));
	assert_int_equal(0, fake_device_descriptors());
	/* a forked child that did not inherit the profile finds out by its status */
	fake_device.start_error = 0;
	assert_int_equal(0, start_native());
	fake_device.state = PROFIL_STATE_OFF;
	assert_int_equal(0, profil_status(&status));
	assert_int_equal(0, fake_device_descriptors());
}

/* A program that cannot open the device can turn profiling off. */
TEST_F(stop_needs_no_open)
{
	static const int errors[] = { EMFILE, ENOENT, EACCES, EPERM };
	struct rlimit before, none;
	size_t i, k;

	assert_int_equal(0, getrlimit(RLIMIT_NOFILE, &before));
	none = before;
	none.rlim_cur = 0;
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		for (k = 0; k < ARRAY_SIZE(errors); k++) {
			fake_device.open_error = 0;
			assert_int_equal(0, ways[i].start());
			fake_device.open_error = errors[k];
			assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &none));
			assert_int_equal(0, ways[i].end());
			assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &before));
			assert_false(is_on());
			assert_int_equal(0, fake_device_descriptors());
		}
}

TEST_F(descriptor_closed_by_program)
{
	assert_int_equal(0, start_native());
	fake_device_lose(0);
	assert_int_equal(0, start_glibc());
	assert_int_equal(1, fake_device_descriptors());
	fake_device_lose(0);
	assert_int_equal(0, profil_stop(NULL));
	assert_false(is_on());
	assert_int_equal(0, fake_device_descriptors());
}

/* Let the descriptor number refer to a file of the program. */
static void replace(int fd, int by)
{
	assert_int_equal(fd, dup2(by, fd));
	close(by);
}

static bool is_same(int fd, const struct stat *before)
{
	struct stat now;

	return !fstat(fd, &now) && now.st_dev == before->st_dev &&
	       now.st_ino == before->st_ino;
}

TEST_F(number_reused_for_file)
{
	struct profil_status status;
	struct stat other;
	int fd;

	assert_int_equal(0, start_native());
	fd = fake_device_descriptor();
	replace(fd, memfd_create("program's", 0));
	assert_int_equal(0, fstat(fd, &other));
	fake_device.open_error = EMFILE;
	assert_int_equal(EMFILE, error_of(profil_stop(NULL)));
	assert_true(is_on());
	assert_true(is_same(fd, &other));
	fake_device.open_error = 0;
	assert_int_equal(0, profil_status(&status));
	assert_true(is_same(fd, &other));
	assert_int_not_equal(fd, fake_device_descriptor());
	assert_int_equal(0, profil_stop(NULL));
	assert_false(is_on());
	assert_true(is_same(fd, &other));
	assert_int_equal(0, fake_device_descriptors());
	close(fd);
}

/* Another device, and the same device opened by the program */
TEST_F(number_reused_for_device)
{
	static const char *const devices[] = { "/dev/zero", FAKE_DEVICE };
	struct stat other;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		assert_int_equal(0, start_native());
		fd = fake_device_descriptor();
		replace(fd, open(devices[i], O_RDWR));
		assert_int_equal(0, fstat(fd, &other));
		assert_int_equal(0, start_native());
		assert_int_equal(0, profil_stop(NULL));
		assert_true(is_same(fd, &other));
		close(fd);
	}
}

/* If the limit forbids a high number, the descriptor is still not that of a standard stream. */
TEST_F(standard_streams_are_not_used)
{
	struct rlimit before, few;
	int in = dup(STDIN_FILENO), fd;

	assert_int_equal(0, getrlimit(RLIMIT_NOFILE, &before));
	few = before;
	few.rlim_cur = 100;
	assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &few));
	close(STDIN_FILENO);
	assert_int_equal(0, start_native());
	fd = fake_device_descriptor();
	assert_int_equal(-1, fcntl(STDIN_FILENO, F_GETFD));
	assert_int_equal(STDIN_FILENO, dup2(in, STDIN_FILENO));
	close(in);
	assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &before));
	assert_true(fd > STDERR_FILENO);
	assert_int_equal(0, profil_stop(NULL));
	assert_int_equal(0, fake_device_descriptors());
}

static int status_of(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

TEST_F(forked_child_stops_profile)
{
	pid_t pid;

	assert_int_equal(0, start_native());
	fake_device.open_error = EMFILE;
	pid = fork();
	if (!pid)
		_exit(profil_stop(NULL) || is_on() || fake_device_descriptors());
	assert_int_equal(0, status_of(pid));
	assert_int_equal(1, fake_device_descriptors());
	assert_int_equal(0, profil_stop(NULL));
}

/* A child of vfork() stops the profile, and changes nothing else in its parent's memory. */
TEST_F(vforked_child_keeps_parents_descriptor)
{
	volatile int error = -1;
	pid_t pid;

	assert_int_equal(0, start_native());
	fake_device.open_error = EMFILE;
	pid = vfork();
	if (!pid) {
		error = profil_stop(NULL);
		_exit(0);
	}
	assert_int_equal(0, status_of(pid));
	assert_int_equal(0, error);
	assert_false(is_on());
	/* the parent's descriptor is used for its next profile, and closed with it */
	assert_int_equal(0, start_native());
	assert_int_equal(1, fake_device_descriptors());
	assert_int_equal(0, profil_stop(NULL));
	assert_int_equal(0, fake_device_descriptors());
}

static volatile sig_atomic_t calls_now, signals_within, signals_after;
static pid_t child_of_handler;

static void on_signal(int number)
{
	if (calls_now)
		signals_within = 1;
	signals_after = 1;
	child_of_handler = fork();
	if (!child_of_handler)
		_exit(profil_stop(NULL) || is_on());
}

static void send_signal(void)
{
	fake_device.during = NULL;
	calls_now = 1;
	raise(SIGUSR1);
	calls_now = 0;
}

/* A signal handler that forks runs after the library call; its child can use the library. */
TEST_F(handler_that_forks_runs_after_call)
{
	signal(SIGUSR1, on_signal);
	fake_device.during = send_signal;
	assert_int_equal(0, start_native());
	assert_false(signals_within);
	assert_true(signals_after);
	assert_int_equal(0, status_of(child_of_handler));
	signal(SIGUSR1, SIG_DFL);
	assert_int_equal(0, profil_stop(NULL));
}

static void *start_and_stop(void *unused)
{
	int i;

	for (i = 0; i < 2000; i++)
		if (start_native() || profil_stop(NULL))
			return &fake_device;
	return NULL;
}

/* Several threads, while others fork */
TEST_F(threads_and_forks)
{
	pthread_t threads[4];
	void *failed;
	size_t i;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(0, pthread_create(&threads[i], NULL, start_and_stop, NULL));
	for (i = 0; i < 50; i++) {
		pid = fork();
		if (!pid)
			_exit(start_native() || profil_stop(NULL) || fake_device_descriptors());
		assert_int_equal(0, status_of(pid));
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		assert_int_equal(0, pthread_join(threads[i], &failed));
		assert_null(failed);
	}
	assert_int_equal(0, fake_device_descriptors());
}

/* A thread with a pending cancellation: takes effect at the first cancellation point */
static void *call_cancelled(void *start)
{
	pthread_cancel(pthread_self());
	(*(int (**)(void))start)();
	pthread_testcancel();
	return NULL;
}

TEST_F(cancelled_thread_leaks_no_descriptor)
{
	static const char *const rates[] = { NULL, "many", "251" };
	int before, after;
	pthread_t thread;
	void *result;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		for (k = 0; k < ARRAY_SIZE(rates); k++) {
			if (rates[k])
				setenv("PROFIL_RATE", rates[k], 1);
			before = count_descriptors();
			begin_stderr();
			assert_int_equal(0, pthread_create(&thread, NULL, call_cancelled,
							   (void *)&ways[i].start));
			assert_int_equal(0, pthread_join(thread, &result));
			end_stderr(NULL);
			assert_ptr_equal(PTHREAD_CANCELED, result);
			assert_int_equal(0, profil_stop(NULL));
			after = count_descriptors();
			unsetenv("PROFIL_RATE");
			assert_int_equal(before, after);
		}
}

FIXTURE(set_up_all)
{
	setenv("PROFIL_FALLBACK", "fatal", 1);
	unsetenv("PROFIL_DIALECT");
	return 0;
}

GROUP(set_up_all, NULL)
