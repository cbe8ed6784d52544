// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The C library's profil() in a static program that needs it: unlike libc_static.c, this makes the
 * linker take it from the C library's archive.
 */
#include <features.h> /* __GLIBC__ */
#include <stddef.h>

#include "libc_profil.h"

#ifdef __GLIBC__
profil_libc_profil __profil;

profil_libc_profil *profil_libc_needed(void)
{
	return __profil;
}
#else
profil_libc_profil *profil_libc_needed(void)
{
	return NULL;
}
#endif
