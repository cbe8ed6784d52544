// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofil-svid: profil() as the manual pages of Unix V7, HP-UX 5.20 and Ultrix declare it. See
 * solaris.c and bsd.c.
 */
#include "pagetypes/reach.h"

#define PROFIL_DIALECT_HEADERS
#include "profil.h"

void profil(char *buff, int bufsiz, int offset, int scale);
void _Z6profilPciii(char *buff, int bufsiz, int offset, int scale)
	__attribute__((alias("profil")));

void profil(char *buff, int bufsiz, int offset, int scale)
{
	/* scale 2 counts all addresses from the offset on */
	if (scale != 2)
		profil_reach_check("svid", (unsigned int)bufsiz, (unsigned int)offset,
				   (unsigned int)scale);
	profil_svid(buff, (unsigned int)bufsiz, (unsigned int)offset, (unsigned int)scale);
}
