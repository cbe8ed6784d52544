/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick clock.
 */
#ifndef _PROFIL_TICK_H
#define _PROFIL_TICK_H

/* May sleep. Called by hooks.c. */
int profil_tick_attach(void);
void profil_tick_detach(void);

void profil_tick_exit(void);

#endif /* _PROFIL_TICK_H */
