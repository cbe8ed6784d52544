// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The functions that static programs compiled with -pg call. The C library's of the
 * same names are in the program too, and cannot be there twice: so the linker has to be
 * told (--wrap, libprofil(3)), and then looks for these ones, and has the others as
 * __real_.
 */
#include "gmon/gmon.h"

void __real___monstartup(unsigned long low, unsigned long high);
void __real_moncontrol(int mode);
void __real__mcleanup(void);
/* profil() inside a static C library: see fallback.c */
int __profil(unsigned short *buf, size_t bufsiz, size_t offset,
	     unsigned int scale);

void __wrap___monstartup(unsigned long low, unsigned long high);
void __wrap_monstartup(unsigned long low, unsigned long high);
void __wrap_moncontrol(int mode);
void __wrap__mcleanup(void);

static const struct profil_gmon_libc libc = {
	.monstartup = __real___monstartup,
	.moncontrol = __real_moncontrol,
	.mcleanup = __real__mcleanup,
	.profil = __profil,
};

void __wrap___monstartup(unsigned long low, unsigned long high)
{
	profil_gmon_startup(&libc, low, high);
}

void __wrap_monstartup(unsigned long low, unsigned long high)
{
	profil_gmon_startup(&libc, low, high);
}

void __wrap_moncontrol(int mode)
{
	profil_gmon_control(&libc, mode);
}

void __wrap__mcleanup(void)
{
	profil_gmon_cleanup(&libc);
}
