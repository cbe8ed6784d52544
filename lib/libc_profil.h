/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The C library's own profil(), which libprofil's function of that name hides.
 */
#ifndef PROFIL_LIBC_PROFIL_H
#define PROFIL_LIBC_PROFIL_H

#include <stddef.h>

typedef int profil_libc_profil(unsigned short *buf, size_t bufsiz, size_t offset,
			       unsigned int scale);

/* Returns NULL if the C library has none. */
profil_libc_profil *profil_libc_function(void);

/* The same; but a static program that contains a call of this has the C library's, too. */
profil_libc_profil *profil_libc_needed(void);

#endif /* PROFIL_LIBC_PROFIL_H */
