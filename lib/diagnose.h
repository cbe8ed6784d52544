/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_DIAGNOSE_H
#define PROFIL_DIAGNOSE_H

#include <stdbool.h>

/*
 * Print on stderr, once per process, that the device could not be opened (error: errno), the
 * remedy, and the consequence. Preserves errno.
 */
void profil_diagnose_open(int error, const char *consequence);

/* Whether profil_diagnose_open() has printed this errno. */
bool profil_diagnose_has_reported(int error);

#endif /* PROFIL_DIAGNOSE_H */
