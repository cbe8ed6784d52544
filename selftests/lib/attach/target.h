/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that are sampled from outside, by PROFIL_IOC_ATTACH. Include this after the harness.
 *
 * A target is a forked child. It waits in read(2) until the test releases it.
 */
#ifndef SELFTESTS_TARGET_H
#define SELFTESTS_TARGET_H

#include <signal.h>

#include "child.h"
#include "common.h"
#include "attach/records.h"

#define LEAST_LOG	((uint64_t)64 << 10)
#define LARGEST_LOG	((uint64_t)64 << 20)

/* Opens the device. Skips the test if the kernel cannot attach. */
#define REQUIRE_ATTACH(fd)						\
	do {								\
		REQUIRE_DEVICE(fd);					\
		if (!(get_info(fd).features & PROFIL_FEATURE_ATTACH))	\
			SKIP(return, "the kernel cannot attach");	\
	} while (0)

/* The same if it cannot take stacks. */
#define REQUIRE_STACKS(fd)						\
	do {								\
		REQUIRE_ATTACH(fd);					\
		if (!(get_info(fd).features & PROFIL_FEATURE_STACKS))	\
			SKIP(return, "the module cannot take stacks");	\
	} while (0)

struct target {
	pid_t pid;
	int mem;		/* descriptor of /proc/PID/mem */
	int go;			/* a byte written there releases the target */
	double base;		/* its CPU time before it is released */
};

/* What a target used, and how it ended */
struct end {
	int status;		/* as a shell reports it */
	double used;		/* CPU time since it was released, by the kernel's exact count */
	double total;		/* since its fork */
	long preempted;		/* how often another thread took its CPU away */
};

/* Returns a descriptor of /proc/PID/@name, or -1 with errno. */
int open_of(pid_t pid, const char *name, int flags);

/*
 * Starts a target that closes @device, calls @run when it is released, and exits with 0. An open
 * device of the target would keep the log. Returns 0 or an errno.
 */
int start_target(struct target *target, int device, void (*run)(void *arg), void *arg);

/* Fills in an attachment to all of a target's future: each tick, all programs, the smallest log. */
struct profil_attach attachment(int device, const struct target *target);

/*
 * Asks for stacks of up to @words words, with the log that they need, and says where the process
 * has code. Returns 0 or an errno.
 */
int ask_for_stacks(struct profil_attach *attach, unsigned int words);

/* Attaches with attachment() and additional flags. Returns 0 or an errno. */
int attach_target(int device, const struct target *target, __u32 flags);

/* What a target runs that only sleeps. */
void wait_for_ever(void *unused);

void release(struct target *target);

/* Waits until a released target has ended. */
struct end await_end(struct target *target);

/* Kills a target that may have been released. */
void kill_target(struct target *target);

/* Returns the CPU time of another process; -1 on error. A zombie still has one. */
double seconds_of(pid_t pid);

/* Returns the status of the log. On error, the state is ~0U. */
struct profil_status log_status(int device);

#endif /* SELFTESTS_TARGET_H */
