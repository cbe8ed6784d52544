// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofil-osf1: profil() as the manual page of OSF/1 declares it. See solaris.c.
 */
#include "pagetypes/reach.h"

#define PROFIL_DIALECT_HEADERS
#include "profil.h"

void profil(short *short_buffer, unsigned int buffer_size, unsigned int offset,
	    unsigned int scale);
void _Z6profilPsjjj(short *short_buffer, unsigned int buffer_size, unsigned int offset,
		    unsigned int scale) __attribute__((alias("profil")));

void profil(short *short_buffer, unsigned int buffer_size, unsigned int offset,
	    unsigned int scale)
{
	profil_reach_check("osf1", buffer_size, offset, scale);
	profil_osf1(short_buffer, buffer_size, offset, scale);
}
