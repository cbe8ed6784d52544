// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Why there is no profile, for who reads stderr: some faces of profil() return nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "diagnose.h"

/* The errno that was told; 0: none was */
static atomic_int told;

struct profil_diagnose_state profil_diagnose_begin(void)
{
	struct profil_diagnose_state saying = { .error = errno };

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saying.cancel);
	return saying;
}

void profil_diagnose_end(const struct profil_diagnose_state *saying)
{
	pthread_setcancelstate(saying->cancel, NULL);
	errno = saying->error;
}

bool profil_diagnose_has_reported(int error)
{
	return atomic_load(&told) == error;
}

void profil_diagnose_open(int error, const char *consequence)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&told, &none, error))
		profil_diagnose_print("libprofil: " PROFIL_DEVICE ": %s (%s): %s; %s\n",
			   strerrordesc_np(error), strerrorname_np(error),
			   profil_device_remedy(error), consequence);
}
