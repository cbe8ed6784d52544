/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mon.out file by function, like prof(1): samples and calls. Each sample and call belongs to
 * exactly one row.
 */
#ifndef PROFIL_PROF_H
#define PROFIL_PROF_H

#include "monout/monout.h"
#include "profile/profile.h"
#include "symbol/symbolize.h"
#include "symbol/symbols.h"

/* Name of the row for all pcs outside functions */
#define PROF_NOWHERE	"(in no function)"

/**
 * struct prof_row - a function with samples or calls
 * @name:    its demangled name, its address if it has no name, or PROF_NOWHERE
 * @is_function: this is not the row PROF_NOWHERE
 * @address: link-time address of its start; 0 for PROF_NOWHERE
 * @samples: number of its samples
 * @calls:   number of its calls; 0: calls were not counted
 */
struct prof_row {
	char *name;
	bool is_function;
	uint64_t address;
	uint64_t samples;
	uint64_t calls;
};

/**
 * struct prof - all functions with samples or calls
 * @rows:    most samples first, then most calls
 * @nr_rows: number of rows
 * @samples: sum over all rows
 */
struct prof {
	struct prof_row *rows;
	size_t nr_rows;
	uint64_t samples;
};

/**
 * prof_make - find the functions of all samples and calls
 * @prof:     filled in; must be released with prof_release(), even on error
 * @monout:   the file
 * @find:     finds the functions of object 0; its errors are returned
 * @symbols:  first argument of @find
 * @demangle: demangles their names; NULL: the names stay mangled
 *
 * The samples of a counter belong to the function at its first pc, or if there is none, to the
 * function at its last pc. The memory used grows with the number of functions, not of counters.
 *
 * Return: 0 or -errno.
 */
int prof_make(struct prof *prof, const struct monout *monout, symbols_find_fn *find,
	      void *symbols, symbolize_demangle_fn *demangle);

/**
 * prof_sort - sort rows
 * @rows:  the rows
 * @nr:    number of rows
 * @order: what to sort by; equal rows are sorted by samples, then by calls
 *
 * PROFILE_BY_OBJECT sorts by samples, because there is one object only.
 */
void prof_sort(struct prof_row *rows, size_t nr, enum profile_order order);

/**
 * prof_release - free the rows
 * @prof: set to zero; may be zero already
 */
void prof_release(struct prof *prof);

#endif /* PROFIL_PROF_H */
