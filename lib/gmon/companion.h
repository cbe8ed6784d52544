/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_COMPANION_H
#define PROFIL_GMON_COMPANION_H

#include <stdbool.h>

#include "gmon/object.h"

/* Whether the user asks for a companion: PROFIL_GMON_KEEP. */
bool profil_gmon_companion_wanted(void);

/*
 * Create the memory that a companion shares. bytes: its size; profile: its first contents, or NULL.
 * Return: 0; or -errno, which is printed. *fd receives the file that the program must map and
 * then close.
 */
int profil_gmon_companion_prepare(size_t bytes, const struct profil_gmon_profile *profile, int *fd);

/*
 * Start the companion. The program has mapped the memory, and has closed the file. Return: 0; or
 * -errno, which is printed.
 */
int profil_gmon_companion_start(struct profil_gmon_profile *profile);

/*
 * Whether this process has a companion that is alive. If so, the program must replace its memory,
 * and then call profil_gmon_companion_wait().
 */
bool profil_gmon_companion_alive(void);

/* Wait until the companion has written the files. Errors are printed. */
void profil_gmon_companion_wait(void);

/* In a forked child: the companion is the parent's. */
void profil_gmon_companion_forget(void);

#endif /* PROFIL_GMON_COMPANION_H */
