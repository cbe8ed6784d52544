/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctls of /dev/profil.
 */
#ifndef _PROFIL_DEVICE_H
#define _PROFIL_DEVICE_H

int profil_device_init(void);
void profil_device_exit(void);

#endif /* _PROFIL_DEVICE_H */
