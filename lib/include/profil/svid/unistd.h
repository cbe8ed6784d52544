/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <unistd.h> of a program written for System V or an older Unix: the C library's, with the profil()
 * of those systems. Define PROFIL_PAGE_TYPES if the source also declares profil(), as the manual
 * page does.
 */
#ifndef PROFIL_SVID_UNISTD_H
#define PROFIL_SVID_UNISTD_H

#pragma GCC system_header	/* for include_next */

#define PROFIL_DIALECT_HEADERS
#define profil profil_of_the_c_library
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

#ifdef PROFIL_PAGE_TYPES
/* As in profil(2), Unix V7, HP-UX 5.20 and Ultrix; defined in libprofil-svid */
extern void profil(char *buff, int bufsiz, int offset, int scale);
#else
/* With 64-bit size and offset, for any address; defined in libprofil */
extern void profil(void *buff, size_t bufsiz, unsigned long offset, unsigned int scale)
	__asm__("profil_svid");
#endif

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_SVID_UNISTD_H */
