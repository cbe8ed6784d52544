/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick clock.
 */
#ifndef _PROFIL_TICK_H
#define _PROFIL_TICK_H

extern const struct profil_hook_ops profil_tick_hook;

void profil_tick_init(void);
void profil_tick_exit(void);

#endif /* _PROFIL_TICK_H */
