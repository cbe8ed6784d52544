/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_ARCS_H
#define PROFIL_GMON_ARCS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Calls from one address to one function, which contains @to. @to is 0 if the slot is free. */
struct profil_gmon_arc {
	_Atomic(uintptr_t) from;
	_Atomic(uintptr_t) to;
	atomic_ulong calls;
};

/**
 * struct profil_gmon_arcs - the calls of an object
 * @slots:  hash table, zeroed at first
 * @nr:     number of slots, a power of 2
 */
struct profil_gmon_arcs {
	struct profil_gmon_arc *slots;
	size_t nr;
};

/* Number of slots for an object with @bytes of text. */
size_t profil_gmon_arcs_slots(size_t bytes);

/*
 * Count a call. from and to: not 0. Lock-free: threads and signal handlers may call it
 * concurrently. A call for which there is no slot is not counted.
 */
void profil_gmon_arcs_count(const struct profil_gmon_arcs *arcs, uintptr_t from, uintptr_t to);

#endif /* PROFIL_GMON_ARCS_H */
