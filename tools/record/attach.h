/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaching to processes: the kernel writes their samples to a log, which is read from the
 * device.
 */
#ifndef PROFIL_ATTACH_H
#define PROFIL_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/profil.h>

#define ATTACH_WHY	512	/* bytes for an explanation */

/**
 * struct attach_options - how to sample the processes of a run
 * @rate:   in Hz; 0: PROFIL_RATE or the default
 * @clock:  PROFIL_CLOCK_*; AUTO: the kernel's choice
 * @follow: continue when a process executes another program
 * @stacks: samples have call stacks
 */
struct attach_options {
	uint32_t rate;
	uint32_t clock;
	bool follow;
	bool stacks;
};

/**
 * struct attach - the log of a run
 * @device:    its descriptor, which does not block; -1: closed
 * @options:   with the rate that is requested from the kernel
 * @wanted_log_bytes: the size that it has without a limit of locked memory
 * @has_log:   a process was attached, so the size is fixed
 * @stack_bytes: how much of a stack is looked at; 0: samples have none
 */
struct attach {
	int device;
	struct attach_options options;
	uint64_t wanted_log_bytes;
	uint64_t log_bytes;
	bool has_log;
	uint32_t stack_bytes;
};

/**
 * attach_log_bytes - find the size of a log that need not be read for a second
 * @rate:   in Hz
 * @stacks: samples have call stacks
 * @cpus:   number of CPUs; 1 if it is less
 *
 * It has room for one second of samples, and of 100 short programs, of each CPU.
 *
 * Return: a power of two, 1 MiB to 8 MiB.
 */
uint64_t attach_log_bytes(uint32_t rate, bool stacks, long cpus);

/*
 * Choose a clock for a user who names none. Return: PROFIL_CLOCK_RANDOM. PROFIL_CLOCK_AUTO: the
 * timers of this kernel fire only at its tick.
 */
uint32_t attach_default_clock(void);

/**
 * attach_open - open the device
 * @attach:  filled in; must be closed with attach_close(), even on error
 * @why:     on error, gets a sentence with the reason and the remedy
 *
 * Return: 0 or -errno.
 */
int attach_open(struct attach *attach, const struct attach_options *options,
		char why[ATTACH_WHY]);

/**
 * attach_process - attach to a process
 * @from_exec: start when the process executes a program
 * @why:       on error, gets a sentence with the reason and the remedy
 *
 * If the limit of locked memory is low, the log becomes smaller.
 *
 * Return: 0 or -errno. After an error, nothing has changed.
 */
int attach_process(struct attach *attach, pid_t pid, bool from_exec, char why[ATTACH_WHY]);

/* Read the status of the log. Return: 0 or -errno. */
int attach_status(const struct attach *attach, struct profil_status *status);

/**
 * attach_close - end the profiles of all attached processes
 * @attach: from attach_open(); may be closed already
 */
void attach_close(struct attach *attach);

#endif /* PROFIL_ATTACH_H */
