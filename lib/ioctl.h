/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_IOCTL_H
#define PROFIL_IOCTL_H

#include <linux/profil.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * One ioctl each, on the descriptor that stays open while a profile runs (device_fd.h). The
 * size field of the structure is filled in. Return: 0 or -errno.
 *
 * profil_ioctl_start() takes start->rate as the rate that the program requests (rate.h), and
 * stores the rate that it requests from the kernel. It prints a line on stderr if the device
 * cannot be opened or the kernel does not offer the rate, which the environment may have set.
 */
int profil_ioctl_start(struct profil_start *start);
int profil_ioctl_stop(struct profil_status *status);
int profil_ioctl_status(struct profil_status *status);

/* Try to open the device. Return: 0 or -errno. */
int profil_ioctl_probe(void);

/* Implements profil_set_rate() (profil.h). Return: 0 or -errno. */
int profil_ioctl_set_rate(unsigned int hz);

/*
 * Turn profiling off; status receives the final figures. Return: 0, also if there is neither a
 * device nor a profile, with state PROFIL_STATE_OFF; or -errno, and the profile continues.
 */
int profil_ioctl_off_status(struct profil_status *status);

/* The same without the figures. */
int profil_ioctl_off(void);

/*
 * Whether the error of an ioctl, -errno, means that there is no device and thus no profile. If
 * the kernel counts for this process, a device exists even where /dev/profil is missing.
 */
bool profil_ioctl_no_device(int error);

/* A profile with one buffer of 16-bit counters, as all the old systems have it */
struct profil_histogram {
	void *buf;
	size_t bytes;		/* an odd byte at the end is not used */
	unsigned long offset;
	unsigned int scale;	/* 0: the first counter counts all pcs */
	unsigned int rounding;	/* PROFIL_ROUND_* */
	unsigned int overflow;	/* PROFIL_OVERFLOW_* */
	unsigned int limit;	/* highest count; 0: 65535 */
	unsigned int flags;	/* PROFIL_* */
};

/*
 * Start a profile with a histogram in place of an earlier profile. If the histogram has no room
 * for a counter, only stop the earlier profile. Return: 0 or -errno.
 */
int profil_ioctl_histogram(const struct profil_histogram *histogram);

/*
 * The same, but on error the earlier profile is stopped. If that fails too, the earlier profile
 * continues, and the error of the stop is returned.
 */
int profil_ioctl_histogram_or_off(const struct profil_histogram *histogram);

/* The same, and print the error on stderr: for dialects whose function returns nothing. */
int profil_ioctl_histogram_or_warn(const char *function,
				   const struct profil_histogram *histogram);

/*
 * Print on stderr that a function has not started a profile, and why (error: -errno). It prints
 * neither the same error twice in a row, nor one that was printed for the device.
 */
void profil_ioctl_warn_not_started(const char *function, int error);

/* Likewise, that a function has not stopped the profile. */
void profil_ioctl_warn_not_stopped(const char *function, int error);

/* profil_ioctl_off(), and print the error on stderr. */
int profil_ioctl_off_or_warn(const char *function);

/*
 * A number that changes with each start and stop made by this library: a caller that stores it
 * can find out later whether its profile has been replaced.
 */
unsigned int profil_ioctl_serial(void);

/*
 * Whether the kernel may be counting: a profile was started here and not stopped since. Then a
 * device exists, even if it can no longer be opened.
 */
bool profil_ioctl_may_be_running(void);

/* Convert 0 or -errno into the return value and errno of a C function. */
int profil_ioctl_return(int error);

/*
 * The same for functions of old systems. EBUSY is success: the caller is a child of vfork(), and the
 * profile is its parent's. There, it has a profile of its own, of which nothing is left once it
 * executes a program.
 */
int profil_ioctl_return_old(int error);

#endif /* PROFIL_IOCTL_H */
