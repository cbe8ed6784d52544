/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_DEVICE_FD_H
#define PROFIL_DEVICE_FD_H

#include <stdbool.h>

#include "guard.h"

/**
 * struct profil_device_fd - the device, during one call of the library
 * @fd:          descriptor, or -errno
 * @stays_open:  whether @fd is the descriptor that stays open while a profile runs
 * @saved_errno: errno before the call
 * @before:      the thread's signals and cancel state before the call
 */
struct profil_device_fd {
	int fd;
	bool stays_open;
	int saved_errno;
	struct profil_guard_before before;
};

/*
 * Get a descriptor of the device: the one that stays open, or a new one. Until
 * profil_device_fd_put(), which must always follow, the caller is in profil_guard_device. Not a
 * cancellation point. Return: descriptor or -errno.
 */
int profil_device_fd_get(struct profil_device_fd *device);

/*
 * Release the descriptor. keep: whether a profile runs, so that the descriptor must stay open;
 * otherwise it is closed. Restores errno.
 */
void profil_device_fd_put(struct profil_device_fd *device, bool keep);

#endif /* PROFIL_DEVICE_FD_H */
