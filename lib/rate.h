/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_RATE_H
#define PROFIL_RATE_H

#define PROFIL_DEFAULT_RATE	100	/* Hz: the 10 ms of all manual pages */

/*
 * The sampling rate in Hz: PROFIL_RATE of the environment if it is set and the
 * program is not set-user-ID, else PROFIL_DEFAULT_RATE. Return: it, or -EINVAL
 * if PROFIL_RATE is no number from 1 to INT_MAX; a line on stderr says so.
 */
int profil_rate(void);

/*
 * A start was refused with EINVAL: if the rate is why, that must be said, since
 * the program, which did not choose it, cannot know. fd: the open device. Return:
 * the highest rate that the kernel offers, in Hz, if this one exceeds it; else 0.
 */
unsigned int profil_rate_exceeds(int fd, unsigned int rate);

#endif /* PROFIL_RATE_H */
