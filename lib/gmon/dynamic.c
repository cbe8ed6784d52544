// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The functions that programs compiled with -pg call: in dynamic programs, they replace those of
 * the C library. static.c has the functions for static programs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gmon/gmon.h"

/* Called by gcrt1.o; programs call the same function by the name monstartup(). */
void __monstartup(unsigned long low, unsigned long high);
void monstartup(unsigned long low, unsigned long high) __attribute__((alias("__monstartup")));
/* The C library defines these, but not each one declares them. */
void moncontrol(int mode);
void _mcleanup(void);

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

/*
 * With a companion, the files are complete when the process has ended, as after exit().
 * quick_exit() does not come here: its files follow.
 */
void _exit(int status)
{
	profil_gmon_exit();
	for (;;)
		syscall(SYS_exit_group, status);
}

void _Exit(int status) __attribute__((alias("_exit")));

/* Unlike dlopen(), it does not depend on its caller, so it can be wrapped. */
int dlclose(void *handle)
{
	static int (*_Atomic real)(void *handle);
	int (*function)(void *handle) = atomic_load(&real);
	int failed;

	if (!function) {
		*(void **)&function = dlsym(RTLD_NEXT, "dlclose");
		atomic_store(&real, function);
	}
	failed = function(handle);
	if (!failed)
		profil_gmon_unloaded();
	return failed;
}
