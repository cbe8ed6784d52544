/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <unistd.h> of a program written for AIX: the C library's without profil(), which <mon.h>
 * declares.
 */
#ifndef PROFIL_AIX_UNISTD_H
#define PROFIL_AIX_UNISTD_H

#pragma GCC system_header	/* for include_next */

#define PROFIL_DIALECT_HEADERS
#define profil profil_of_the_c_library
#include_next <unistd.h>
#undef profil

#endif /* PROFIL_AIX_UNISTD_H */
