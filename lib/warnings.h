/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_WARNINGS_H
#define PROFIL_WARNINGS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * Lines on stderr about what a file of samples does not show. Needs _GNU_SOURCE. In a header,
 * since the dialects' libraries have files too, and cannot call what libprofil hides.
 */

/* @lost of @samples are not in @file, because of @error (errno). None: no line. */
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

/* The rate was @before, and is @now, both in Hz. Not lower: no line. */
static inline void profil_warn_lower_rate(const char *file, uint32_t before, uint32_t now)
{
	if (now < before)
		fprintf(stderr, "libprofil: %s: the kernel has lowered the rate from %u to %u Hz: times are too long; see profil(4), max_cpu_percent\n",
			file, before, now);
}

#endif /* PROFIL_WARNINGS_H */
