/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_DEVICE_H
#define PROFIL_DEVICE_H

#include <linux/profil.h>

#define PROFIL_DEVICE	"/dev/profil"

/*
 * Open the device for as long as the calls of one library function take: no
 * descriptor stays behind in the program. Return: descriptor, or -errno.
 */
int profil_device_open(void);

/*
 * One command on an open device, started over after signals. Return: 0, or
 * -errno, as <linux/profil.h> lists it.
 */
int profil_device_call(int fd, unsigned long command, void *arg);

/* Leaves errno as it is. */
void profil_device_close(int fd);

/* What to do about an errno of profil_device_open(), as half a sentence. */
const char *profil_device_remedy(int error);

#endif /* PROFIL_DEVICE_H */
