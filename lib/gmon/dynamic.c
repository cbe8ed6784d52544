// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The functions that programs compiled with -pg call, in place of the C library's of
 * the same names: in dynamic programs. static.c has those of static ones.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/gmon.h>

#include "gmon/gmon.h"
#include "preloaded.h"

/* It is there if the profil command has preloaded its library. */
#pragma weak profil_run_has_profile

/* What gcrt1.o calls; monstartup() is for programs. They are the same. */
void __monstartup(unsigned long low, unsigned long high);
/* The C library declares it nowhere. */
void moncontrol(int mode);

static const struct profil_gmon_libc *libc(void)
{
	static struct profil_gmon_libc functions;

	if (!functions.profil) {
		*(void **)&functions.monstartup = dlsym(RTLD_NEXT, "__monstartup");
		*(void **)&functions.moncontrol = dlsym(RTLD_NEXT, "moncontrol");
		*(void **)&functions.mcleanup = dlsym(RTLD_NEXT, "_mcleanup");
		*(void **)&functions.profil = dlsym(RTLD_NEXT, "profil");
	}
	return &functions;
}

void __monstartup(unsigned long low, unsigned long high)
{
	/* who calls the profil command wants its report: gmon.out stays as it is */
	if (profil_run_has_profile && profil_run_has_profile())
		libc()->monstartup(low, high);
	else
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
