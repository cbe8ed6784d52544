// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where the dynamic library finds the C library's profil(): behind its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "fallback.h"

profil_fallback_function *profil_fallback_find(void)
{
	profil_fallback_function *function = NULL;

	*(void **)&function = dlsym(RTLD_NEXT, "profil");
	return function;
}
