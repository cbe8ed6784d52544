/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In place of the library's device.c: a kernel that remembers what it is to
 * count, refuses what the module would, and finds counters by the module's own
 * arithmetic.
 */
#ifndef FAKE_DEVICE_H
#define FAKE_DEVICE_H

#include <linux/profil.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_RATE	250	/* the highest, in Hz */
#define FAKE_DEVICE	"/dev/full"	/* what is opened: a device that ignores all flags */

#define FAKE_DESCRIPTOR	0x100000	/* in place of one: fake_device_fd.c */

struct fake_device {
	/* to be set; errno, 0: none */
	int open_error;
	int start_error;
	int stop_error;
	int info_error;
	void (*during)(void);	/* called in each command */
	struct profil_status figures;	/* that it tells; but the state is its own */
	/* to be looked at */
	unsigned int state;	/* PROFIL_STATE_* */
	struct profil_start start;	/* the last that was accepted */
	unsigned int starts;
	unsigned int stops;
	unsigned int opens;
};

extern struct fake_device fake_device;

/* As if nothing had happened; the library is told nothing. */
void fake_device_reset(void);

/*
 * Whether a descriptor is open at the device. A command to another file, and a close of
 * one, abort the test.
 */
bool fake_device_is(int fd);

/* The lowest descriptor that is open at the device, -1 if none is; and their number. */
int fake_device_descriptor(void);
int fake_device_descriptors(void);

/*
 * As in a program that closes all descriptors, and cannot open the device from then on:
 * error is why (errno), 0: it can.
 */
void fake_device_lose(int error);

/*
 * Address of the counter of a pc; the catch-all counter, or 0, where no region
 * has it. A profile must be on.
 */
uint64_t fake_device_counter(uint64_t pc);

#endif /* FAKE_DEVICE_H */
