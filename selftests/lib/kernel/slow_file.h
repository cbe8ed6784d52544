/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of a user's file system, whose pages arrive when the test permits it. Include this after
 * the harness.
 */
#ifndef SELFTESTS_SLOW_FILE_H
#define SELFTESTS_SLOW_FILE_H

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>

#include "child.h"
#include "eventually.h"
#include "kernel/fuse.h"

struct slow_file {
	char directory[32];
	pid_t server;
	struct fuse_order *order;
};

/* Mounts it in a mount namespace of the caller's own. Returns NULL, or why it cannot. */
const char *slow_file_begin(struct slow_file *slow);

/* Maps page @number of the file. Use a number once: a page that was read is in the cache. */
void *slow_file_map(struct slow_file *slow, unsigned int number);

/*
 * Lets a thread of the caller wait in a page fault until the file system ends. SIGKILL does not end
 * the wait. From Linux 6.7 on, the fault holds the lock of its mapping; before, mmap_lock. Returns
 * false on error.
 */
bool slow_file_hold_fault(struct slow_file *slow);

void slow_file_answer(struct slow_file *slow);

/* Ends the server: whatever waits for a page gets an error. */
void slow_file_end(struct slow_file *slow);

#endif /* SELFTESTS_SLOW_FILE_H */
