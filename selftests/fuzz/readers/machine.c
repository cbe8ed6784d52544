// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine as the fuzzed code sees it, which is the same everywhere: libFuzzer copies values that
 * this code compares into inputs, and keeps inputs that make it take other paths. There is no file
 * but those that a reader makes in memory.
 *
 * These replace functions of the C library (--wrap).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

int __real_open64(const char *path, int flags);
int __real_fstat64(int fd, struct stat *state);

int __wrap_open64(const char *path, int flags);
int __wrap_stat64(const char *path, struct stat *state);
int __wrap_fstat64(int fd, struct stat *state);
int __wrap_statx(int directory, const char *path, int flags, unsigned int mask,
		 struct statx *state);
int __wrap_getrlimit64(int resource, struct rlimit *limit);
int __wrap_uname(struct utsname *name);
void *__wrap_dlopen(const char *path, int flags);

int __wrap_open64(const char *path, int flags)
{
	if (!strncmp(path, "/proc/self/fd/", strlen("/proc/self/fd/")))
		return __real_open64(path, flags);
	errno = ENOENT;
	return -1;
}

int __wrap_stat64(const char *path, struct stat *state)
{
	(void)path;
	(void)state;
	errno = ENOENT;
	return -1;
}

/* Without times, and on another device. */
int __wrap_fstat64(int fd, struct stat *state)
{
	int error = __real_fstat64(fd, state);

	if (!error)
		*state = (struct stat){
			.st_dev = makedev(0, 1),
			.st_ino = 1,
			.st_mode = state->st_mode,
			.st_nlink = state->st_nlink,
			.st_size = state->st_size,
		};
	return error;
}

/* All files are on one mount. */
int __wrap_statx(int directory, const char *path, int flags, unsigned int mask, struct statx *state)
{
	(void)directory;
	(void)path;
	(void)flags;
	*state = (struct statx){ .stx_mask = mask, .stx_mnt_id = 1 };
	return 0;
}

int __wrap_getrlimit64(int resource, struct rlimit *limit)
{
	(void)resource;
	*limit = (struct rlimit){ 1024, 1024 };
	return 0;
}

int __wrap_uname(struct utsname *name)
{
	*name = (struct utsname){
		.sysname = "Linux", .nodename = "host", .release = "6.1", .machine = "x86_64",
	};
	return 0;
}

/* No library that may be installed or not */
void *__wrap_dlopen(const char *path, int flags)
{
	(void)path;
	(void)flags;
	return NULL;
}
