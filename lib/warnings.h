/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_WARNINGS_H
#define PROFIL_WARNINGS_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "error_text.h"
#include "text.h"

/*
 * Warnings on stderr about a file of samples. Inline, because the dialect libraries use them too
 * and cannot call hidden functions of libprofil. Needs _GNU_SOURCE.
 */

/* Warn if @lost of @samples are missing from @file; error: errno, the reason. */
static inline void profil_warn_lost_samples(const char *file, uint64_t lost, uint64_t samples,
					    int error)
{
	char digits[2][PROFIL_DIGITS];

	if (lost)
		profil_text_print("libprofil: ", file, ": ", profil_text_number(digits[0], lost, 10),
				  " of ", profil_text_number(digits[1], samples, 10),
				  " samples lost: ", profil_error_text(error), " (",
				  profil_error_name(error), error == ENOMEM ?
				  "); raise the limit of locked memory: ulimit -l" :
				  "); see profil(4)");
}

/* Warn if the kernel has lowered the rate, in Hz. */
static inline void profil_warn_lower_rate(const char *file, uint32_t before, uint32_t now)
{
	char digits[2][PROFIL_DIGITS];

	if (now < before)
		profil_text_print("libprofil: ", file, ": the kernel lowered the rate from ",
				  profil_text_number(digits[0], before, 10), " to ",
				  profil_text_number(digits[1], now, 10),
				  " Hz, so times are too long: see profil(4), max_cpu_percent");
}

#endif /* PROFIL_WARNINGS_H */
