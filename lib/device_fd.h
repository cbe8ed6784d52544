/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_DEVICE_FD_H
#define PROFIL_DEVICE_FD_H

#include <signal.h>
#include <stdbool.h>

/**
 * struct profil_device_fd - the device, during one call of the library
 * @fd:          descriptor, or -errno
 * @stays_open:  whether @fd is the descriptor that stays open while a profile runs
 * @saved_errno: errno before the call
 * @signals:     signal mask of the thread before the call
 */
struct profil_device_fd {
	int fd;
	bool stays_open;
	int saved_errno;
	sigset_t signals;
};

/*
 * Get a descriptor of the device: the one that stays open, or a new one. Until
 * profil_device_fd_put(), which must always follow, no other thread gets it, no thread forks,
 * and the caller's signals are blocked. Not a cancellation point. Return: descriptor or -errno.
 */
int profil_device_fd_get(struct profil_device_fd *device);

/*
 * Release the descriptor. keep: whether a profile runs, so that the descriptor must stay open;
 * otherwise it is closed. Restores errno.
 */
void profil_device_fd_put(struct profil_device_fd *device, bool keep);

#endif /* PROFIL_DEVICE_FD_H */
