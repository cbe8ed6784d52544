// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofil-bsd: profil() as the manual page of 4.4BSD declares it. See solaris.c.
 *
 * As an int, addresses from 2^31 on are negative. They are taken as unsigned.
 */
#include "pagetypes/reach.h"

#define PROFIL_DIALECT_HEADERS
#include "profil.h"

int profil(char *samples, int size, int offset, int scale);
int _Z6profilPciii(char *samples, int size, int offset, int scale)
	__attribute__((alias("profil")));

int profil(char *samples, int size, int offset, int scale)
{
	profil_reach_check("bsd", (unsigned int)size, (unsigned int)offset,
			   (unsigned int)scale);
	return profil_bsd(samples, (unsigned int)size, (unsigned int)offset,
			  (unsigned int)scale);
}
