/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_DEVICE_H
#define PROFIL_DEVICE_H

#include <linux/profil.h>
#include <stdbool.h>

#define PROFIL_DEVICE	"/dev/profil"

/*
 * None of these functions changes errno: some dialects' profil() returns nothing, and so reports
 * an error only by errno, see profil_ioctl_return().
 */

/* Open the device, close-on-exec. Return: descriptor or -errno. */
int profil_device_open(void);

/* ioctl(), restarted after signals. Return: 0 or -errno, see <linux/profil.h>. */
int profil_device_call(int fd, unsigned long command, void *arg);

void profil_device_close(int fd);

/* Whether an errno of profil_device_open() means that the device does not exist. */
bool profil_device_is_missing(int error);

/* The remedy for an errno of profil_device_open(), as a clause for a message. */
const char *profil_device_remedy(int error);

/* The remedy for an errno of PROFIL_IOC_START, in the same form. */
const char *profil_device_start_remedy(int error);

#endif /* PROFIL_DEVICE_H */
