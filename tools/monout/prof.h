/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mon.out files by function, like prof(1): samples and calls. The samples of all rows are those of
 * the files.
 */
#ifndef PROFIL_PROF_H
#define PROFIL_PROF_H

#include "monout/monout.h"
#include "profile/profile.h"
#include "symbol/symbolize.h"
#include "symbol/symbols.h"

/* Name of the row for all pcs outside functions */
#define PROF_NOWHERE	"(in no function)"

/* A function, mostly with samples or calls */
struct prof_row {
	char *name;	/* its demangled name, its address if it has no name, or PROF_NOWHERE */
	bool is_function;	/* this is not the row PROF_NOWHERE */
	uint64_t address;	/* link-time address of its start; 0 for PROF_NOWHERE */
	double samples;	/* number of its samples, with fractions if counters are divided */
	uint64_t calls;	/* number of its calls; 0: calls were not counted */
};

/* The rows of mon.out files */
struct prof {
	struct prof_row *rows;	/* most samples first, then most calls */
	size_t nr_rows;
	double samples;		/* sum over all rows */
};

/**
 * struct prof_functions - the functions that samples and calls belong to
 * @find:        finds the functions of object 0; its errors are returned
 * @find_called: the same for calls, which are left out if it finds none; NULL: @find, and calls of
 *               no function are in the row PROF_NOWHERE
 * @symbols:     first argument of both
 * @demangle:    demangles their names; NULL: the names stay as they are
 * @divide:      the samples of a counter are divided among the functions of the text that it
 *               covers, by bytes. If @find finds none, it sets function->end to the start of the
 *               next one. Otherwise they belong to the function at its first pc, or if there is
 *               none, to the function at its last pc
 * @always:      functions that have a row in any case
 */
struct prof_functions {
	symbols_find_fn *find;
	symbols_find_fn *find_called;
	void *symbols;
	symbolize_demangle_fn *demangle;
	bool divide;
	const struct function *always;
	size_t nr_always;
};

/**
 * prof_make - find the functions of all samples and calls
 * @prof:      filled in; must be released with prof_release(), even on error
 * @files:     the files, whose samples and calls are added up
 *
 * The memory used grows with the number of functions, not of counters.
 *
 * Return: 0 or -errno.
 */
int prof_make(struct prof *prof, const struct monout *files, size_t nr_files,
	      const struct prof_functions *functions);

/*
 * Sort rows; equal ones by samples, then by calls. PROFILE_BY_OBJECT sorts by samples, because
 * there is one object only.
 */
void prof_sort(struct prof_row *rows, size_t nr, enum profile_order order);

/* Sort rows: most calls first; equal rows are sorted by samples. */
void prof_sort_by_calls(struct prof_row *rows, size_t nr);

/* Free the rows. */
void prof_release(struct prof *prof);

#endif /* PROFIL_PROF_H */
