// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions of the C library that are replaced in dynamic programs only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gmon/gmon.h"

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
