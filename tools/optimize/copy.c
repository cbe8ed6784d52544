// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a copy of a program, by BOLT or by the user's linker.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	for (version = NEWEST_BOLT; error && version >= OLDEST_BOLT; version--) {
		free(*name);
		if (asprintf(name, "llvm-bolt-%d", version) < 0) {
			*name = NULL;
			return -ENOMEM;
		}
		error = try_bolt(*name);
	}
	return error ? -ENOENT : 0;
}

/* Return: the path under which the copy is made, to be freed with free(); NULL: no memory. */
static char *name_unfinished(const char *copy)
{
	char *name;

	return asprintf(&name, "%s.%d", copy, (int)getpid()) < 0 ? NULL : name;
}

/* Run what writes @unfinished, and give that the name @copy. Return: 0 or -errno. */
static int make(struct program_run *run, const char *unfinished, const char *copy)
{
	int error = program_run(run);

	if (!error && run->status)
		error = -EPROTO;
	/* a linker may succeed, and write another file */
	if (!error && access(unfinished, X_OK))
		error = -EPROTO;
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
	int error = unfinished ? make(&run, unfinished, copy) : -ENOMEM;

	free(unfinished);
	return error;
}

int copy_by_linker(const char *command, const char *copy, const char *log)
{
	char *unfinished = name_unfinished(copy);
	char *const argv[] = { "sh", "-c", (char *)command, NULL };
	struct program_run run = { .path = "sh", .argv = argv, .output = log };
	int error = unfinished && !setenv("OUT", unfinished, 1) ?
		make(&run, unfinished, copy) : -ENOMEM;

	free(unfinished);
	return error;
}
