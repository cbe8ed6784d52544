// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens files that code was loaded from.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "util/objectfile.h"

#define FLAGS	(O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Return: @fd if it is a regular file; else -1 with errno, and @fd is closed. */
static int check_regular(int fd, const char **problem)
{
	struct stat st;

	if (fd < 0) {
		*problem = strerror(errno);
		return -1;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		*problem = "not a regular file";
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

int objectfile_open(const char *path, const char **problem)
{
	return check_regular(open(path, FLAGS), problem);
}

int objectfile_open_below(const char *root, const char *path, const char **problem)
{
	struct open_how how = { .flags = FLAGS, .resolve = RESOLVE_IN_ROOT };
	int directory, fd, error;

	if (!root)
		return objectfile_open(path, problem);
	directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return check_regular(-1, problem);
	fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof(how));
	error = errno;
	close(directory);
	errno = error;
	/* a kernel before 5.6, or a seccomp filter that does not allow openat2() */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
		*problem = "openat2(2), which keeps paths below the root, is not available: it requires Linux 5.6 and a seccomp filter that allows it";
		return -1;
	}
	return check_regular(fd, problem);
}

bool objectfile_is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, ELFMAG, SELFMAG);
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
