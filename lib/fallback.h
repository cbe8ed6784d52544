/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_FALLBACK_H
#define PROFIL_FALLBACK_H

#include <stdbool.h>

/*
 * Whether the timer (timer.h) is in use. Once it is, it stays in use, even if the module is loaded
 * later: two samplers must not run at the same time.
 */
bool profil_fallback_used(void);

/*
 * Return: whether to use the timer, because it is in use already, or because the device cannot be
 * opened and PROFIL_FALLBACK allows it; then a line on stderr reports it, once. It is not used while
 * the kernel may be counting. If neither it nor the device can be used, *error receives -errno;
 * otherwise it is unchanged.
 */
bool profil_fallback_needed(int *error);

/*
 * The kernel refused to start a profile (error: errno): apply PROFIL_FALLBACK, and print a line on
 * stderr. Return: 0 if the timer is in use from now on, or -error.
 */
int profil_fallback_refused(int error);

#endif /* PROFIL_FALLBACK_H */
