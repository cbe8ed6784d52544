// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of profil optimize: the program, and where its copy is written. They are checked before
 * the program runs for a profile, which may take long.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/optimize_files.h"
#include "export/code.h"
#include "result/resultfile.h"
#include "util/failure.h"
#include "util/objectfile.h"

static bool is_executable_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* Return: the path of a command, as execvp(3) finds it; NULL: it is not there. */
static char *find(const char *name)
{
	const char *path = getenv("PATH");
	char *found = NULL, *file;
	size_t length;

	if (strchr(name, '/') || !*name)
		return realpath(name, NULL);
	if (!path)
		path = "/bin:/usr/bin";
	for (;;) {
		length = strcspn(path, ":");
		/* an empty one is the current directory */
		if (asprintf(&file, "%.*s%s%s", (int)length, path, length ? "/" : "", name) < 0)
			failure_exit(EXIT_NO_RESULT, name, ENOMEM);
		if (is_executable_file(file))
			found = realpath(file, NULL);
		free(file);
		if (found || !path[length])
			return found;
		path += length + 1;
	}
}

static void check_program(const char *path, bool needs_relocations)
{
	const char *problem;
	int fd = objectfile_open(path, &problem);
	int error = 0;
	Elf *elf;

	if (fd < 0)
		failure_exitx(EXIT_NO_RESULT, "%s: %s (%s): name a program that you may read and execute",
			      path, problem, strerrorname_np(errno));
	if (access(path, X_OK))
		failure_exitx(EXIT_NO_RESULT, "%s: %s (%s): make it executable: chmod +x", path,
			      strerror(errno), strerrorname_np(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		failure_exitx(EXIT_NO_RESULT, "%s: it is no executable program, but perhaps a script (ENOEXEC): name the program that it runs",
			      path);
	/* a linker needs names, which the result has */
	if (needs_relocations)
		error = code_check_file(path, elf, CODE_RELOCATIONS);
	elf_end(elf);
	close(fd);
	if (error)
		exit(EXIT_NO_RESULT);
}

char *optimize_find_program(const char *name, bool needs_relocations)
{
	char *program = find(name);

	if (!program)
		failure_exitx(EXIT_NO_RESULT, "%s: command not found (ENOENT): give its path, or correct PATH",
			      name);
	check_program(program, needs_relocations);
	return program;
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat a, b;

	return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

char *optimize_absolute_path(const char *path)
{
	const char *const slash = strrchr(path, '/');
	const char *const name = slash ? slash + 1 : path;
	char *before = strndup(path, (size_t)(name - path));
	char *directory = before ? realpath(*before ? before : ".", NULL) : NULL;
	char *absolute;

	if (!directory)
		failure_exit(EXIT_NO_RESULT, path, errno);
	if (asprintf(&absolute, "%s%s%s", directory, strcmp(directory, "/") ? "/" : "", name) < 0)
		failure_exit(EXIT_NO_RESULT, path, ENOMEM);
	free(directory);
	free(before);
	return absolute;
}

void optimize_check_new(const char *path, const char *program, const char *profile)
{
	struct stat st;
	int error;

	if (is_same_file(program, path))
		failure_exitx(EXIT_NO_RESULT, "%s is the program itself (EINVAL): name another file with --output",
			      path);
	if (profile && is_same_file(profile, path))
		failure_exitx(EXIT_NO_RESULT, "%s is the result of --profile (EINVAL): name another file with --output",
			      path);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		failure_exitx(EXIT_NO_RESULT, "%s is not a regular file (EINVAL): name another file with --output",
			      path);
	error = resultfile_try(path);
	if (error)
		failure_exit(EXIT_NO_RESULT, path, -error);
}
