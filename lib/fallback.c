// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Without /dev/profil, profil() falls back to the C library's own, which samples by a SIGPROF
 * timer and is less accurate. A line on stderr reports it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "diagnose.h"
#include "fallback.h"
#include "ioctl.h"

typedef int profil_function(unsigned short *, size_t, size_t, unsigned int);

/*
 * The C library's profil() in a static program, where the name profil is only a weak alias,
 * which this library overrides. NULL in a dynamic program: there dlsym() finds it.
 */
extern profil_function __profil __attribute__((weak));

static atomic_bool fallback_used;

static profil_function *libc_profil(void)
{
	profil_function *function = NULL;
	void *libc;

	if (__profil)
		return __profil;
	/* by the library's name: it may come before or after libprofil in the search order */
	libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
	if (libc) {
		*(void **)&function = dlsym(libc, "profil");
		dlclose(libc);
	}
	return function;
}

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
	bool fatal = (mode && !strcmp(mode, "fatal")) || !libc_profil();

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
	profil_diagnose_print("libprofil: the kernel refused to profile: %s (%s): %s; %s\n",
			      strerrordesc_np(error), strerrorname_np(error),
			      profil_device_start_remedy(error), consequence);
}

int profil_fallback_refused(int error)
{
	return begin(error, print_refusal);
}

int profil_fallback_call(unsigned short *buf, size_t bufsiz, size_t offset,
			 unsigned int scale)
{
	return libc_profil()(buf, bufsiz, offset, scale);
}
