// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofil-linux099: profil() as the manual page of Linux 0.99.11 declares it. See
 * solaris.c and bsd.c.
 */
#include "pagetypes/reach.h"

#define PROFIL_DIALECT_HEADERS
#include "profil.h"

int profil(char *buf, int bufsiz, int offset, int scale);
int _Z6profilPciii(char *buf, int bufsiz, int offset, int scale)
	__attribute__((alias("profil")));

int profil(char *buf, int bufsiz, int offset, int scale)
{
	if (buf && scale > 0)
		profil_reach_check("linux099", (unsigned int)bufsiz, (unsigned int)offset,
				   (unsigned int)scale);
	return profil_linux099(buf, bufsiz, (unsigned int)offset, scale);
}
