/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_DEVICE_H
#define PROFIL_DEVICE_H

#include <linux/profil.h>
#include <stdbool.h>

#define PROFIL_DEVICE	"/dev/profil"

/*
 * None of these changes errno: where a profil() returns nothing, it alone tells of
 * errors (ioctl.h, profil_ioctl_return()).
 */

/* Open the device. Return: descriptor, which is closed on exec; or -errno. */
int profil_device_open(void);

/*
 * One command on an open device, started over after signals. Return: 0, or
 * -errno, as <linux/profil.h> lists it.
 */
int profil_device_call(int fd, unsigned long command, void *arg);

void profil_device_close(int fd);

/* Whether this errno of profil_device_open() says that there is no such device. */
bool profil_device_is_missing(int error);

/* What to do about an errno of profil_device_open(), as half a sentence. */
const char *profil_device_remedy(int error);

/* The same of one of PROFIL_IOC_START. */
const char *profil_device_start_remedy(int error);

#endif /* PROFIL_DEVICE_H */
