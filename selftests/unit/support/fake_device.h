/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the library's device.c with a fake kernel module, which records the profile that was
 * started, rejects the arguments that the module rejects, and finds counters with the module's
 * code.
 */
#ifndef FAKE_DEVICE_H
#define FAKE_DEVICE_H

#include <linux/profil.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_RATE	250	/* highest rate, in Hz */
#define FAKE_DEVICE	"/dev/full"	/* opened as the device; ignores all flags */

#define FAKE_DESCRIPTOR	0x100000	/* used by fake_device_fd.c */

struct fake_device {
	/* set by the test; errno, 0: none */
	int open_error;
	int start_error;
	int stop_error;
	int info_error;
	void (*during)(void);	/* called in each ioctl */
	struct profil_status figures;	/* returned by stop and status, except the state */
	/* read by the test */
	unsigned int state;	/* PROFIL_STATE_* */
	struct profil_start start;	/* most recent successful start */
	unsigned int starts;
	unsigned int stops;
	unsigned int opens;
};

extern struct fake_device fake_device;

/* Reset the device, without the library's knowledge. */
void fake_device_reset(void);

/*
 * Whether a descriptor refers to the device. An ioctl on another file, and a close of one, abort
 * the test.
 */
bool fake_device_is(int fd);

/* The lowest descriptor of the device, or -1; the number of its descriptors. */
int fake_device_descriptor(void);
int fake_device_descriptors(void);

/*
 * Close all descriptors of the device, and let later opens fail with this errno; 0: they succeed.
 */
void fake_device_lose(int error);

/*
 * Address of the counter of a pc. If no region contains it: the catch-all counter, or 0. A profile
 * must be running.
 */
uint64_t fake_device_counter(uint64_t pc);

#endif /* FAKE_DEVICE_H */
