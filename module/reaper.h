/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_REAPER_H
#define _PROFIL_REAPER_H

/* Any context. */
void profil_reaper_start(void);

/* May sleep. */
void profil_reaper_exit(void);

#endif /* _PROFIL_REAPER_H */
