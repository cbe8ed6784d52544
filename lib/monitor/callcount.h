/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_CALLCOUNT_H
#define PROFIL_CALLCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Call count: the layout of struct cnt in <mon.h>. @function is an address in the function. */
struct profil_callcount_cell {
	uintptr_t function;
	long calls;
};

/* Turn counting on or off. Initially it is off. */
void profil_callcount_enable(bool on);

/*
 * Use these @nr cells for functions that are called for the first time from now on, and memory of
 * the library when all cells are in use. Functions that have a cell keep it. Return: 0 or -errno.
 */
int profil_callcount_add_cells(struct profil_callcount_cell *cells, size_t nr);

/*
 * Move the counts out of @bytes of memory at @memory, into memory of the library. Return: 0 or
 * -errno.
 */
int profil_callcount_vacate(const void *memory, size_t bytes);

/* Reset all counts: functions get new cells. */
void profil_callcount_reset(void);

/*
 * Copy all counts, sorted by address, into *cells, which the caller frees. Return: 0 or -errno.
 */
int profil_callcount_collect(struct profil_callcount_cell **cells, size_t *nr);

/* Number of calls that were not counted, because there was no memory for a cell. */
unsigned long profil_callcount_missed(void);

/*
 * Count a call of the function that contains @pc. Lock-free, so threads and signal handlers may
 * call it concurrently. Uses only general-purpose registers, and preserves errno.
 */
void profil_callcount(uintptr_t pc) __attribute__((visibility("hidden")));

#endif /* PROFIL_CALLCOUNT_H */
