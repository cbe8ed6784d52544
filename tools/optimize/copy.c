// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a copy of a program, by BOLT or by the user's linker.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "optimize/copy.h"
#include "optimize/program.h"

/* Versions of LLVM whose Debian packages have llvm-bolt-VERSION */
#define NEWEST_BOLT	40
#define OLDEST_BOLT	14

/* Return: 0; -ENOENT or another -errno: it cannot be run. */
static int try_bolt(const char *name)
{
	char *const argv[] = { (char *)name, "--version", NULL };
	struct program_run run = { .path = name, .argv = argv, .output = "/dev/null" };

	return program_run(&run);
}

int copy_find_bolt(char **name)
{
	int version, error;

	*name = strdup("llvm-bolt");
	if (!*name)
		return -ENOMEM;
	error = try_bolt(*name);
	for (version = NEWEST_BOLT; error && error != -EINTR && version >= OLDEST_BOLT; version--) {
		free(*name);
		if (asprintf(name, "llvm-bolt-%d", version) < 0) {
			*name = NULL;
			return -ENOMEM;
		}
		error = try_bolt(*name);
	}
	return !error || error == -EINTR ? error : -ENOENT;
}

/* Return: the path under which the copy is made, to be freed with free(); NULL: no memory. */
static char *name_unfinished(const char *copy)
{
	char *name;

	return asprintf(&name, "%s.%d", copy, (int)getpid()) < 0 ? NULL : name;
}

/* Let those read and execute a file who may do so with another one. Return: 0 or -errno. */
static int allow_as(const char *path, const char *other)
{
	struct stat st;

	/* its set-user-ID is for its own code */
	return stat(other, &st) || chmod(path, st.st_mode & 0777) ? -errno : 0;
}

/*
 * Run what writes @unfinished, and give that the name @copy.
 *
 * @like: whose permissions it gets; NULL: it has those that it was made with
 *
 * Return: 0 or -errno.
 */
static int make(struct program_run *run, const char *unfinished, const char *copy,
		const char *like)
{
	int error = program_run(run);

	if (!error && run->status)
		error = -EPROTO;
	/* a linker may succeed, and write another file */
	if (!error && access(unfinished, X_OK))
		error = -EPROTO;
	if (!error && like)
		error = allow_as(unfinished, like);
	if (!error && rename(unfinished, copy))
		error = -errno;
	if (error)
		unlink(unfinished);
	return error;
}

int copy_by_bolt(const char *bolt, const char *program, const char *fdata, const char *copy,
		 const char *log)
{
	char *unfinished = name_unfinished(copy);
	/*
	 * Cold blocks stay with their functions: few samples do not tell which blocks never run,
	 * and a jump to another page costs more than the blocks.
	 */
	char *const argv[] = {
		(char *)bolt, (char *)program, "-data", (char *)fdata, "-o", unfinished,
		"-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", NULL
	};
	struct program_run run = { .path = bolt, .argv = argv, .output = log };
	int error = unfinished ? make(&run, unfinished, copy, program) : -ENOMEM;

	free(unfinished);
	return error;
}

int copy_by_linker(const char *command, char *const others[COPY_VARIABLES], const char *copy,
		   const char *log)
{
	char *unfinished = name_unfinished(copy), *variable = NULL;
	int error = -ENOMEM;

	if (unfinished && asprintf(&variable, "OUT=%s", unfinished) >= 0) {
		/* by env(1): the programs that are compared do not get the variables */
		char *const argv[] = { "env", variable, others[0], others[1], others[2], "sh", "-c",
				       (char *)command, NULL };
		struct program_run run = { .path = "env", .argv = argv, .output = log };

		error = make(&run, unfinished, copy, NULL);
		free(variable);
	}
	free(unfinished);
	return error;
}
