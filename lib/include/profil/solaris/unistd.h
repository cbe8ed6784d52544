/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <unistd.h> of a program written for OpenSolaris: the C library's, with the profil()
 * of that system in place of the C library's own.
 */
#ifndef PROFIL_SOLARIS_UNISTD_H
#define PROFIL_SOLARIS_UNISTD_H

#pragma GCC system_header	/* for include_next */

#define PROFIL_DIALECT_HEADERS
#define profil profil_of_the_c_library
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

/* profil(2), SunOS 5.11; offset is widened to hold any address */
extern void profil(unsigned short *buff, size_t bufsiz, unsigned long offset,
		   unsigned int scale) __asm__("profil_solaris");

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_SOLARIS_UNISTD_H */
