/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module of selftests/late, which makes happen what seldom does. scripts/vm brings it
 * into sealed guests.
 */
#ifndef SELFTESTS_LATE_H
#define SELFTESTS_LATE_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LATE	"/sys/module/late/parameters/"

/* 0 or errno. */
static inline int load_late(void)
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

#endif /* SELFTESTS_LATE_H */
