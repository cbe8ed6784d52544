/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_RATE_H
#define PROFIL_RATE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define PROFIL_DEFAULT_RATE	100	/* Hz: the 10 ms of all manual pages */
#define PROFIL_HIGHEST_RATE	UINT_MAX	/* as a wish: what the kernel offers */

/*
 * The sampling rate in Hz. In this order: PROFIL_RATE of the environment, the choice
 * of whoever runs the program, if that is not set-user-ID; the wish in *rate, if it
 * is not 0; what profil_rate_set() has chosen; PROFIL_DEFAULT_RATE. It may come to
 * PROFIL_HIGHEST_RATE, which the device knows. Return: 0, or -EINVAL if PROFIL_RATE is
 * no number from 1 to INT_MAX, as a line on stderr says.
 */
int profil_rate_wanted(unsigned int *rate);

/* The same as a number of Hz. fd: the open device. */
int profil_rate_choose(int fd, unsigned int *rate);

/* Choose the rate for those that wish none; 0: PROFIL_DEFAULT_RATE. */
void profil_rate_set(unsigned int hz);

/*
 * The highest rate that the kernel offers for a clock (PROFIL_CLOCK_*), in Hz; 0 if
 * that is not to be known. fd: the open device.
 */
unsigned int profil_rate_highest(int fd, unsigned int clock);

/*
 * A start was refused with this errno. Return: whether the rate is why; then text, of size
 * bytes, says what the kernel offers for the clock, in one line.
 */
bool profil_rate_explain(int fd, int error, unsigned int rate, unsigned int clock,
			 char *text, size_t size);

#endif /* PROFIL_RATE_H */
