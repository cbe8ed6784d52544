// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PROFIL_GMON_KEEP=1: a second process writes the files of a profile, however the program ends: by
 * exit(), _exit(), a signal or exec. It is made at the start, so it has the user, the root and the
 * current directory that the program had then.
 *
 * Both map one file in memory. The program has opened it once more, with a lock, and has closed
 * that descriptor: the mapping alone keeps the lock. The kernel releases it when the mapping is
 * gone, that is, when the program has ended or has executed another one, after the module has
 * counted the last sample. Until then, the companion waits for the lock. So the program needs no
 * descriptor for it, and may close all. At exit(), the program replaces its mapping, and then
 * waits until the companion has ended: the companion's pipe is closed then.
 *
 * The companion is not a child of the program, whose wait() does not find it: its parent ends at
 * once, and sends no signal. It has a session of its own, and no descriptor of the program, so it
 * gets no signal of a terminal and keeps no pipe open. It blocks all signals that can be blocked.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "error_text.h"
#include "gmon/companion.h"
#include "gmon/memory.h"
#include "gmon/output.h"
#include "ioctl.h"
#include "text.h"
#include "write_all.h"

#define VARIABLE	"PROFIL_GMON_KEEP"

/*
 * How long exit() waits. Another process may have the program's mapping: a child of _Fork(). Then
 * the files are written when that has ended.
 */
#define MOST_WAIT_S	10

/* See device_fd.c */
#define LOWEST_NUMBER	200

/* Protected by profil_guard_state */
static struct {
	int file;		/* of the memory, while the companion is started; else -1 */
	int result;		/* reading end of the companion's pipe; -1: no companion */
	struct stat pipe;	/* recognizes it: the program may have closed it */
} companion = { .file = -1, .result = -1 };

bool profil_gmon_companion_wanted(void)
{
	const char *value = secure_getenv(VARIABLE);

	return value && *value && strcmp(value, "0") != 0;
}

static int print_error(int error)
{
	const char *remedy = "";

	if (error == EFBIG)
		remedy = "; raise the limit of the size of files: ulimit -f";
	else if (error == ENOENT)
		remedy = "; mount /proc";
	else if (error == EMFILE)
		remedy = "; raise the limit of open files: ulimit -n";
	else if (error == EAGAIN)
		remedy = "; raise the limit of processes: ulimit -u";
	profil_text_print("libprofil: ", VARIABLE, ": gmon.out is written only by exit(): ",
			  profil_error_text(error), " (", profil_error_name(error), ")", remedy);
	return -error;
}

/* Open the same file once more: a lock belongs to what is opened, not to the process. */
static int open_again(int fd)
{
	char path[64] = "/proc/self/fd/", digits[PROFIL_DIGITS];

	profil_text_append(path, sizeof(path), profil_text_number(digits, (unsigned int)fd, 10));
	return open(path, O_RDWR | O_CLOEXEC);
}

static int lock(int fd, int command)
{
	struct flock whole = { .l_type = F_WRLCK };
	int failed;

	do {
		failed = fcntl(fd, command, &whole);
	} while (failed && errno == EINTR);
	return failed;
}

/* Whether a limit forbids a file of this size; exceeding it raises SIGXFSZ. */
static bool is_too_long(size_t bytes)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	       bytes > limit.rlim_cur;
}

int profil_gmon_companion_prepare(size_t bytes, const struct profil_gmon_profile *profile, int *fd)
{
	int error = EFBIG;

	*fd = -1;
	if (is_too_long(bytes))
		return print_error(error);
	companion.file = memfd_create("profil-gmon", MFD_CLOEXEC);
	if (companion.file < 0)
		return print_error(errno);
	if (ftruncate(companion.file, (off_t)bytes) ||
	    (profile && pwrite(companion.file, profile, sizeof(*profile), 0) != sizeof(*profile)))
		goto fail;
	*fd = open_again(companion.file);
	if (*fd < 0 || lock(*fd, F_OFD_SETLK))
		goto fail;
	return 0;

fail:
	error = errno;
	if (*fd >= 0)
		close(*fd);
	close(companion.file);
	companion.file = -1;
	*fd = -1;
	return print_error(error);
}

