// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The C library's profil() in a dynamic program: part of libprofil.so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gnu/lib-names.h>

#include "libc_profil.h"

profil_libc_profil *profil_libc_function(void)
{
	profil_libc_profil *function = NULL;
	/* by name: the C library comes before or after libprofil in the search order */
	void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);

	if (libc) {
		*(void **)&function = dlsym(libc, "profil");
		dlclose(libc);
	}
	return function;
}
