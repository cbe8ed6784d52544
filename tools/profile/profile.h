/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flat profile: the samples of a result by function, line or object. Each sample belongs to
 * exactly one row.
 */
#ifndef PROFIL_PROFILE_H
#define PROFIL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/calls.h"
#include "result/result.h"
#include "symbol/symbolize.h"
#include "symbol/symbols.h"

/**
 * struct profile_row - a function, a line or an object
 * @function:   its name, its link-time address if it has no name, or SYMBOLIZE_REST
 * @has_name:   @function is a name
 * @is_rest:    the row is for all code of the object that is in no known function
 * @is_symbol:  it is from a file, and may be mangled
 * @number:     index of the function in symbolized->functions; SIZE_MAX: none
 * @index:      index of its object in result->objects; SIZE_MAX: none
 * @object:     file name of its object, or the path if another object has the same file name;
 *              "-": none
 * @address:    link-time address of its start
 * @samples:    at least 1, unless the function is only in the stacks of others
 * @system:     how many of these are in the kernel
 * @percent100: share in hundredths of a percent
 * @total:      samples in stacks with the function, each once; profile_add_totals() sets it
 * @depth:      in a tree, how many rows it is below
 * @caller:     who has called the function for these samples; NULL: all
 */
struct profile_row {
	char *function;
	bool has_name;
	bool is_rest;
	bool is_symbol;
	size_t number;
	size_t index;
	const char *object;
	uint64_t address;
	uint64_t samples;
	uint64_t system;
	unsigned int percent100;
	uint64_t total;
	unsigned int depth;
	char *caller;
};

/* All functions, lines or objects with samples */
struct profile {
	struct profile_row *rows;	/* most samples first, then by name */
	size_t nr_rows;
	uint64_t samples;		/* sum over all rows */
	bool has_totals;		/* rows have @total */
};

/**
 * profile_make - add up the samples by function or line
 * @profile: filled in; must be released with profile_release(), even on error
 * @result:  the result; must outlive the profile
 * @find:    finds the functions, with lines_find() the lines, or with addresses_find() the
 *           addresses; its errors are returned
 * @symbols: first argument of @find
 *
 * Counts are assigned to functions by symbolize_result().
 *
 * Each percentage is rounded to the nearest, so none is off by more than 0.005.
 *
 * Return: 0 or -errno.
 */
int profile_make(struct profile *profile, const struct result *result,
		 symbols_find_fn *find, void *symbols);

/* Make the profile of a result whose functions are known, and outlive it. Return: 0 or -ENOMEM. */
int profile_of(struct profile *profile, const struct symbolized *symbolized);

/*
 * Add up the samples by object, as profile_make(); @function of each row is the object's path.
 * Return: 0 or -ENOMEM.
 */
int profile_make_objects(struct profile *profile, const struct result *result);

/*
 * Add the samples of stacks to the rows of functions, and rows for functions that are only callers.
 * @calls: of the same result, with names as they are in the files. Return: 0 or -ENOMEM.
 */
int profile_add_totals(struct profile *profile, const struct calls *calls);

/* Make a profile of the sums of callers or callees (calls.h). Return: 0 or -ENOMEM. */
int profile_of_calls(struct profile *profile, const struct calls *calls,
		     const struct calls_sum *sums);

/*
 * Make the profile of those who call a function, or are called by it. Return: 0; -ENOENT: no stack
 * has it; or -errno.
 */
int profile_make_neighbours(struct profile *profile, const struct result *result,
			    symbols_find_fn *find, void *symbols, const char *name, bool callees);

/* Demangle the names of C++, Rust and D functions, and sort the profile by samples again. */
void profile_demangle(struct profile *profile);

/* What the rows are sorted by. Ties are broken by the other keys. */
enum profile_order {
	PROFILE_BY_SAMPLES,	/* most samples first */
	PROFILE_BY_NAME,
	PROFILE_BY_OBJECT,
	PROFILE_BY_ADDRESS,	/* by object, and within an object by address */
	PROFILE_BY_TOTAL,	/* most samples in stacks first */
};

/* Sort the rows. */
void profile_sort(struct profile *profile, enum profile_order order);

/* Free the rows of a profile. */
void profile_release(struct profile *profile);

#endif /* PROFIL_PROFILE_H */
