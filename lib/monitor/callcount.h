/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_CALLCOUNT_H
#define PROFIL_CALLCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct cnt of <mon.h>: how often a function has been called. function is an address in it. */
struct profil_callcount_cell {
	uintptr_t function;
	long calls;
};

/* Whether calls are counted. At first they are not. */
void profil_callcount_enable(bool on);

/*
 * Functions that are called for the first time from here on are counted in these @nr cells,
 * and in memory of the library when all of them are in use. Those that have a cell keep it.
 * Return: 0 or -errno.
 */
int profil_callcount_give(struct profil_callcount_cell *cells, size_t nr);

/* Move the counts that are in @bytes of memory at @memory into the library's own. -errno. */
int profil_callcount_vacate(const void *memory, size_t bytes);

/* All functions begin at 0, in new cells. */
void profil_callcount_forget(void);

/*
 * All counts, in *cells, which the caller frees, by ascending address. Return: 0 or -errno.
 */
int profil_callcount_collect(struct profil_callcount_cell **cells, size_t *nr);

/* Calls that were not counted, as there was no memory for a cell. */
unsigned long profil_callcount_missed(void);

/*
 * A call of the function that holds @pc. It takes no lock and waits for nothing, so threads
 * and signal handlers may come together here. It changes no register but those that hold
 * integers, and not errno.
 */
void profil_callcount(uintptr_t pc) __attribute__((visibility("hidden")));

#endif /* PROFIL_CALLCOUNT_H */
