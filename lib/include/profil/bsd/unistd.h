/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <unistd.h> of a program written for 4.4BSD: the C library's, with that system's profil().
 * Define PROFIL_PAGE_TYPES if the source also declares profil(), as the manual page does.
 */
#ifndef PROFIL_BSD_UNISTD_H
#define PROFIL_BSD_UNISTD_H

#pragma GCC system_header	/* for include_next */

#define PROFIL_DIALECT_HEADERS
#define profil profil_of_the_c_library
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

#ifdef PROFIL_PAGE_TYPES
/* As in profil(2), BSD Experimental; defined in libprofil-bsd */
extern int profil(char *samples, int size, int offset, int scale);
#else
/* With 64-bit size and offset, for any address; defined in libprofil */
extern int profil(char *samples, size_t size, unsigned long offset,
		  unsigned int scale) __asm__("profil_bsd");
#endif

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_BSD_UNISTD_H */
