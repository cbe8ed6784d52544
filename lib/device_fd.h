/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_DEVICE_FD_H
#define PROFIL_DEVICE_FD_H

#include <signal.h>
#include <stdbool.h>

/**
 * struct profil_device_fd - the device, for the length of one call of the library
 * @fd:      descriptor, or -errno
 * @kept:    whether it is the one that the process keeps
 * @error:   errno before the call
 * @signals: the signals that the thread blocked before
 */
struct profil_device_fd {
	int fd;
	bool kept;
	int error;
	sigset_t signals;
};

/*
 * Get the device for some commands: by the descriptor that is kept, or else opened. Until
 * profil_device_fd_put(), which has to follow in any case, no other thread gets it, and none
 * forks; signals wait. There is no cancellation point in it. Return: descriptor, or
 * -errno.
 */
int profil_device_fd_get(struct profil_device_fd *device);

/*
 * Give it back. keep: whether a profile runs, so that the descriptor stays open, for the
 * commands that end it; else it is closed. errno is what it was before.
 */
void profil_device_fd_put(struct profil_device_fd *device, bool keep);

#endif /* PROFIL_DEVICE_FD_H */
