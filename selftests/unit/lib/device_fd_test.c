// SPDX-License-Identifier: GPL-2.0-only
/*
 * The descriptor that the library keeps while a profile runs, in programs that do what
 * they like with theirs; and threads that are cancelled in the library.
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

#define NOT_LOW	200	/* lower numbers are the program's */

/* All descriptors of the process */
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

static void test_one_while_it_runs(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(0, start_native());
	assert_int_equal(1, fake_device_descriptors());
	fd = fake_device_descriptor();
	assert_true(fd >= NOT_LOW);
	assert_int_equal(FD_CLOEXEC, fcntl(fd, F_GETFD));
	assert_int_equal(0, start_sprofil());
	assert_int_equal(1, fake_device_descriptors());
	assert_int_equal(fd, fake_device_descriptor());
	assert_int_equal(1, fake_device.opens);
	/* a start that is refused leaves the earlier profile, and what it needs */
	fake_device.start_error = ENOMEM;
	assert_int_equal(ENOMEM, error_of(start_native()));
	assert_int_equal(fd, fake_device_descriptor());
	assert_int_equal(0, profil_stop(NULL));
	assert_int_equal(0, fake_device_descriptors());
}

static void test_none_without_profile(void **state)
{
	struct profil_status status;

	(void)state;
	fake_device.start_error = ENOMEM;
	assert_int_equal(ENOMEM, error_of(start_native()));
	assert_int_equal(0, fake_device_descriptors());
	assert_int_equal(0, profil_status(&status));
	assert_int_equal(0, profil_set_rate(50));
	assert_int_equal(0, fake_device_descriptors());
	/* a child that was not followed learns that it has none */
	fake_device.start_error = 0;
	assert_int_equal(0, start_native());
	fake_device.state = PROFIL_STATE_OFF;
	assert_int_equal(0, profil_status(&status));
	assert_int_equal(0, fake_device_descriptors());
}

static const struct {
	int (*start)(void);
	long (*end)(void);
} faces[] = {
	{ start_solaris, end_solaris },
	{ start_bsd, end_bsd },
	{ start_linux099, end_linux099 },
	{ start_osf1, end_osf1 },
	{ start_aix, end_aix },
	{ start_aix_form, end_aix_form },
	{ start_glibc, end_glibc },
	{ start_sprofil, end_sprofil },
	{ start_native, end_native },
	{ start_pcsample, end_pcsample },
};

/* Whatever keeps the program from opening the device: it can turn profiling off. */
static void test_stop_without_open(void **state)
{
	static const int errors[] = { EMFILE, ENOENT, EACCES, EPERM };
	struct rlimit before, none;
	size_t i, k;

	(void)state;
	assert_int_equal(0, getrlimit(RLIMIT_NOFILE, &before));
	none = before;
	none.rlim_cur = 0;
	for (i = 0; i < ARRAY_SIZE(faces); i++)
		for (k = 0; k < ARRAY_SIZE(errors); k++) {
			fake_device.open_error = 0;
			assert_int_equal(0, faces[i].start());
			fake_device.open_error = errors[k];
			assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &none));
			assert_int_equal(0, faces[i].end());
			assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &before));
			assert_false(is_on());
			assert_int_equal(0, fake_device_descriptors());
		}
}

static void test_all_are_closed(void **state)
{
	(void)state;
	assert_int_equal(0, start_native());
	fake_device_lose(0);
	assert_int_equal(0, start_glibc());
	assert_int_equal(1, fake_device_descriptors());
	fake_device_lose(0);
	assert_int_equal(0, profil_stop(NULL));
	assert_false(is_on());
	assert_int_equal(0, fake_device_descriptors());
}

/* The file at this number is the program's, now and after the library's calls. */
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

