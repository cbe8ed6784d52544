/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What keeps the command from doing its own work: told with its errno, and with what to do.
 */
#ifndef PROFIL_FAILURE_H
#define PROFIL_FAILURE_H

#include <errno.h>

/* Return: -errno of the call that has just failed, which is never 0. */
static inline int failure_errno(void)
{
	int error = errno;

	return error > 0 ? -error : -EIO;
}

/**
 * failure_remedy - what to do about an error
 * @error: an errno that memory, a descriptor or something to write to was refused with
 *
 * Return: in words.
 */
const char *failure_remedy(int error);

/**
 * failure_warn - tell an error on standard error
 * @what:  failed
 * @error: errno; 0: no more is known than that it was to be read or written (ferror(3))
 */
void failure_warn(const char *what, int error);

/**
 * failure_warnx - a message on standard error, after the command's name
 * @format: as of printf(3), without a newline
 *
 * Names in it may be anyone's: what could command a terminal comes in octal
 * (escape_octal()), unlike with warnx(3).
 */
void failure_warnx(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * failure_exitx - the same, and exit
 * @status: of the exit
 * @format: as for failure_warnx()
 */
void failure_exitx(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/**
 * failure_exit - tell an error, and exit
 * @status: of the exit
 * @what:   failed
 * @error:  as for failure_warn()
 */
void failure_exit(int status, const char *what, int error) __attribute__((noreturn));

#endif /* PROFIL_FAILURE_H */
