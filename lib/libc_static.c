// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The C library's profil() in a static program: part of libprofil.a. There the name profil is a
 * weak alias of __profil, which libprofil overrides. __profil is weak here, so that a program
 * whose C library lacks it still links.
 */
#include "libc_profil.h"

extern profil_libc_profil __profil __attribute__((weak));

profil_libc_profil *profil_libc_function(void)
{
	return __profil;
}
