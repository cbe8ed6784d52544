// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Without /dev/profil, profil() falls back to a SIGPROF timer, which is less accurate. A line on
 * stderr reports it.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "diagnose.h"
#include "error_text.h"
#include "fallback.h"
#include "ioctl.h"
#include "text.h"

static atomic_bool fallback_used;

bool profil_fallback_used(void)
{
	return atomic_load(&fallback_used);
}

/*
 * Apply PROFIL_FALLBACK. error: errno, which print() reports with the consequence. Return: 0 if the
 * timer is in use from now on, or -error.
 */
static int begin(int error, void (*print)(int error, const char *consequence))
{
	const char *mode = secure_getenv("PROFIL_FALLBACK");
	bool fatal = mode && !strcmp(mode, "fatal");

	if (!(mode && !strcmp(mode, "quiet")))
		print(error, fatal ? "not profiling" :
		     "using a SIGPROF timer at 100 Hz instead (PROFIL_FALLBACK=quiet hides this line, =fatal makes it an error)");
	if (fatal)
		return -error;
	atomic_store(&fallback_used, true);
	return 0;
}

bool profil_fallback_needed(int *error)
{
	int probe;

	if (profil_fallback_used())
		return true;
	probe = profil_ioctl_probe();
	if (probe && profil_ioctl_may_be_running()) {
		/* two samplers must not run at the same time */
		profil_diagnose_open(-probe, "no profile started");
		*error = probe;
	} else if (probe) {
		*error = begin(-probe, profil_diagnose_open);
	}
	return profil_fallback_used();
}

static void print_refusal(int error, const char *consequence)
{
	profil_text_print("libprofil: the kernel refused to profile: ", profil_error_text(error),
			  " (", profil_error_name(error), "): ", profil_device_start_remedy(error),
			  "; ", consequence);
}

int profil_fallback_refused(int error)
{
	return begin(error, print_refusal);
}
