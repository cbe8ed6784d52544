/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_FALLBACK_H
#define PROFIL_FALLBACK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the C library's profil() is in use. Once it is, it stays in use, even if the module is
 * loaded later: two samplers must not run at the same time.
 */
bool profil_fallback_used(void);

/*
 * Return: whether to call the C library's profil(), because it is in use already, or because the
 * device cannot be opened and PROFIL_FALLBACK allows it; then a line on stderr reports it, once.
 * The C library's profil() is not started while the kernel may be counting. If neither it nor the
 * device can be used, *error receives -errno; otherwise it is unchanged.
 */
bool profil_fallback_needed(int *error);

/*
 * The kernel refused to start a profile (error: errno): apply PROFIL_FALLBACK, and print a line on
 * stderr. Return: 0 if the C library's profil() is in use from now on, or -error.
 */
int profil_fallback_refused(int error);

/* The C library's profil(): same arguments, return value and errno. */
int profil_fallback_call(unsigned short *buf, size_t bufsiz, size_t offset,
			 unsigned int scale);

#endif /* PROFIL_FALLBACK_H */
