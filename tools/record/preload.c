// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloading libprofil-run.so into the command.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/preload.h"
#include "util/failure.h"

#define LIBRARY	"libprofil-run.so"

#ifndef LIBDIR
#define LIBDIR	"/usr/local/lib"
#endif

/*
 * Only the directory is resolved, not the library's own symbolic link: the library compares
 * this name with the dynamic linker's when it removes itself from LD_PRELOAD.
 */
static char *find_relative(void)
{
	char exe[PATH_MAX], dir[PATH_MAX];
	char *slash, *path;
	ssize_t length;

	length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (length < 0)
		return strdup("../lib/" LIBRARY);
	exe[length] = 0;
	slash = strrchr(exe, '/');
	if (slash)
		*slash = 0;
	if (asprintf(&path, "%s/../lib", exe) < 0)
		return NULL;
	if (realpath(path, dir)) {
		free(path);
		if (asprintf(&path, "%s/%s", dir, LIBRARY) < 0)
			return NULL;
	} else {
		free(path);
		if (asprintf(&path, "%s/../lib/%s", exe, LIBRARY) < 0)
			return NULL;
	}
	return path;
}

char *preload_find(char **tried)
{
	const char *installed = LIBDIR "/" LIBRARY;
	char *path = find_relative();

	*tried = NULL;
	if (!path)
		return NULL;
	if (asprintf(tried, "%s, %s", path, installed) < 0) {
		*tried = NULL;
		goto out;
	}
	if (access(path, R_OK)) {
		free(path);
		if (access(installed, R_OK))
			return NULL;
		path = strdup(installed);
		if (!path)
			return NULL;
	}
	/* ld.so(8) splits LD_PRELOAD at both, and has no quoting */
	if (!strpbrk(path, ": "))
		return path;
	errno = EINVAL;
out:
	free(path);
	return NULL;
}

const char *preload_remedy(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return "install profil again, with its library (make install)";
	case EINVAL:
		return "move it to a path without colons and spaces";
	case EACCES:
		return "make it and its directories readable (chmod a+rX)";
	default:
		return failure_remedy(error);
	}
}

static bool defines(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(entry, name, length) && entry[length] == '=';
}

char **preload_environ(const char *library, int run_fd)
{
	const char *old = getenv("LD_PRELOAD");
	size_t nr = 0, to = 0, i;
	char **env;

	while (environ[nr])
		nr++;
	env = calloc(nr + 3, sizeof(*env));
	if (!env)
		return NULL;
	/* the allocated strings are first, for preload_environ_free() */
	if (asprintf(&env[to++], "PROFIL_RUN=/proc/%ld/fd/%d", (long)getpid(),
		     run_fd) < 0) {
		env[0] = NULL;
		goto free_env;
	}
	if (asprintf(&env[to++], "LD_PRELOAD=%s%s%s", library,
		     old && *old ? ":" : "", old ? old : "") < 0) {
		env[1] = NULL;
		goto free_env;
	}
	for (i = 0; i < nr; i++) {
		if (!defines(environ[i], "PROFIL_RUN") &&
		    !defines(environ[i], "LD_PRELOAD"))
			env[to++] = environ[i];
	}
	return env;

free_env:
	preload_environ_free(env);
	return NULL;
}

void preload_environ_free(char **env)
{
	if (!env)
		return;
	if (env[0])
		free(env[1]);
	free(env[0]);
	free(env);
}
