// SPDX-License-Identifier: GPL-2.0-only
/*
 * Version and kind of the running kernel, from uname(2).
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "kernel/version.h"

bool kernel_is_before(int major, int minor)
{
	int own_major = 0, own_minor = 0;
	struct utsname kernel;

	uname(&kernel);
	if (sscanf(kernel.release, "%d.%d", &own_major, &own_minor) != 2)
		return false;
	return own_major < major || (own_major == major && own_minor < minor);
}

bool kernel_is_realtime(void)
{
	struct utsname kernel;

	uname(&kernel);
	return strstr(kernel.version, "PREEMPT_RT");
}

int figured_kernel(void)
{
	if (!kernel_is_before(6, 1) && kernel_is_before(6, 2))
		return 0;
	return !kernel_is_before(6, 12) && kernel_is_before(6, 13) ? 1 : -1;
}
