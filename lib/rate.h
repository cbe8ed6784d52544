/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_RATE_H
#define PROFIL_RATE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define PROFIL_DEFAULT_RATE	100	/* Hz: the 10 ms of all the manual pages */
#define PROFIL_HIGHEST_RATE	UINT_MAX	/* the highest rate that the kernel offers */

/*
 * Determine the sampling rate in Hz. Order of precedence: PROFIL_RATE of the environment, unless
 * the program is set-user-ID; *rate, which the program requests, unless 0; the rate of
 * profil_rate_set(); PROFIL_DEFAULT_RATE. *rate receives the result, which may be
 * PROFIL_HIGHEST_RATE. Return: 0, or -EINVAL after a line on stderr if PROFIL_RATE is not a
 * number from 1 to INT_MAX.
 */
int profil_rate_wanted(unsigned int *rate);

/* The same, with PROFIL_HIGHEST_RATE converted to Hz. fd: the open device. */
int profil_rate_choose(int fd, unsigned int *rate);

/* Set the rate for programs that request none; 0: PROFIL_DEFAULT_RATE. */
void profil_rate_set(unsigned int hz);

/*
 * The highest rate in Hz that the kernel offers for a clock (PROFIL_CLOCK_*); 0 on error. fd:
 * the open device.
 */
unsigned int profil_rate_highest(int fd, unsigned int clock);

/*
 * Explain a start that failed with this errno. Return: whether the rate is the reason; then
 * text[size] receives one line with the rates that the kernel offers for the clock.
 */
bool profil_rate_explain(int fd, int error, unsigned int rate, unsigned int clock,
			 char *text, size_t size);

#endif /* PROFIL_RATE_H */
