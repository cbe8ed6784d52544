// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prints on stderr why there is no profile, since some dialects' profil() returns nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "diagnose.h"

/* The errno that profil_diagnose_open() printed; 0: none */
static atomic_int reported;

struct profil_diagnose_state profil_diagnose_begin(void)
{
	struct profil_diagnose_state state = { .saved_errno = errno };

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state.cancel);
	return state;
}

void profil_diagnose_end(const struct profil_diagnose_state *state)
{
	pthread_setcancelstate(state->cancel, NULL);
	errno = state->saved_errno;
}

bool profil_diagnose_has_reported(int error)
{
	return atomic_load(&reported) == error;
}

void profil_diagnose_open(int error, const char *consequence)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&reported, &none, error))
		profil_diagnose_print("libprofil: " PROFIL_DEVICE ": %s (%s): %s; %s\n",
				      strerrordesc_np(error), strerrorname_np(error),
				      profil_device_remedy(error), consequence);
}
