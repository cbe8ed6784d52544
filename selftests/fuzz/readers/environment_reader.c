// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes how the library and the command read PROFIL_RATE and PROFIL_DIALECT. The input is the
 * value of both. Invalid rates must be refused.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <profil.h>
#include <rate.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void choose_rate(void)
{
	unsigned int rate = 0;

	/* on success the rate is valid */
	if (!profil_rate_choose(-1, &rate) && (!rate || rate > INT_MAX))
		abort();
}

static void choose_dialect(const char *name)
{
	const char *chosen = profil_dialect(name);

	if (chosen && strcmp(chosen, name))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	if (!text)
		return 0;
	setenv("PROFIL_RATE", text, 1);
	choose_rate();
	choose_dialect(text);
	free(text);
	return 0;
}
