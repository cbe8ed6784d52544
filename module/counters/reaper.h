/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds sessions whose address space ended without a notifier.
 */
#ifndef _PROFIL_REAPER_H
#define _PROFIL_REAPER_H

/* Any context. */
void profil_reaper_start(void);

/* May sleep. */
void profil_reaper_exit(void);

#endif /* _PROFIL_REAPER_H */
