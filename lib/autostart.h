/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_AUTOSTART_H
#define PROFIL_AUTOSTART_H

#include <stdbool.h>

/*
 * Whether this process's profile is the profil command's, or will be once it has come
 * to our constructor.
 */
bool profil_autostart_has_profile(void);

#endif /* PROFIL_AUTOSTART_H */
