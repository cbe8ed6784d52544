// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Warns if an offset of 32 bits cannot reach the program's text.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pagetypes/reach.h"
#include "text.h"

static bool is_mapped(uintptr_t at)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const int saved = errno;
	unsigned char resident;
	bool mapped = !mincore((void *)(at / page * page), 1, &resident);

	errno = saved;
	return mapped;
}

void profil_reach_check(const char *dialect, unsigned int bytes, unsigned int offset,
			unsigned int scale)
{
	static atomic_bool warned;
	const uint64_t entry = getauxval(AT_ENTRY);
	char digits[PROFIL_DIGITS];

	/* a scale of 0 or 1 turns profiling off */
	if (scale < 2 || bytes < 2 || entry <= UINT32_MAX ||
	    offset + ((uint64_t)bytes << 16) / scale > entry)
		return;
	/* an address of the program that lost its upper half is in no mapping: there is code here */
	if (is_mapped(offset) || atomic_exchange(&warned, 1))
		return;
	profil_text_print("libprofil-", dialect, ": the program is not counted: it is loaded at 0x",
			  profil_text_number(digits, entry, 16),
			  ", and the offset of this profil() has 32 bits; link with -no-pie, or compile with pkg-config profil-",
			  dialect, " for an offset of 64 bits, see profil-dialects(7)");
}
