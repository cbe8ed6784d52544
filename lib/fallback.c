// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Without /dev/profil, profil() falls back to the C library's own, which samples by a SIGPROF
 * timer and is less accurate. A line on stderr reports it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "diagnose.h"
#include "error_text.h"
#include "fallback.h"
#include "ioctl.h"
#include "libc_profil.h"
#include "text.h"

static atomic_bool fallback_used;

bool profil_fallback_used(void)
{
	return atomic_load(&fallback_used);
}

/*
 * Apply PROFIL_FALLBACK. error: errno, which print() reports with the consequence. Return: 0 if the
 * C library's profil() is in use from now on, or -error.
 */
static int begin(int error, void (*print)(int error, const char *consequence))
{
	const char *mode = secure_getenv("PROFIL_FALLBACK");
	bool fatal = (mode && !strcmp(mode, "fatal")) || !profil_libc_function();

	if (!(mode && !strcmp(mode, "quiet")))
		print(error, fatal ? "not profiling" :
		     "using the C library's SIGPROF timer at 100 Hz instead (PROFIL_FALLBACK=quiet hides this line, =fatal makes it an error)");
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

/*
 * The timer may have expired while its signal was blocked, by a guard or by the program. The C
 * library has no handler for it any more: the signal would end the process as soon as it is
 * unblocked.
 */
static void discard_last_signal(void)
{
	const struct timespec no_time = { 0 };
	const int saved = errno;
	sigset_t timer;

	sigemptyset(&timer);
	sigaddset(&timer, SIGPROF);
	sigtimedwait(&timer, NULL, &no_time);
	errno = saved;
}

int profil_fallback_call(unsigned short *buf, size_t bufsiz, size_t offset,
			 unsigned int scale)
{
	const int result = profil_libc_function()(buf, bufsiz, offset, scale);

	if (!buf)
		discard_last_signal();
	return result;
}
