/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_PRELOADED_H
#define PROFIL_PRELOADED_H

#include <stdbool.h>

/*
 * What libprofil.so asks libprofil-run.so, which the profil command preloads and which
 * defines it: whether the profile of this process is the command's, or will be once that
 * library's constructor has run. In other programs there is no such function.
 */
bool profil_run_has_profile(void);

#endif /* PROFIL_PRELOADED_H */
