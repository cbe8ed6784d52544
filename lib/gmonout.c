// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where gmon.out goes. The C library writes $GMON_OUT_PREFIX.PID, or gmon.out in the
 * current directory if that is not set or cannot be written. It is led, by another
 * prefix, to a file .NAME.PID beside the one that is meant. There the histogram is
 * replaced, and then it gets its name: so under that name is always a whole file, the
 * earlier or the new one, whenever the process is killed.
 *
 * A forked child has no prefix to tell it from its parent by, but what the C library
 * does with one tells how such files are called: gmon.out.PID.
 *
 * Only a file in a directory where none can be made is written as it stands.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gmonout.h"

#define PREFIX_VARIABLE	"GMON_OUT_PREFIX"
#define DEFAULT_NAME	"gmon.out"

/* A file that is being made. */
struct output {
	char *setting;		/* "GMON_OUT_PREFIX=..." */
	char *temporary;	/* what the C library writes then */
	char *name;		/* what it becomes */
	int fd;			/* of the temporary one */
};

static void tell(const char *name, int error)
{
	const char *remedy = "";

	if (error == EBADMSG)
		remedy = ": the C library's file is none that libprofil knows";
	else if (error == EACCES || error == EPERM || error == EROFS)
		remedy = ": run the program in a directory that it may write to, or set " PREFIX_VARIABLE;
	fprintf(stderr, "libprofil: %s: samples not written: %s (%s)%s\n", name,
		strerrordesc_np(error), strerrorname_np(error), remedy);
}

static void put(struct output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	output->fd = -1;
	free(output->setting);
	free(output->temporary);
	free(output->name);
}

/* prefix: NULL if there is none. Return: 0; or -errno, and the descriptor is -1. */
static int create(struct output *output, const char *prefix, bool forked)
{
	const char *path = prefix ? prefix : DEFAULT_NAME;
	const char *slash = strrchr(path, '/');
	int directory = slash ? (int)(slash - path) + 1 : 0;
	unsigned int pid = (unsigned int)getpid();
	int error = -ENOMEM;

	*output = (struct output){ .fd = -1 };
	if (asprintf(&output->setting, PREFIX_VARIABLE "=%.*s.%s", directory, path,
		     path + directory) < 0) {
		output->setting = NULL;
		goto put;
	}
	if (asprintf(&output->temporary, "%s.%u",
		     strchr(output->setting, '=') + 1, pid) < 0) {
		output->temporary = NULL;
		goto put;
	}
	if (prefix || forked) {
		if (asprintf(&output->name, "%s.%u", path, pid) < 0)
			output->name = NULL;
	} else {
		output->name = strdup(path);
	}
	if (!output->name)
		goto put;
	output->fd = open(output->temporary,
			  O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (output->fd >= 0)
		return 0;
	error = -errno;
put:
	put(output);
	return error;
}

/*
 * With a variable of the environment set to something else: in front of the list, where
 * it is found first. As the list is another one meanwhile, threads that read it have one
 * or the other, and both stay: it is not freed.
 */
static int call_with(void (*function)(void), char *setting)
{
	char **given = environ, **list;
	size_t nr = 0;

	while (given && given[nr])
		nr++;
	list = calloc(nr + 2, sizeof(*list));
	if (!list)
		return -ENOMEM;
	list[0] = setting;
	if (nr)
		memcpy(list + 1, given, nr * sizeof(*list));
	environ = list;
	function();
	environ = given;
	return 0;
}

static int finish(struct output *output, void (*mcleanup)(void),
		  const struct profil_gmon_histogram *histogram)
{
	struct stat stat;
	int error = call_with(mcleanup, output->setting);

	if (!error && fstat(output->fd, &stat))
		error = -errno;
	/* if it had a reason to write nothing, it has said so */
	if (!error && !stat.st_size)
		goto unlink;
	if (!error)
		error = profil_gmonfile_replace(output->fd, histogram);
	if (!error && rename(output->temporary, output->name))
		error = -errno;
	if (!error)
		return 0;
unlink:
	unlink(output->temporary);
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
		error = profil_gmonfile_replace(fd, histogram);
out:
	if (fd >= 0)
		close(fd);
	return error;
}

void profil_gmonout_write(void (*mcleanup)(void), bool forked,
			  const struct profil_gmon_histogram *histogram)
{
	const char *prefix = secure_getenv(PREFIX_VARIABLE);
	struct output output = { .fd = -1 };
	int error = 0;

	if (prefix)
		error = create(&output, prefix, forked);
	if (output.fd < 0)
		error = create(&output, NULL, forked);
	if (output.fd >= 0) {
		error = finish(&output, mcleanup, histogram);
		if (error)
			tell(output.name, -error);
		put(&output);
		return;
	}
	/* what stands there is its parent's */
	if (!forked)
		error = write_as_it_stands(mcleanup, histogram, error);
	if (error)
		tell(DEFAULT_NAME, -error);
}
