// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The C library's profil() in a dynamic program: part of libprofil.so. musl has none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef __GLIBC__
#include <gnu/lib-names.h>
#endif

#include "libc_profil.h"

#ifdef LIBC_SO
profil_libc_profil *profil_libc_function(void)
{
	static _Atomic(profil_libc_profil *) found;
	profil_libc_profil *function = atomic_load(&found);
	void *libc;

	if (function)
		return function;
	/*
	 * By name: the C library comes before or after libprofil in the search order. It is not
	 * closed: it stays loaded, and dlclose() is that of gmon/dynamic.c, which takes a lock.
	 */
	libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
	if (libc)
		*(void **)&function = dlsym(libc, "profil");
	atomic_store(&found, function);
	return function;
}
#else
profil_libc_profil *profil_libc_function(void)
{
	return NULL;
}
#endif

profil_libc_profil *profil_libc_needed(void)
{
	return profil_libc_function();
}
