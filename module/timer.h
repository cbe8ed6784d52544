/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The timer clocks.
 */
#ifndef _PROFIL_TIMER_H
#define _PROFIL_TIMER_H

/* May sleep. */
void profil_timer_start(void);

/* May sleep. Called by hooks.c. */
int profil_timer_attach(void);
void profil_timer_detach(void);

void profil_timer_init(void);

#endif /* _PROFIL_TIMER_H */
