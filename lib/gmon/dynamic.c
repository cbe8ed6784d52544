// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The functions that programs compiled with -pg call: in dynamic programs, they replace those of
 * the C library. static.c has the functions for static programs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/gmon.h>

#include "gmon/gmon.h"

/* Called by gcrt1.o; programs call the same function by the name monstartup(). */
void __monstartup(unsigned long low, unsigned long high);
/* The C library defines it, but does not declare it. */
void moncontrol(int mode);

static const struct profil_gmon_libc *libc(void)
{
	static struct profil_gmon_libc functions;

	if (!functions.profil) {
		*(void **)&functions.monstartup = dlsym(RTLD_NEXT, "__monstartup");
		*(void **)&functions.moncontrol = dlsym(RTLD_NEXT, "moncontrol");
		*(void **)&functions.mcleanup = dlsym(RTLD_NEXT, "_mcleanup");
		functions.profil = profil_libc_function();
	}
	return &functions;
}

void __monstartup(unsigned long low, unsigned long high)
{
	profil_gmon_startup(libc(), low, high);
}

void monstartup(unsigned long low, unsigned long high)
	__attribute__((alias("__monstartup")));

void moncontrol(int mode)
{
	profil_gmon_control(libc(), mode);
}

void _mcleanup(void)
{
	profil_gmon_cleanup(libc());
}
