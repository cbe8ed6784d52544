/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_IOCTL_H
#define PROFIL_IOCTL_H

#include <linux/profil.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * One command each, by the descriptor that is kept while a profile runs (device_fd.h), with
 * the structure's size filled in. profil_ioctl_start() takes start->rate as the program's
 * wish (rate.h), and puts there what it asked the kernel for; if the device cannot be
 * opened, or the kernel does not offer the rate, a line on stderr says so, since the
 * program cannot know. Return: 0 or -errno.
 */
int profil_ioctl_start(struct profil_start *start);
int profil_ioctl_stop(struct profil_status *status);
int profil_ioctl_status(struct profil_status *status);

/* Whether commands can be given. Return: 0 or -errno. */
int profil_ioctl_probe(void);

/* What profil_set_rate() does, as profil.h documents it. Return: 0 or -errno. */
int profil_ioctl_set_rate(unsigned int hz);

/*
 * Turn profiling off. status gets the final figures. Return: 0, also where there is no
 * device and no profile: the state is PROFIL_STATE_OFF then; or -errno, and the profile
 * goes on.
 */
int profil_ioctl_off_status(struct profil_status *status);

/* The same without the figures. */
int profil_ioctl_off(void);

/*
 * Whether the error of a command, -errno, means that there is no device, and so no
 * profile. While the kernel counts there is a device, if not where we look for it.
 */
bool profil_ioctl_no_device(int error);

/*
 * A histogram: one buffer of 16-bit counters, which is all that the old systems
 * have.
 */
struct profil_histogram {
	void *buf;
	size_t bytes;		/* a rest that is no whole counter is left alone */
	unsigned long offset;
	unsigned int scale;	/* 0: all is counted in the first counter */
	unsigned int rounding;	/* PROFIL_ROUND_* */
	unsigned int overflow;	/* PROFIL_OVERFLOW_* */
	unsigned int limit;	/* highest count; 0: 65535 */
	unsigned int flags;	/* PROFIL_* */
};

/*
 * Count in a histogram, in place of what was counted before. One without a counter
 * is in effect, but has nothing to be counted in: then only the other ends. Return:
 * 0 or -errno.
 */
int profil_ioctl_histogram(const struct profil_histogram *histogram);

/*
 * The same, but if it fails, an earlier profile is ended. If that fails, too, the
 * error is that one's, and the earlier profile goes on.
 */
int profil_ioctl_histogram_or_off(const struct profil_histogram *histogram);

/* The same for systems whose function returned nothing: it says why on stderr. */
int profil_ioctl_histogram_or_warn(const char *function,
				 const struct profil_histogram *histogram);

/*
 * Say on stderr that a function has not started a profile, and why (error: -errno): not
 * twice in a row the same, nor what has been said of the device.
 */
void profil_ioctl_warn_not_started(const char *function, int error);

/* Say that it has not ended the profile, but not twice in a row for the same reason. */
void profil_ioctl_warn_not_stopped(const char *function, int error);

/* profil_ioctl_off() for systems whose function returned nothing: it says why not on stderr. */
int profil_ioctl_off_or_warn(const char *function);

/*
 * A number that each start and stop made here changes: so whoever keeps it can tell
 * later that what he has started has not been replaced.
 */
unsigned int profil_ioctl_serial(void);

/*
 * Whether the kernel may be counting, by a start that was made here and was not stopped:
 * there is a device then, even if it cannot be opened, or not be seen.
 */
bool profil_ioctl_may_be_running(void);

/* What a C function returns, and errno, for 0 or -errno. */
int profil_ioctl_return(int error);

#endif /* PROFIL_IOCTL_H */
