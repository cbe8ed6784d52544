// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The descriptor of /dev/profil that stays open while a profile runs. Stopping a profile needs
 * the device, and by then the program may have used up its descriptors, changed its root
 * directory or user, or disabled open() by a seccomp filter.
 *
 * An ioctl acts on the calling process, not on the process that opened the device. A forked
 * child therefore uses the descriptor that it inherits.
 *
 * The program may close this descriptor, and its number may then be reused for another file.
 * Each use therefore checks that the number still refers to the library's file: the same device,
 * with a file status flag set that the driver ignores and other users do not set. If not, the
 * device is opened again, and the old number is left to the program. A program that closes the
 * descriptor in one thread while another thread is in the library is not protected.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "device_fd.h"
#include "guard.h"

/* Distinguishes the library's file from one that the program opened for the same device */
#define MARK	O_NONBLOCK

/*
 * High enough for programs that expect the lowest free number; below 256, because the kernel
 * allocates a larger descriptor table for numbers from there on
 */
#define LOWEST_NUMBER	200

/* Protected by profil_guard_device */
static struct {
	int fd;		/* -1: none */
	dev_t device;
} own = { .fd = -1 };

/* Whether the number still refers to the library's file. */
static bool is_open(void)
{
	struct stat stat;
	int flags;

	if (own.fd < 0 || fstat(own.fd, &stat) || !S_ISCHR(stat.st_mode) ||
	    stat.st_rdev != own.device)
		return false;
	flags = fcntl(own.fd, F_GETFL);
	return flags >= 0 && (flags & MARK);
}

/* Move the descriptor to a high number. Return: the number; @fd if there is no free one. */
static int move_away(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_NUMBER);

	/* a program that has closed its standard streams may open files with their numbers */
	if (moved < 0 && fd <= STDERR_FILENO)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (moved < 0)
		return fd;
	profil_device_close(fd);
	return moved;
}

/* Make this descriptor the one that stays open. */
static void keep_open(int fd)
{
	struct stat stat;
	int flags;

	fd = move_away(fd);
	flags = fcntl(fd, F_GETFL);
	if (fstat(fd, &stat) || flags < 0 || fcntl(fd, F_SETFL, flags | MARK)) {
		/* without the mark, is_open() would not recognize it later */
		profil_device_close(fd);
		return;
	}
	own.device = stat.st_rdev;
	own.fd = fd;
}

int profil_device_fd_get(struct profil_device_fd *device)
{
	device->saved_errno = errno;
	profil_guard_enter(&profil_guard_device, &device->before);
	device->stays_open = is_open();
	/* a child of vfork() must not change @own, which describes its parent's table */
	if (!device->stays_open && profil_guard_is_own_process())
		own.fd = -1;
	device->fd = device->stays_open ? own.fd : profil_device_open();
	return device->fd;
}

void profil_device_fd_put(struct profil_device_fd *device, bool keep)
{
	if (!profil_guard_is_own_process()) {
		if (device->fd >= 0 && !device->stays_open)
			profil_device_close(device->fd);
	} else if (device->fd >= 0 && !keep) {
		profil_device_close(device->fd);
		own.fd = -1;
	} else if (device->fd >= 0 && !device->stays_open) {
		keep_open(device->fd);
	}
	errno = device->saved_errno;
	profil_guard_leave(&profil_guard_device, &device->before);
}
