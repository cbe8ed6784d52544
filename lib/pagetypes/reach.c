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

/* Memory below this address cannot be mapped: vm.mmap_min_addr is at most that, usually. */
#define LOWEST	0x10000u

/*
 * Whether anything is mapped in a range. The kernel refuses to map what would overlap. Any error
 * but that is "nothing": a warning too many is better than none.
 */
static bool has_mapping(uint64_t from, uint64_t to)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const int saved = errno;
	bool mapped = false;
	void *room;

	from = from < LOWEST ? LOWEST : from / page * page;
	if (from < to) {
		room = mmap((void *)(uintptr_t)from, (size_t)(to - from), PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
			    0);
		mapped = room == MAP_FAILED && errno == EEXIST;
		if (room != MAP_FAILED)
			munmap(room, (size_t)(to - from));
	}
	errno = saved;
	return mapped;
}

void profil_reach_check(const char *dialect, unsigned int bytes, unsigned int offset,
			unsigned int scale)
{
	static atomic_bool warned;
	const uint64_t entry = getauxval(AT_ENTRY);
	char digits[PROFIL_DIGITS];
	uint64_t end;

	/* a scale of 0 or 1 turns profiling off */
	if (scale < 2 || bytes < 2 || entry <= UINT32_MAX)
		return;
	end = offset + ((uint64_t)bytes << 16) / scale;
	/* what is mapped there is meant: it is no address that lost its upper half */
	if (end > entry || atomic_load(&warned) || has_mapping(offset, end) ||
	    atomic_exchange(&warned, 1))
		return;
	profil_text_print("libprofil-", dialect, ": the program is not counted: it is loaded at 0x",
			  profil_text_number(digits, entry, 16),
			  ", and the offset of this profil() has 32 bits; link with -no-pie, or compile with pkg-config libprofil-",
			  dialect, "-64 for an offset of 64 bits, see profil-dialects(7)");
}
