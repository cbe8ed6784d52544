// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Creates the files of a profile: as the C library, $GMON_OUT_PREFIX.PID, or gmon.out in the
 * current directory if the variable is not set or that file cannot be created. A forked child
 * writes gmon.out.PID. The file of a shared object has the process's ID and the object's name:
 * gmon.out.PID.NAME.
 *
 * A file is written as .NAME.XXXXXX next to its final name, and then renamed. So the final name
 * always refers to a complete file, the earlier or the new one, even if the process is killed. If
 * no file can be created in the directory, an existing gmon.out is overwritten in place.
 *
 * Signal handlers may end the program, and companion.c calls this after a fork: so it uses neither
 * stdio nor the heap.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "error_text.h"
#include "gmon/file.h"
#include "gmon/objects.h"
#include "gmon/output.h"
#include "text.h"

#define PREFIX_VARIABLE	"GMON_OUT_PREFIX"
#define DEFAULT_NAME	"gmon.out"
#define RANDOM_LETTERS	6
#define ATTEMPTS	16

struct path {
	char text[PATH_MAX];
};

void profil_gmon_output_print(const char *name, int error)
{
	const char *remedy = "";

	if (error == EACCES || error == EPERM || error == EROFS)
		/* GCOV_EXCL_START: root can write to every directory */
		remedy = ": run the program in a directory that it may write to, or set " PREFIX_VARIABLE;
		/* GCOV_EXCL_STOP */
	else if (error == EFBIG)
		remedy = ": raise the limit of the size of files: ulimit -f";
	profil_text_print("libprofil: ", name, ": samples not written: ",
			  profil_error_text(error), " (", profil_error_name(error), ")", remedy);
}

static void append(struct path *path, const char *text)
{
	profil_text_append(path->text, sizeof(path->text), text);
}

/* Set the final name of an object's file. prefix: NULL if there is none. */
static void set_name(struct path *path, const struct profil_gmon_profile *profile,
		     const struct profil_gmon_object *object, const char *prefix)
{
	char digits[PROFIL_DIGITS];

	path->text[0] = 0;
	append(path, prefix ? prefix : DEFAULT_NAME);
	if (!prefix && !profile->forked && !object->name[0])
		return;
	append(path, ".");
	append(path, profil_text_number(digits, (unsigned int)profile->process, 10));
	if (object->name[0])
		append(path, ".");
	append(path, object->name);
}

/* Set the name of a temporary file, with letters that others cannot foresee. */
static void set_temporary(struct path *temporary, const struct path *path)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	const char *slash = strrchr(path->text, '/');
	unsigned char random[RANDOM_LETTERS] = { 0 };
	char text[RANDOM_LETTERS + 2] = ".";	/* with the final 0 */
	size_t directory = slash ? (size_t)(slash - path->text) + 1 : 0;
	size_t length = strlen(path->text), i;

	if (getrandom(random, sizeof(random), GRND_NONBLOCK) < 0)
		random[0] = (unsigned char)getpid(); /* GCOV_EXCL_LINE: early at boot */
	for (i = 0; i < RANDOM_LETTERS; i++)
		text[i + 1] = letters[random[i] % (sizeof(letters) - 1)];
	/* the caller has checked that it fits */
	memcpy(temporary->text, path->text, directory);
	temporary->text[directory] = '.';
	memcpy(temporary->text + directory + 1, path->text + directory, length - directory);
	memcpy(temporary->text + length + 1, text, sizeof(text));
}

/* Create the temporary file. Return: descriptor or -errno. */
static int create(struct path *temporary, const struct path *path)
{
	int fd = -1, i;

	/* what does not fit was left out: two names could be the same */
	if (strlen(path->text) + RANDOM_LETTERS + 3 > sizeof(path->text))
		return -ENAMETOOLONG;
	for (i = 0; i < ATTEMPTS && fd < 0; i++) {
		set_temporary(temporary, path);
		fd = open(temporary->text, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

static int finish(int fd, int error)
{
	/* as on NFS, the error of a write may come with the close */
	if (close(fd) && !error)
		error = -errno; /* GCOV_EXCL_LINE: needs such a file system */
	return error;
}

/* Overwrite an existing file; error: -errno, why none could be created. Return: 0 or -errno. */
static int write_in_place(const struct profil_gmon_profile *profile,
			  const struct profil_gmon_object *object, int error)
{
	int fd;

	/* an existing gmon.out belongs to the parent of a forked process */
	if (profile->forked || object->name[0])
		return error;
	/* if it is a FIFO, nobody waits for a reader */
	fd = open(DEFAULT_NAME, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error;
	return finish(fd, profil_gmon_file_write(fd, object, profile->rate));
}

/* Return: 0 or -errno, which is printed. */
static int write_object(const struct profil_gmon_profile *profile,
			const struct profil_gmon_object *object, const char *prefix)
{
	struct path path, temporary;
	int error, fd = -ENOENT;

	if (prefix) {
		set_name(&path, profile, object, prefix);
		fd = create(&temporary, &path);
	}
	if (fd < 0) {
		set_name(&path, profile, object, NULL);
		fd = create(&temporary, &path);
	}
	if (fd < 0) {
		error = write_in_place(profile, object, fd);
		goto out;
	}
	error = finish(fd, profil_gmon_file_write(fd, object, profile->rate));
	if (!error && rename(temporary.text, path.text))
		error = -errno;
	if (error)
		unlink(temporary.text);
out:
	if (error)
		profil_gmon_output_print(path.text, -error);
	return error;
}

int profil_gmon_output_write(struct profil_gmon_profile *profile)
{
	const char *prefix = secure_getenv(PREFIX_VARIABLE);
	const size_t nr = atomic_load(&profile->nr);
	const struct timespec no_time = { 0 };
	sigset_t too_long, before, pending;
	int first = 0, error, cancel;
	size_t i;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	/* a write above ulimit -f fails then, and does not end the program with a file left over */
	sigemptyset(&too_long);
	sigaddset(&too_long, SIGXFSZ);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &too_long, &before);
	profil_gmon_objects_add_fallback(profile);
	for (i = 0; i < nr; i++) {
		if (!profile->objects[i].counts)
			continue;
		error = write_object(profile, &profile->objects[i], prefix);
		if (!first)
			first = error;
	}
	/* that of the writes; one that the program has had before is the program's */
	if (sigismember(&pending, SIGXFSZ) != 1)
		sigtimedwait(&too_long, NULL, &no_time);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_setcancelstate(cancel, NULL);
	return first;
}
