/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_RUN_LIBC_H
#define PROFIL_RUN_LIBC_H

#include <stdbool.h>

/*
 * Programs that followed ones execute have LD_PRELOAD in their environment, whichever C
 * library they are for. musl's dynamic linker loads what is there, takes its own library
 * for libc.so.6, and ends the program if a symbol is missing then. So what only the GNU C
 * library has is weak, and is used only where profil_is_for_libc().
 */
extern const char *gnu_get_libc_version(void) __attribute__((weak));
#pragma weak dladdr1
#pragma weak strerrordesc_np
#pragma weak strerrorname_np

static inline bool profil_is_for_libc(void)
{
	return gnu_get_libc_version;
}

/* What pthread_atfork() is, which each library has its own copy of, that is not weak */
int __register_atfork(void (*before)(void), void (*after)(void), void (*in_child)(void),
		      void *library) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static inline int profil_atfork(void (*before)(void), void (*after)(void),
				void (*in_child)(void))
{
	return __register_atfork(before, after, in_child, __dso_handle);
}

#endif /* PROFIL_RUN_LIBC_H */
