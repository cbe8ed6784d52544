// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads the module of selftests/late, and sets how long it keeps interrupts off.
 */
#include "kernel/late.h"

int load_late(void)
{
	int fd = open(getenv("PROFIL_LATE"), O_RDONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return errno;
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		error = errno;
	close(fd);
	return error;
}

int keep_interrupts_off(const char *how, double seconds)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), LATE "%s", how);
	snprintf(text, sizeof(text), "%.0f", 1e6 * seconds);
	return write_text(path, text);
}
