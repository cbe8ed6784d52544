/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mon.out file by function, as prof(1) shows it: samples and calls. All that is in the file
 * is in one of the rows.
 */
#ifndef PROFIL_PROF_H
#define PROFIL_PROF_H

#include "monout/monout.h"
#include "report/profile.h"
#include "symbol/symbolize.h"
#include "symbol/symbols.h"

/* What the row of all pcs is called that lie in no function */
#define PROF_NOWHERE	"(in no function)"

/**
 * struct prof_row - a function with samples or calls
 * @name:    for people: demangled; its address where it has none; or PROF_NOWHERE
 * @is_function: not PROF_NOWHERE
 * @address: link-time address of its start; 0 of PROF_NOWHERE
 * @samples: that belong to it
 * @calls:   of it; 0: none were counted
 */
struct prof_row {
	char *name;
	bool is_function;
	uint64_t address;
	uint64_t samples;
	uint64_t calls;
};

/**
 * struct prof - all of them
 * @rows:    most samples first, then most calls
 * @nr_rows: number of them
 * @samples: sum over all rows
 */
struct prof {
	struct prof_row *rows;
	size_t nr_rows;
	uint64_t samples;
};

/**
 * prof_make - find the functions of all samples and calls
 * @prof:     filled in; to be released by prof_release(), whatever is returned
 * @monout:   the file
 * @find:     for the functions of object 0; an error is passed on
 * @symbols:  first argument of @find
 * @demangle: for their names; NULL: they are shown as they are
 *
 * The samples of a counter belong to the function at its first pc; or if there is none, to
 * that at its last. Memory is taken for each function, not for each counter.
 *
 * Return: 0 or -errno.
 */
int prof_make(struct prof *prof, const struct monout *monout, symbols_find_fn *find,
	      void *symbols, symbolize_demangle_fn *demangle);

/**
 * prof_sort - sort rows
 * @rows:  in question
 * @nr:    number of them
 * @order: by what; what is equal, most samples first, then most calls
 *
 * By object is by samples, as there is one object.
 */
void prof_sort(struct prof_row *rows, size_t nr, enum profile_order order);

/**
 * prof_release - give back what prof_make() took
 * @prof: may have been released already
 */
void prof_release(struct prof *prof);

#endif /* PROFIL_PROF_H */
