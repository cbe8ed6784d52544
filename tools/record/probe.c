// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks whether a profile can be started.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/profil.h>

#include <device.h>
#include <rate.h>

#include "record/probe.h"

static uint32_t counter;

static int start(int device, uint32_t rate, uint32_t clock)
{
	struct profil_region region = {
		.start = (uintptr_t)&probe_start,
		.end = (uintptr_t)&probe_start + sizeof(counter),
		.offset = (uintptr_t)&probe_start,
		.buf = (uintptr_t)&counter,
		.bytes = sizeof(counter),
		.scale = 0x10000,
	};
	struct profil_start start = {
		.size = sizeof(start),
		.rate = rate,
		.width = 8 * sizeof(counter),
		.overflow = PROFIL_OVERFLOW_SATURATE,
		.nr_regions = 1,
		.regions = (uintptr_t)&region,
		.clock = clock,
	};

	return profil_device_call(device, PROFIL_IOC_START, &start);
}

/* Return: a message, to free(); NULL: no memory. */
static char *explain(int device, uint32_t rate, uint32_t clock, int error)
{
	const char *remedy = profil_device_start_remedy(error);
	char *text, why[256];
	int length;

	if (profil_rate_explain(device, error, rate, clock, why, sizeof(why)))
		return strdup(why);
	if (error == ENOMEM)
		remedy = "the limit of locked memory leaves none for counters: raise it by ulimit -l (in KiB; see RLIMIT_MEMLOCK in setrlimit(2))";
	length = asprintf(&text, PROFIL_DEVICE ": start: %s (%s): %s", strerrordesc_np(error),
			  strerrorname_np(error), remedy);
	return length < 0 ? NULL : text;
}

char *probe_start(int device, const struct shm_options *options)
{
	struct profil_status status = { .size = sizeof(status) };
	unsigned int rate = options->rate;
	char *why = NULL;
	int error;

	if (profil_rate_choose(device, &rate))
		return strdup("PROFIL_RATE is not a valid rate: set it to a number of Hz, 1 or more, or unset it");
	error = start(device, rate, options->clock);
	if (error)
		why = explain(device, rate, options->clock, -error);
	else
		profil_device_call(device, PROFIL_IOC_STOP, &status);
	return why;
}