static void test_another_file_at_its_number(void **state)
{
	struct profil_status status;
	struct stat other;
	int fd;

	(void)state;
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

/* Another device, and the very device, which the program has opened itself */
static void test_another_device_at_its_number(void **state)
{
	static const char *const devices[] = { "/dev/zero", FAKE_DEVICE };
	struct stat other;
	size_t i;
	int fd;

	(void)state;
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

/* With few descriptors it is where it is, but no standard stream's. */
static void test_few_descriptors(void **state)
{
	struct rlimit before, few;
	int in = dup(STDIN_FILENO), fd;

	(void)state;
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

static void test_fork(void **state)
{
	pid_t pid;

	(void)state;
	assert_int_equal(0, start_native());
	fake_device.open_error = EMFILE;
	pid = fork();
	if (!pid)
		_exit(profil_stop(NULL) || is_on() || fake_device_descriptors());
	assert_int_equal(0, status_of(pid));
	assert_int_equal(1, fake_device_descriptors());
	assert_int_equal(0, profil_stop(NULL));
}

/* The child has the memory of its parent, in which it ends the profile, but no more. */
static void test_vfork(void **state)
{
	volatile int error = -1;
	pid_t pid;

	(void)state;
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
	/* the parent's descriptor serves its next profile, and ends with it */
	assert_int_equal(0, start_native());
	assert_int_equal(1, fake_device_descriptors());
	assert_int_equal(0, profil_stop(NULL));
	assert_int_equal(0, fake_device_descriptors());
}

static volatile sig_atomic_t calls_now, signals_within, signals_after;
static pid_t child_of_handler;

static void on_signal(int number)
{
	(void)number;
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

/* A handler that forks waits until the library is left; its child can use the library. */
static void test_handler_that_forks(void **state)
{
	(void)state;
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

	(void)unused;
	for (i = 0; i < 2000; i++)
		if (start_native() || profil_stop(NULL))
			return &fake_device;
	return NULL;
}

/* Several at once, while others are forked */
static void test_threads(void **state)
{
	pthread_t threads[4];
	void *failed;
	size_t i;
	pid_t pid;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(0, pthread_create(&threads[i], NULL, start_and_stop, NULL));
	for (i = 0; i < 50; i++) {
		pid = fork();
		if (!pid)
			_exit(start_native() || profil_stop(NULL) ||
			      fake_device_descriptors());
		assert_int_equal(0, status_of(pid));
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		assert_int_equal(0, pthread_join(threads[i], &failed));
		assert_null(failed);
	}
	assert_int_equal(0, fake_device_descriptors());
}

/* With a request that comes true at the first cancellation point */
static void *be_cancelled(void *start)
{
	pthread_cancel(pthread_self());
	(*(int (**)(void))start)();
	pthread_testcancel();
	return NULL;
}

static void test_cancelled(void **state)
{
	static int (*const calls[])(void) = {
		start_solaris, start_bsd, start_linux099, start_osf1, start_aix,
		start_aix_form, start_glibc, start_sprofil, start_native, start_pcsample,
	};
	static const char *const rates[] = { NULL, "many", "251" };
	int before, after;
	pthread_t thread;
	void *result;
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		for (k = 0; k < ARRAY_SIZE(rates); k++) {
			if (rates[k])
				setenv("PROFIL_RATE", rates[k], 1);
			before = count_descriptors();
			begin_stderr();
			assert_int_equal(0, pthread_create(&thread, NULL, be_cancelled,
							   (void *)&calls[i]));
			assert_int_equal(0, pthread_join(thread, &result));
			end_stderr(NULL);
			assert_ptr_equal(PTHREAD_CANCELED, result);
			assert_int_equal(0, profil_stop(NULL));
			after = count_descriptors();
			unsetenv("PROFIL_RATE");
			assert_int_equal(before, after);
		}
}

static const struct CMUnitTest tests[] = {
	TEST(test_one_while_it_runs),
	TEST(test_none_without_profile),
	TEST(test_stop_without_open),
	TEST(test_all_are_closed),
	TEST(test_another_file_at_its_number),
	TEST(test_another_device_at_its_number),
	TEST(test_few_descriptors),
	TEST(test_fork),
	TEST(test_vfork),
	TEST(test_handler_that_forks),
	TEST(test_threads),
	TEST(test_cancelled),
};

int main(void)
{
	setenv("PROFIL_FALLBACK", "fatal", 1);
	unsetenv("PROFIL_DIALECT");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
