// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The functions that static programs compiled with -pg call. The program also contains the C
 * library's functions with these names, so it must be linked with --wrap (profil-pg(7)): the
 * linker then resolves calls to __wrap_NAME, and __real_NAME to the C library's function.
 */
#include "gmon/gmon.h"

void __real___monstartup(unsigned long low, unsigned long high);
void __real_moncontrol(int mode);
void __real__mcleanup(void);
profil_libc_profil __profil;	/* see libc_static.c */

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
