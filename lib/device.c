// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opens /dev/profil; no other file does. It uses system calls directly, because open() and
 * close() are cancellation points, and profil() must not be one: a thread that is cancelled in it
 * would leave locks of the library behind.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"
#include "node.h"

int profil_device_open(void)
{
	int saved = errno;
	int fd;

	do {
		fd = (int)syscall(SYS_openat, AT_FDCWD, PROFIL_DEVICE,
				  O_RDWR | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	} while (fd == -EINTR);
	errno = saved;
	return fd;
}

int profil_device_call(int fd, unsigned long command, void *arg)
{
	int saved = errno;
	int error;

	do {
		error = ioctl(fd, command, arg) < 0 ? -errno : 0;
	} while (error == -EINTR);
	errno = saved;
	return error;
}

void profil_device_close(int fd)
{
	int saved = errno;

	syscall(SYS_close, fd);
	errno = saved;
}

bool profil_device_is_missing(int error)
{
	return error == ENOENT || error == ENXIO || error == ENODEV;
}

const char *profil_device_remedy(int error)
{
	struct profil_node node;

	profil_node_look(&node);
	return profil_node_remedy(&node, error);
}

const char *profil_device_start_remedy(int error)
{
	switch (error) {
	case EINVAL:
	case EPERM:
		return "unset PROFIL_RATE or set it to a rate that the kernel offers";
	case ENOSPC:
		return "the user's limit is reached: stop other profiles, or raise max_user_sessions or max_user_regions, see profil(4)";
	case EOPNOTSUPP:
		return "ftrace is switched off: sysctl kernel.ftrace_enabled=1";
	default:
		return "see profil(4) and dmesg";
	}
}
