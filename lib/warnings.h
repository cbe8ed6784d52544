/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_WARNINGS_H
#define PROFIL_WARNINGS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * Warnings on stderr about a file of samples. Inline, because the dialect libraries use them too
 * and cannot call hidden functions of libprofil. Needs _GNU_SOURCE.
 */

/* Warn if @lost of @samples are missing from @file; error: errno, the reason. */
static inline void profil_warn_lost_samples(const char *file, uint64_t lost, uint64_t samples,
					    int error)
{
	if (lost)
		fprintf(stderr, "libprofil: %s: %llu of %llu samples lost: %s (%s)%s\n", file,
			(unsigned long long)lost, (unsigned long long)samples,
			strerrordesc_np(error), strerrorname_np(error),
			error == ENOMEM ?
			"; raise the limit of locked memory: ulimit -l" : "; see profil(4)");
}

/* Warn if the kernel has lowered the rate, in Hz. */
static inline void profil_warn_lower_rate(const char *file, uint32_t before, uint32_t now)
{
	if (now < before)
		fprintf(stderr, "libprofil: %s: the kernel lowered the rate from %u to %u Hz, so times are too long: see profil(4), max_cpu_percent\n",
			file, before, now);
}

#endif /* PROFIL_WARNINGS_H */
