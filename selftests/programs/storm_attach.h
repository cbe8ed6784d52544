/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The operations of storm.c on logs of processes: any process of the storm, mostly the own one, is
 * attached to one of a few logs, which forked children share.
 */
#ifndef SELFTESTS_STORM_ATTACH_H
#define SELFTESTS_STORM_ATTACH_H

#include "storm.h"

#define LOGS	3

/* Descriptors of the device, 0: not open. Threads use them without a lock, and may get EBADF. */
static int logs[LOGS];

static int *random_log(void)
{
	return &logs[below(LOGS)];
}

static pid_t random_process(void)
{
	switch (below(4)) {
	case 0:
		return shared->pids[below(STORM_PIDS)];
	case 1:
		return getppid();
	default:
		return getpid();
	}
}

static bool do_attach(void)
{
	struct profil_attach attach = {
		.size = sizeof(attach),
		.flags = (below(4) ? PROFIL_FOLLOW_EXEC : 0) | (below(8) ? 0 : PROFIL_FROM_EXEC) |
			 (below(8) ? 0 : PROFIL_USER_ONLY),
		.rate = below(2) ? tick_hz : 1 + below(4000),
		.clock = (unsigned int)below(4),
		.log_bytes = (uint64_t)65536 << below(3),
		.pid = random_process(),
	};
	int *log = random_log();
	char path[32];
	bool done;

	if (!*log)
		*log = open("/dev/profil", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)attach.pid);
	attach.mem = open(path, O_RDONLY | O_CLOEXEC);
	if (attach.mem < 0)
		return false;
	done = !ioctl(*log, PROFIL_IOC_ATTACH, &attach);
	close(attach.mem);
	return done;
}

static bool do_read_log(void)
{
	static __thread char records[32768];
	int *log = random_log();

	return *log && read(*log, records, PROFIL_RECORD_MAX + below(16384)) >= 0;
}

static bool do_close_log(void)
{
	int *log = random_log(), fd = *log;

	*log = 0;
	return fd && !close(fd);
}

#endif /* SELFTESTS_STORM_ATTACH_H */