/* Close all descriptors except two. */
static void close_others(int a, int b)
{
	const unsigned int low = (unsigned int)(a < b ? a : b);
	const unsigned int high = (unsigned int)(a < b ? b : a);

	if (low)
		syscall(SYS_close_range, 0U, low - 1, 0U);
	if (high > low + 1)
		syscall(SYS_close_range, low + 1, high - 1, 0U);
	syscall(SYS_close_range, high + 1, ~0U, 0U);
}

static void __attribute__((noreturn)) run(struct profil_gmon_profile *profile, int result)
{
	unsigned char error = 0;

	prctl(PR_SET_NAME, "profil-gmon");
	setsid();
	/* that of a forked child, which this process has inherited, too */
	if (profil_ioctl_may_be_running())
		profil_ioctl_off();
	/* this process has inherited the program's mapping, and with it the lock */
	if (profil_gmon_memory_replace(companion.file))
		_exit(1);
	close_others(companion.file, result);
	if (!lock(companion.file, F_OFD_SETLKW))
		error = (unsigned char)-profil_gmon_output_write(profile);
	/* the program may not be there to read it */
	profil_write_all(result, &error, 1);
	_exit(0);
}

/* Without the C library, which would call the program's fork handlers. signal: at its end */
static pid_t fork_with(int signal)
{
	return (pid_t)syscall(SYS_clone, (unsigned long)signal, 0UL, 0UL, 0UL, 0UL);
}

/*
 * The process in between ends at once. It is waited for here, and without a signal the program's
 * wait() does not find it.
 */
static int fork_twice(struct profil_gmon_profile *profile, int result)
{
	sigset_t all, before;
	pid_t pid, child;
	int error = 0, status = 0;

	/* the program's signal handlers must not run there */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork_with(0);
	if (!pid) {
		child = fork_with(SIGCHLD);
		if (!child)
			run(profile, result);
		syscall(SYS_exit_group, child < 0 ? errno : 0);
	}
	if (pid < 0)
		error = errno;
	while (!error && waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error ? error : WEXITSTATUS(status);
}

int profil_gmon_companion_start(struct profil_gmon_profile *profile)
{
	int ends[2], moved, error;

	if (pipe2(ends, O_CLOEXEC)) {
		error = errno;
		goto out;
	}
	moved = fcntl(ends[0], F_DUPFD_CLOEXEC, LOWEST_NUMBER);
	if (moved >= 0) {
		close(ends[0]);
		ends[0] = moved;
	}
	error = fork_twice(profile, ends[1]);
	close(ends[1]);
	if (!error && !fstat(ends[0], &companion.pipe))
		companion.result = ends[0];
	else
		close(ends[0]);
out:
	close(companion.file);
	companion.file = -1;
	return error ? print_error(error) : 0;
}

bool profil_gmon_companion_alive(void)
{
	struct pollfd result = { .fd = companion.result };
	struct stat stat;

	if (companion.result < 0)
		return false;
	/* the program has closed all descriptors: then the companion is probably alive */
	if (fstat(companion.result, &stat) || stat.st_dev != companion.pipe.st_dev ||
	    stat.st_ino != companion.pipe.st_ino) {
		companion.result = -1;
		return true;
	}
	return poll(&result, 1, 0) == 0;
}

/* Wait until the pipe is readable; signal handlers of the program may interrupt this often. */
static bool is_readable_in_time(int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	time_t left_ms = (time_t)MOST_WAIT_S * 1000;
	struct timespec end, now;
	int nr;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += MOST_WAIT_S;
	do {
		nr = poll(&polled, 1, (int)left_ms);
		clock_gettime(CLOCK_MONOTONIC, &now);
		left_ms = (end.tv_sec - now.tv_sec) * 1000 + (end.tv_nsec - now.tv_nsec) / 1000000;
	} while (nr < 0 && errno == EINTR && left_ms > 0);
	return nr > 0;
}

void profil_gmon_companion_wait(void)
{
	unsigned char error = 0;

	if (companion.result < 0)
		return;
	if (is_readable_in_time(companion.result) && read(companion.result, &error, 1) == 1 &&
	    error)
		profil_gmon_output_print("gmon.out", error);
	close(companion.result);
	companion.result = -1;
}

void profil_gmon_companion_forget(void)
{
	struct stat stat;

	if (companion.result >= 0 && !fstat(companion.result, &stat) &&
	    stat.st_ino == companion.pipe.st_ino && stat.st_dev == companion.pipe.st_dev)
		close(companion.result);
	companion.result = -1;
}
