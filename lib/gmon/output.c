// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where gmon.out goes. The C library writes $GMON_OUT_PREFIX.PID, or gmon.out in the
 * current directory if that is not set or cannot be written. It is made to write in a
 * directory of its own, .NAME.XXXXXX beside the file that is meant. There the histogram is
 * replaced, and then the file gets its name: so under that name is always a whole file, the
 * earlier or the new one, whenever the process is killed. Nobody else can have put a file
 * or a link into that directory.
 *
 * A forked child has no prefix to tell it from its parent by, but what the C library
 * does with one tells how such files are called: gmon.out.PID.
 *
 * The environment, which would lead the C library elsewhere, is all threads'. So it is the
 * current directory that is another one: in a child that has this process's memory, and so
 * the C library's figures, but its own current directory. The C library sees that child's
 * PID.
 *
 * Only a file in a directory where none can be made is written as it stands.
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

/* As for a thread: the C library needs some KiB. */
#define STACK_BYTES	((size_t)256 << 10)

/* A file that is being made. */
struct output {
	char *path;		/* of the directory in which it is made */
	int directory;		/* the same, open */
	char *name;		/* what it becomes */
	int fd;			/* of the file, once the C library has written it */
	char *made;		/* its name there */
};

static void tell(const char *name, int error)
{
	const char *remedy = "";

	if (error == EBADMSG)
		remedy = ": the C library's file is none that libprofil knows";
	else if (error == EACCES || error == EPERM || error == EROFS)
		remedy = ": run the program in a directory that it may write to, or set " PREFIX_VARIABLE;
	else if (error == EEXIST)
		remedy = ": another user's file is in its place: remove it, or set " PREFIX_VARIABLE;
	fprintf(stderr, "libprofil: %s: samples not written: %s (%s)%s\n", name,
		strerrordesc_np(error), strerrorname_np(error), remedy);
}

static void put(struct output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	if (output->path && output->directory >= 0) {
		close(output->directory);
		rmdir(output->path);
	}
	free(output->path);
	free(output->name);
	free(output->made);
	*output = (struct output){ .directory = -1, .fd = -1 };
}

/* Return: PREFIX.PID, or NULL. */
static char *with_pid(const char *prefix, pid_t pid)
{
	char *text;

	return asprintf(&text, "%s.%u", prefix, (unsigned int)pid) < 0 ? NULL : text;
}

/* prefix: NULL if there is none. Return: 0; or -errno, and there is no directory. */
static int create(struct output *output, const char *prefix, bool forked)
{
	const char *path = prefix ? prefix : DEFAULT_NAME;
	const char *slash = strrchr(path, '/');
	int directory = slash ? (int)(slash - path) + 1 : 0;
	int error = -ENOMEM;

	*output = (struct output){ .directory = -1, .fd = -1 };
	if (asprintf(&output->path, "%.*s.%s.XXXXXX", directory, path, path + directory) < 0)
		output->path = NULL;
	output->name = prefix || forked ? with_pid(path, getpid()) : strdup(path);
	if (!output->path || !output->name)
		goto put;
	if (!mkdtemp(output->path)) {
		error = -errno;
		goto put;
	}
	output->directory = open(output->path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (output->directory >= 0)
		return 0;
	error = -errno;
	rmdir(output->path);
put:
	put(output);
	return error;
}

struct call {
	void (*function)(void);
	int directory;
	int error;
};

/* In the child. What it returns is its exit status, but its memory is ours. */
static int call_there(void *data)
{
	struct call *call = data;

	call->error = fchdir(call->directory) ? -errno : 0;
	if (!call->error)
		call->function();
	return 0;
}

/*
 * Call a function with another current directory, which only this call has. This thread
 * stands still meanwhile, as for posix_spawn(). The child sends no signal when it ends, and
 * is no child that the program could wait for by chance. *pid gets its PID. Return: 0; or
 * -errno, and nothing has been called.
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
		return -errno;
	/* handlers of the program's are for the program */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	*pid = clone(call_there, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, &call);
	if (*pid < 0)
		error = -errno;
	while (!error && waitpid(*pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(stack, STACK_BYTES);
	return error ? error : call.error;
}

/*
 * Open what the C library has written: gmon.out in the directory; or else by the prefix,
 * where that leads from there. Return: 0, also if it has written nothing; or -errno.
 */
static int open_made(struct output *output, const char *prefix, pid_t pid)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
	struct stat stat;

	output->made = strdup(DEFAULT_NAME);
	if (!output->made)
		return -ENOMEM;
	output->fd = openat(output->directory, output->made, flags);
	if (output->fd < 0 && prefix) {
		free(output->made);
		output->made = with_pid(prefix, pid);
		if (!output->made)
			return -ENOMEM;
		output->fd = openat(output->directory, output->made, flags);
	}
	if (output->fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(output->fd, &stat))
		return -errno;
	/* a prefix may lead to where others can put files */
	return stat.st_uid == geteuid() && S_ISREG(stat.st_mode) && stat.st_nlink == 1 ?
		0 : -EEXIST;
}

/* Return: 0, also if the C library had a reason to write nothing: it has said so; -errno. */
static int finish(struct output *output, const char *prefix,
		  const struct profil_gmon_histogram *histogram, pid_t pid)
{
	int error = open_made(output, prefix, pid);

	if (error || output->fd < 0)
		return error;
	error = profil_gmon_file_replace(output->fd, histogram);
	if (!error && renameat(output->directory, output->made, AT_FDCWD, output->name))
		error = -errno;
	if (error)
		unlinkat(output->directory, output->made, 0);
	return error;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/*
 * The file that is there already, if the C library writes it, in a directory where no
 * other can be made (error: -errno).
 */
static int write_as_it_stands(void (*mcleanup)(void),
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
	/* if it had a reason to write nothing, it has said so */
	if (!error && !same_time(&before.st_mtim, &after.st_mtim))
		error = profil_gmon_file_replace(fd, histogram);
out:
	if (fd >= 0)
		close(fd);
	return error;
}

/* Return: whether mcleanup() was called. */
static bool write_beside(struct output *output, void (*mcleanup)(void), const char *prefix,
			 const struct profil_gmon_histogram *histogram, int *error)
{
	pid_t pid = 0;

	*error = call_in(output->directory, mcleanup, &pid);
	if (*error)
		return false;
	*error = finish(output, prefix, histogram, pid);
	if (*error)
		tell(output->name, -*error);
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
		done = write_beside(&output, mcleanup, prefix, histogram, &error);
	put(&output);
	/* what stands there is its parent's */
	if (!done && !forked)
		error = write_as_it_stands(mcleanup, histogram, error);
	if (!done && error)
		tell(DEFAULT_NAME, -error);
	pthread_setcancelstate(cancel, NULL);
}
