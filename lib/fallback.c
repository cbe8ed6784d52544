// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where there is no /dev/profil, a program linked with libprofil still runs: by
 * the C library's own profil(), with its SIGPROF timer and all its faults. That
 * is a different thing, so it is said aloud.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ioctl.h"
#include "device.h"
#include "fallback.h"
#include "diagnose.h"

typedef int profil_function(unsigned short *, size_t, size_t, unsigned int);

/*
 * What profil() is called inside a static C library, where ours takes the place
 * of its weak name. Absent in a dynamic one, which dlsym() asks for the next
 * profil() after ours instead.
 */
extern profil_function __profil __attribute__((weak));

static atomic_bool fallback_used;

static profil_function *libc_profil(void)
{
	profil_function *function = NULL;

	if (__profil)
		return __profil;
	*(void **)&function = dlsym(RTLD_NEXT, "profil");
	return function;
}

bool profil_fallback_used(void)
{
	return atomic_load(&fallback_used);
}

/* What is to be said of an errno is the caller's. */
static int begin(int error, void (*tell)(int error, const char *consequence))
{
	const char *wish = secure_getenv("PROFIL_FALLBACK");
	bool fatal = (wish && !strcmp(wish, "fatal")) || !libc_profil();

	if (!(wish && !strcmp(wish, "quiet")))
		tell(error, fatal ? "not profiling" :
		     "using the C library's SIGPROF timer at 100 Hz instead (PROFIL_FALLBACK=quiet hides this line, =fatal makes it an error)");
	if (fatal)
		return -error;
	atomic_store(&fallback_used, true);
	return 0;
}

int profil_fallback_begin(int error)
{
	return begin(error, profil_diagnose_open);
}

bool profil_fallback_needed(int *error)
{
	int unreachable;

	if (profil_fallback_used())
		return true;
	unreachable = profil_ioctl_probe();
	if (unreachable && profil_ioctl_may_be_running()) {
		/* two clocks must not run at once */
		profil_diagnose_open(-unreachable, "this starts no profile");
		*error = unreachable;
	} else if (unreachable) {
		*error = profil_fallback_begin(-unreachable);
	}
	return profil_fallback_used();
}

static void tell_refusal(int error, const char *consequence)
{
	profil_diagnose_print("libprofil: the kernel refused to profile: %s (%s): %s; %s\n",
		   strerrordesc_np(error), strerrorname_np(error),
		   profil_device_start_remedy(error), consequence);
}

int profil_fallback_refused(int error)
{
	return begin(error, tell_refusal);
}

int profil_fallback_call(unsigned short *buf, size_t bufsiz, size_t offset,
			 unsigned int scale)
{
	return libc_profil()(buf, bufsiz, offset, scale);
}
