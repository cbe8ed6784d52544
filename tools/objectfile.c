// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files that code was loaded from.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "objectfile.h"

char *objectfile_below(const char *root, const char *path)
{
	char *whole;

	if (!root)
		return strdup(path);
	if (asprintf(&whole, "%s%s%s", root, path[0] == '/' ? "" : "/", path) < 0)
		return NULL;
	return whole;
}

int objectfile_open(const char *path, const char **problem)
{
	struct stat st;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		*problem = strerror(errno);
		return -1;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		*problem = "not a regular file";
		close(fd);
		return -1;
	}
	return fd;
}

size_t objectfile_build_id(Elf *elf, unsigned char *id, size_t room)
{
	const void *found;
	ssize_t bytes = dwelf_elf_gnu_build_id(elf, &found);

	if (bytes <= 0 || (size_t)bytes > room)
		return 0;
	memcpy(id, found, (size_t)bytes);
	return (size_t)bytes;
}
