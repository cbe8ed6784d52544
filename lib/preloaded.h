/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_PRELOADED_H
#define PROFIL_PRELOADED_H

#include <stdbool.h>

/*
 * Whether the profil command profiles this process, or will when the constructor of
 * libprofil-run.so has run. Defined by libprofil-run.so, which the command preloads; declare it
 * weak, since other programs do not have it.
 */
bool profil_run_has_profile(void);

#endif /* PROFIL_PRELOADED_H */
