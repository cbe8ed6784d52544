// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Creates gmon.out. The C library writes $GMON_OUT_PREFIX.PID, or gmon.out in the current
 * directory if the variable is not set or that file cannot be created. This file lets it write
 * into a private directory, .NAME.XXXXXX next to the final file, where other users cannot create
 * files or links. There the histogram is replaced, and then the file is renamed: so the final name
 * always refers to a complete file, the earlier or the new one, even if the process is killed.
 * With an absolute prefix, the C library's file is outside the private directory.
 *
 * A forked child writes gmon.out.PID, as the C library would with the prefix gmon.out.
 *
 * The C library's path cannot be changed by the environment, which all threads share. Instead
 * mcleanup() runs with another current directory: in a child process that shares this process's
 * memory, and so the C library's data, but not its current directory. The PID in the C library's
 * file name is then the child's.
 *
 * If no file can be created in the directory, an existing gmon.out is overwritten in place.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gmon/output.h"

#define PREFIX_VARIABLE	"GMON_OUT_PREFIX"
#define DEFAULT_NAME	"gmon.out"

/* Of the child process; the C library needs some KiB */
#define STACK_BYTES	((size_t)256 << 10)

struct output {
	char *path;		/* of the private directory */
	int directory;		/* descriptor of the private directory */
	char *name;		/* final name of the file */
	int fd;			/* of the file, after the C library has written it */
	char *temporary;	/* name of the file in the private directory */
};

static void print_error(const char *name, int error)
{
	const char *remedy = "";

	if (error == EBADMSG)
		remedy = ": libprofil does not know the format of the C library's file";
	else if (error == EACCES || error == EPERM || error == EROFS)
		/* GCOV_EXCL_START: root can write to every directory */
		remedy = ": run the program in a directory that it may write to, or set " PREFIX_VARIABLE;
		/* GCOV_EXCL_STOP */
	else if (error == EEXIST)
		remedy = ": another user's file has this name: remove it, or set " PREFIX_VARIABLE;
	fprintf(stderr, "libprofil: %s: samples not written: %s (%s)%s\n", name,
		strerrordesc_np(error), strerrorname_np(error), remedy);
}

static void free_output(struct output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	if (output->path && output->directory >= 0) {
		close(output->directory);
		rmdir(output->path);
	}
	free(output->path);
	free(output->name);
	free(output->temporary);
	*output = (struct output){ .directory = -1, .fd = -1 };
}

/* Return: PREFIX.PID, or NULL. */
static char *with_pid(const char *prefix, pid_t pid)
{
	char *text;

	return asprintf(&text, "%s.%u", prefix, (unsigned int)pid) < 0 ? NULL : text;
}

