// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The calls of a program compiled with -pg: a hash table without locks, in zeroed memory that
 * other processes can read.
 *
 * A slot is taken in two steps: first its callee is set, then its caller. Between the steps, any
 * call of the same callee may take the slot. So no thread waits for another, and a signal handler
 * does not wait for the thread that it has interrupted. A slot that is taken keeps its addresses.
 * All calls with the same addresses search the same slots in the same order, so they find the same
 * slot.
 *
 * mcount() runs before the program's functions have read their arguments, so this file uses
 * general registers only (Makefile).
 */
#include <limits.h>
#include <stdbool.h>

#include "gmon/arcs.h"

/* One slot for this many bytes of text: most functions are longer, and few have many callers */
#define TEXT_PER_SLOT	16
#define LEAST_SLOTS	256

/* Slots that are searched. At half the load, one is almost always enough. */
#define MOST_PROBES	256

size_t profil_gmon_arcs_slots(size_t bytes)
{
	size_t nr = LEAST_SLOTS;

	while (nr < bytes / TEXT_PER_SLOT)
		nr *= 2;
	return nr;
}

/* Whether a word is @value; if it is 0, it is set. */
static bool is_or_becomes(_Atomic(uintptr_t) *word, uintptr_t value)
{
	uintptr_t seen = atomic_load_explicit(word, memory_order_relaxed);

	return seen == value || (!seen && (atomic_compare_exchange_strong(word, &seen, value) ||
					   seen == value));
}

void profil_gmon_arcs_count(const struct profil_gmon_arcs *arcs, uintptr_t from, uintptr_t to)
{
	/* multiplicative hash: an odd number for the caller, then 2^64 / the golden ratio */
	uint64_t hash = (to + (uint64_t)from * 0x2545f4914f6cdd1dULL) * 0x9e3779b97f4a7c15ULL;
	size_t at = (size_t)(hash >> 32) & (arcs->nr - 1), i;
	struct profil_gmon_arc *arc;

	for (i = 0; i < MOST_PROBES; i++) {
		arc = &arcs->slots[(at + i) & (arcs->nr - 1)];
		if (is_or_becomes(&arc->to, to) && is_or_becomes(&arc->from, from)) {
			atomic_fetch_add_explicit(&arc->calls, 1, memory_order_relaxed);
			return;
		}
	}
}
