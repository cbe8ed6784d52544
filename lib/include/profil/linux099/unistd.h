/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <unistd.h> of a program written for Linux 0.99: the C library's, with the profil()
 * of that system in place of the C library's own. Source that has the page's declaration
 * too is compiled with PROFIL_PAGE_TYPES.
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
/* As the page declares it, profil(2), Linux 0.99.11: in libprofil-linux099 */
extern int profil(char *buf, int bufsiz, int offset, int scale);
#else
/* With an offset of 64 bits, which holds any address: in libprofil */
extern int profil(char *buf, int bufsiz, unsigned long offset, int scale)
	__asm__("profil_linux099");
#endif

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_LINUX099_UNISTD_H */
