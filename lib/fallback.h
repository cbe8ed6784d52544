/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_FALLBACK_H
#define PROFIL_FALLBACK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the C library's profil() is in use. Once it is, it stays: two clocks
 * must not run at once when the module comes while the program runs.
 */
bool profil_fallback_used(void);

/*
 * Decide what happens now that the device could not be opened (error: errno),
 * as PROFIL_FALLBACK says; the first time, with a line on stderr. Return: 0 if
 * the C library's profil() is to be used from now on, or -error.
 */
int profil_fallback_begin(int error);

/*
 * Whether the C library's profil() is to be used: it is in use, or the device cannot
 * be opened and it takes its place from here on; but not while the kernel counts.
 * *error gets -errno if neither is to be used.
 */
bool profil_fallback_needed(int *error);

/* As profil_fallback_begin(), but the kernel did not start a profile. */
int profil_fallback_refused(int error);

/* The C library's profil(): same arguments, same return, errno. */
int profil_fallback_call(unsigned short *buf, size_t bufsiz, size_t offset,
			 unsigned int scale);

#endif /* PROFIL_FALLBACK_H */
