// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofil-solaris: profil() as the manual page of OpenSolaris declares it.
 *
 * The page declares int and unsigned int. A caller compiled with that declaration leaves the upper
 * halves of 64-bit registers undefined; parameters of the same types ignore them.
 */
#include "pagetypes/reach.h"

#define PROFIL_DIALECT_HEADERS
#include "profil.h"

void profil(unsigned short *buff, unsigned int bufsiz, unsigned int offset,
	    unsigned int scale);
/* The C++ name, for a declaration outside extern "C" */
void _Z6profilPtjjj(unsigned short *buff, unsigned int bufsiz, unsigned int offset,
		    unsigned int scale) __attribute__((alias("profil")));

void profil(unsigned short *buff, unsigned int bufsiz, unsigned int offset,
	    unsigned int scale)
{
	profil_reach_check("solaris", bufsiz, offset, scale);
	profil_solaris(buff, bufsiz, offset, scale);
}
