/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <unistd.h> of a program written for Linux 0.99: the C library's, with that system's profil().
 * Define PROFIL_PAGE_TYPES if the source also declares profil(), as the manual page does.
 */
#ifndef PROFIL_LINUX099_UNISTD_H
#define PROFIL_LINUX099_UNISTD_H

#pragma GCC system_header	/* for include_next */

#define PROFIL_DIALECT_HEADERS
#define profil profil_of_the_c_library
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

#ifdef PROFIL_PAGE_TYPES
/* As in profil(2), Linux 0.99.11; defined in libprofil-linux099 */
extern int profil(char *buf, int bufsiz, int offset, int scale);
#else
/* With a 64-bit offset, for any address; defined in libprofil */
extern int profil(char *buf, int bufsiz, unsigned long offset, int scale)
	__asm__("profil_linux099");
#endif

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_LINUX099_UNISTD_H */
