// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prints on stderr why there is no profile, since some dialects' profil() returns nothing.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <string.h>

#include "device.h"
#include "diagnose.h"
#include "error_text.h"
#include "text.h"

/* The errno that profil_diagnose_open() printed; 0: none */
static atomic_int reported;

bool profil_diagnose_has_reported(int error)
{
	return atomic_load(&reported) == error;
}

void profil_diagnose_open(int error, const char *consequence)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&reported, &none, error))
		profil_text_print("libprofil: ", PROFIL_DEVICE, ": ", profil_error_text(error), " (",
				  profil_error_name(error), "): ", profil_device_remedy(error),
				  "; ", consequence);
}
