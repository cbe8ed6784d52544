/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_AUTOSTART_H
#define PROFIL_AUTOSTART_H

#include <stddef.h>

/*
 * For those who hear of what the program does (interpose.c). errno stays as it is.
 * These two may not be called where malloc() may not: each starts the profile again, if
 * there is one, and news; or earlier news, for which it could not be started then.
 */

/* Something may have been loaded or unloaded. */
void profil_autostart_loaded(void);

/* The program has made code in these bytes. */
void profil_autostart_made(const void *start, size_t bytes);

/*
 * And these are for signal handlers too, and do nothing in a child that runs in its
 * parent's memory (vfork()).
 */

/* The process ends, or executes another program: tell what its profile came to. */
void profil_autostart_end(void);

/* It does not: the other program could not be executed. */
void profil_autostart_go_on(void);

#endif /* PROFIL_AUTOSTART_H */
