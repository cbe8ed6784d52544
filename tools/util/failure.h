/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Error messages of the command: what failed, the errno, and what the user can do.
 */
#ifndef PROFIL_FAILURE_H
#define PROFIL_FAILURE_H

#include <errno.h>

/* Return: -errno of the call that has just failed; never 0. */
static inline int failure_errno(void)
{
	int error = errno;

	return error > 0 ? -error : -EIO;
}

/* Set the reason why contents are invalid, and return -EBADMSG. */
static inline int failure_refuse(const char **why, const char *reason)
{
	*why = reason;
	return -EBADMSG;
}

/*
 * What the user can do about an error of an allocation, a descriptor or a written file: text to
 * print after the error.
 */
const char *failure_remedy(int error);

/*
 * Print what failed, and the error with its remedy, to standard error; 0: unknown, as after
 * ferror(3).
 */
void failure_warn(const char *what, int error);

/*
 * Print a message to standard error, after the name of the command. Unlike with warnx(3), control
 * characters are printed in octal (escape_octal()): names in the message may contain any bytes.
 */
void failure_warnx(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print a message as failure_warnx() does, and exit. */
void failure_exitx(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* Print an error as failure_warn() does, and exit. */
void failure_exit(int status, const char *what, int error) __attribute__((noreturn));

#endif /* PROFIL_FAILURE_H */
