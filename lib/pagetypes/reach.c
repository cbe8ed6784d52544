// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Warns if an offset of 32 bits cannot reach the program's text.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "pagetypes/reach.h"

void profil_reach_check(const char *dialect, unsigned int bytes, unsigned int offset,
			unsigned int scale)
{
	static atomic_bool warned;
	const uint64_t entry = getauxval(AT_ENTRY);

	/* a scale of 0 or 1 turns profiling off */
	if (scale < 2 || bytes < 2 || entry <= UINT32_MAX ||
	    offset + ((uint64_t)bytes << 16) / scale > entry || atomic_exchange(&warned, 1))
		return;
	fprintf(stderr,
		"libprofil-%s: the program is not counted: it is loaded at %#llx, and the offset of this profil() has 32 bits; link with -no-pie, or compile with pkg-config profil-%s for an offset of 64 bits, see profil-dialects(7)\n",
		dialect, (unsigned long long)entry, dialect);
}
