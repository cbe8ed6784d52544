// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofil-aix: profil() as the manual page of AIX declares it, in both forms: see solaris.c. The
 * page declares Offset as unsigned long, which reaches all addresses.
 */
#define PROFIL_DIALECT_HEADERS
#include "profil.h"

struct prof;

void profil(void *Buffer, unsigned int BufferSize, unsigned long Offset,
	    unsigned int Scale);
/* The C++ names of the two forms */
void _Z6profilPtjmj(unsigned short *ShortBuffer, unsigned int BufferSize,
		    unsigned long Offset, unsigned int Scale);
void _Z6profilP4profjmj(struct prof *ProfBuffer, unsigned int BufferSize,
			unsigned long Offset, unsigned int Scale);

void profil(void *Buffer, unsigned int BufferSize, unsigned long Offset,
	    unsigned int Scale)
{
	profil_aix(Buffer, BufferSize, Offset, Scale);
}

void _Z6profilPtjmj(unsigned short *ShortBuffer, unsigned int BufferSize,
		    unsigned long Offset, unsigned int Scale)
{
	profil_aix(ShortBuffer, BufferSize, Offset, Scale);
}

void _Z6profilP4profjmj(struct prof *ProfBuffer, unsigned int BufferSize,
			unsigned long Offset, unsigned int Scale)
{
	profil_aix(ProfBuffer, BufferSize, Offset, Scale);
}
