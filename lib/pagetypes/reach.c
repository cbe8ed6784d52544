// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What an offset of 32 bits cannot reach.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "pagetypes/reach.h"

void profil_reach_check(const char *dialect, unsigned int bytes, unsigned int offset,
			unsigned int scale)
{
	static atomic_bool said;
	const uint64_t entry = getauxval(AT_ENTRY);

	/* a scale of 0 or 1 turns profiling off */
	if (scale < 2 || bytes < 2 || entry <= UINT32_MAX ||
	    offset + ((uint64_t)bytes << 16) / scale > entry || atomic_exchange(&said, 1))
		return;
	fprintf(stderr,
		"libprofil-%s: profil() has an offset of 32 bits, and the program is loaded above them, at %#llx: it is not profiled; link it with -no-pie, or let it have 64 bits by the headers of profil-%s (profil-dialects(7))\n",
		dialect, (unsigned long long)entry, dialect);
}
