// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where there is no /dev/profil, a program linked with libprofil still runs: by
 * the C library's own profil(), with its SIGPROF timer and all its faults. That
 * is a different thing, so it is said aloud.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "device.h"
#include "fallback.h"
#include "tell.h"

static atomic_bool fallback_used;

bool profil_fallback_used(void)
{
	return atomic_load(&fallback_used);
}

/* What is to be said of an errno is the caller's. */
static int begin(int error, void (*tell)(int error, const char *consequence))
{
	const char *wish = secure_getenv("PROFIL_FALLBACK");
	bool fatal = (wish && !strcmp(wish, "fatal")) || !profil_fallback_find();

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
	return begin(error, profil_tell);
}

bool profil_fallback_needed(int *error)
{
	int fd;

	if (profil_fallback_used())
		return true;
	fd = profil_device_open();
	if (fd >= 0) {
		profil_device_close(fd);
	} else if (profil_call_serial() && !profil_device_is_missing(-fd)) {
		/* the kernel may be counting: two clocks must not run at once */
		profil_tell(-fd, "this starts no profile");
		*error = fd;
	} else {
		*error = profil_fallback_begin(-fd);
	}
	return profil_fallback_used();
}

static void tell_refusal(int error, const char *consequence)
{
	int saved = errno;

	fprintf(stderr, "libprofil: the kernel refused to profile: %s (%s): %s; %s\n",
		strerrordesc_np(error), strerrorname_np(error),
		profil_device_start_remedy(error), consequence);
	errno = saved;
}

int profil_fallback_refused(int error)
{
	return begin(error, tell_refusal);
}

int profil_fallback_call(unsigned short *buf, size_t bufsiz, size_t offset,
			 unsigned int scale)
{
	return profil_fallback_find()(buf, bufsiz, offset, scale);
}
