// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Why there is no profile, for who reads stderr: some faces of profil() return nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "tell.h"

/* The errno that was told; 0: none was */
static atomic_int told;

void profil_say(const char *format, ...)
{
	int saved = errno, cancel;
	va_list args;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
}

bool profil_has_told(int error)
{
	return atomic_load(&told) == error;
}

void profil_tell(int error, const char *consequence)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&told, &none, error))
		profil_say("libprofil: " PROFIL_DEVICE ": %s (%s): %s; %s\n",
			   strerrordesc_np(error), strerrorname_np(error),
			   profil_device_remedy(error), consequence);
}
