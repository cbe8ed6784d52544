/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting while processes are profiled: for records of the log, for signals, for times that are
 * due, and for the end of the command.
 */
#ifndef PROFIL_WAIT_H
#define PROFIL_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct wait - what to wait for, and what to do; times are 0 for never
 * @log:         descriptor of the log
 * @process:     descriptor that is readable once the command has ended; -1: no command
 * @keys:        descriptor of a terminal; -1: none
 * @waiting:     signals to block while waiting, from signals_allow()
 * @end_ns:      when the profile ends, by time_ns(CLOCK_MONOTONIC)
 * @snapshot_ns: interval of @snapshot, in ns
 * @progress_ns: interval of @progress, in ns
 * @look_ns:     interval of @look, in ns
 * @read:        reads the log. Called at least once per second, and more often at the start:
 *               some files can be named only while they are mapped. Return: 0: all processes
 *               have ended
 * @snapshot:    called at intervals, and for SIGUSR1 with @is_requested. Return: least time until
 *               the next interval ends, in ns
 * @progress:    called at intervals. Return: the same
 * @look:        called at intervals, before the log is read. Return: the same; UINT64_MAX: the
 *               profile ends
 * @key:         called when @keys can be read. Return: false: the profile ends
 * @data:        argument of the functions
 */
struct wait {
	int log;
	int process;
	int keys;
	const sigset_t *waiting;
	uint64_t end_ns;
	uint64_t snapshot_ns;
	uint64_t progress_ns;
	uint64_t look_ns;
	int (*read)(void *data);
	uint64_t (*snapshot)(void *data, bool is_requested);
	uint64_t (*progress)(void *data);
	uint64_t (*look)(void *data);
	bool (*key)(void *data);
	void *data;
};

/* Why wait_for_end() returned */
enum wait_end {
	WAIT_COMMAND,	/* the command has ended */
	WAIT_PROFILE,	/* the profile ends: its time is over, the user or @look requested it, or,
			 * without a command, all processes have ended
			 */
};

/*
 * Wait until the command ends, or the profile. The log is read once more before this function
 * returns.
 */
enum wait_end wait_for_end(const struct wait *wait);

#endif /* PROFIL_WAIT_H */