/* Create the private directory; prefix: NULL if there is none. Return: 0 or -errno. */
static int create(struct output *output, const char *prefix, bool forked)
{
	const char *path = prefix ? prefix : DEFAULT_NAME;
	const char *slash = strrchr(path, '/');
	int directory = slash ? (int)(slash - path) + 1 : 0;
	int error = -ENOMEM;

	*output = (struct output){ .directory = -1, .fd = -1 };
	if (asprintf(&output->path, "%.*s.%s.XXXXXX", directory, path, path + directory) < 0)
		output->path = NULL; /* GCOV_EXCL_LINE: out of memory */
	output->name = prefix || forked ? with_pid(path, getpid()) : strdup(path);
	if (!output->path || !output->name)
		goto free; /* GCOV_EXCL_LINE: out of memory */
	if (!mkdtemp(output->path)) {
		error = -errno;
		goto free;
	}
	output->directory = open(output->path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (output->directory >= 0)
		return 0;
	error = -errno; /* GCOV_EXCL_LINE: the directory was just created */
	rmdir(output->path); /* GCOV_EXCL_LINE: the directory was just created */
free:
	free_output(output);
	return error;
}

struct call {
	void (*function)(void);
	int directory;
	int error;
};

/* In the child process. The error goes into the shared memory, not into the exit status. */
static int call_in_child(void *data)
{
	struct call *call = data;

	call->error = fchdir(call->directory) ? -errno : 0;
	if (!call->error)
		call->function();
	return 0;
}

/*
 * Call a function in a child process with another current directory. CLONE_VFORK suspends this
 * thread until the child exits. The child sends no signal when it exits, so the program's wait()
 * does not return it. *pid receives its PID. Return: 0; or -errno if the function was not called.
 */
static int call_in(int directory, void (*function)(void), pid_t *pid)
{
	struct call call = { function, directory, 0 };
	sigset_t all, before;
	char *stack;
	int error = 0;

	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return -errno; /* GCOV_EXCL_LINE: out of memory */
	/* the program's signal handlers must not run in the child */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	*pid = clone(call_in_child, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, &call);
	if (*pid < 0)
		error = -errno; /* GCOV_EXCL_LINE: limit of processes reached */
	while (!error && waitpid(*pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(stack, STACK_BYTES);
	return error ? error : call.error;
}

/*
 * Open the file that the C library has written: gmon.out in the private directory, or
 * PREFIX.PID relative to it. Return: 0, also if it has not written a file; or -errno.
 */
static int open_temporary(struct output *output, const char *prefix, pid_t pid)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
	struct stat stat;

	output->temporary = strdup(DEFAULT_NAME);
	if (!output->temporary)
		return -ENOMEM; /* GCOV_EXCL_LINE: out of memory */
	output->fd = openat(output->directory, output->temporary, flags);
	if (output->fd < 0 && prefix) {
		free(output->temporary);
		output->temporary = with_pid(prefix, pid);
		if (!output->temporary)
			return -ENOMEM; /* GCOV_EXCL_LINE: out of memory */
		output->fd = openat(output->directory, output->temporary, flags);
	}
	if (output->fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(output->fd, &stat))
		return -errno; /* GCOV_EXCL_LINE: the file was just written */
	/* with a prefix, the file may be where other users can create files */
	return stat.st_uid == geteuid() && S_ISREG(stat.st_mode) && stat.st_nlink == 1 ?
		0 : -EEXIST;
}

/*
 * Replace the histogram and rename the file. Return: 0, also if the C library failed to write,
 * which it reports itself; or -errno.
 */
static int finish(struct output *output, const char *prefix,
		  const struct profil_gmon_histogram *histogram, pid_t pid)
{
	int error = open_temporary(output, prefix, pid);

	if (error || output->fd < 0)
		return error;
	error = profil_gmon_file_replace(output->fd, histogram);
	if (!error && renameat(output->directory, output->temporary, AT_FDCWD, output->name))
		error = -errno;
	if (error)
		unlinkat(output->directory, output->temporary, 0);
	return error;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/*
 * Let the C library overwrite an existing gmon.out, in a directory where no file can be created;
 * error: -errno of that, returned if there is no gmon.out. Return: 0 or -errno.
 */
static int write_in_place(void (*mcleanup)(void),
			  const struct profil_gmon_histogram *histogram,
			  int error)
{
	int fd = open(DEFAULT_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct stat before, after;

	if (fd < 0 || fstat(fd, &before)) {
		mcleanup();
		goto out;
	}
	mcleanup();
	error = fstat(fd, &after) ? -errno : 0;
	/* unchanged: the C library failed to write, which it reports itself */
	if (!error && !same_time(&before.st_mtim, &after.st_mtim))
		error = profil_gmon_file_replace(fd, histogram);
out:
	if (fd >= 0)
		close(fd);
	return error;
}

/* Return: whether mcleanup() was called. */
static bool write_and_rename(struct output *output, void (*mcleanup)(void), const char *prefix,
			     const struct profil_gmon_histogram *histogram, int *error)
{
	pid_t pid = 0;

	*error = call_in(output->directory, mcleanup, &pid);
	if (*error)
		return false;
	*error = finish(output, prefix, histogram, pid);
	if (*error)
		print_error(output->name, -*error);
	return true;
}

void profil_gmon_output_write(void (*mcleanup)(void), bool forked,
			      const struct profil_gmon_histogram *histogram)
{
	const char *prefix = secure_getenv(PREFIX_VARIABLE);
	struct output output = { .directory = -1, .fd = -1 };
	int error = -ENOENT, cancel;
	bool done = false;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (prefix)
		error = create(&output, prefix, forked);
	if (error)
		error = create(&output, NULL, forked);
	if (!error)
		done = write_and_rename(&output, mcleanup, prefix, histogram, &error);
	free_output(&output);
	/* an existing gmon.out belongs to the parent of a forked process */
	if (!done && !forked)
		error = write_in_place(mcleanup, histogram, error);
	if (!done && error)
		print_error(DEFAULT_NAME, -error);
	pthread_setcancelstate(cancel, NULL);
}
