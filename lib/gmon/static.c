// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The functions that static programs compiled with -pg call. The linker finds them before those of
 * the C library.
 */
#include "gmon/gmon.h"
#include "libc_profil.h"

void __monstartup(unsigned long low, unsigned long high);
void monstartup(unsigned long low, unsigned long high) __attribute__((alias("__monstartup")));
void moncontrol(int mode);
void _mcleanup(void);

#ifdef __GLIBC__
/* So that the program contains it: libc_static.c refers to it weakly. */
profil_libc_profil __profil;
static profil_libc_profil *const fallback __attribute__((used)) = __profil;
#endif

void __monstartup(unsigned long low, unsigned long high)
{
	profil_gmon_startup(low, high);
}

void moncontrol(int mode)
{
	profil_gmon_control(mode);
}

void _mcleanup(void)
{
	profil_gmon_cleanup();
}
