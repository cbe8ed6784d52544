// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes how the library and the command read PROFIL_RATE, PROFIL_DIALECT and LD_PRELOAD.
 * The input is the value of all three. Invalid rates must be refused, and other variables
 * must be kept.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <record/preload.h>
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

static void make_environment(const char *old)
{
	char **env = preload_environ("/lib/libprofil.so.1", 3);
	size_t i, rates = 0;

	if (!env)
		return;
	for (i = 0; env[i]; i++)
		rates += !strncmp(env[i], "PROFIL_RATE=", 12);
	if (rates != 1 || i < 3 || !strstr(env[1], old))
		abort();
	preload_environ_free(env);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	if (!text)
		return 0;
	setenv("PROFIL_RATE", text, 1);
	setenv("LD_PRELOAD", text, 1);
	choose_rate();
	choose_dialect(text);
	make_environment(text);
	free(text);
	return 0;
}
