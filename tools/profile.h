/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flat profile: the samples of a result added up by function. Every sample is in one
 * of its rows.
 */
#ifndef PROFIL_PROFILE_H
#define PROFIL_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "result.h"
#include "symbols.h"

/**
 * struct profile_row - a function
 * @function:   its name, or its link-time address where it has none
 * @object:     file name of its object, with the directory if another object of
 *              the result has the same; "-" for none
 * @address:    link-time address of its start
 * @samples:    at least 1
 * @percent100: share in hundredths of a percent
 */
struct profile_row {
	char *function;
	const char *object;
	uint64_t address;
	uint64_t samples;
	unsigned int percent100;
};

/**
 * struct profile - all functions with samples
 * @rows:    most samples first, then by name
 * @nr_rows: number of them
 * @samples: sum over all rows
 */
struct profile {
	struct profile_row *rows;
	size_t nr_rows;
	uint64_t samples;
};

/**
 * profile_find_fn - how to find the function at an address
 *
 * symbols_find(), or a stand-in for it.
 */
typedef int profile_find_fn(void *symbols, size_t object, uint64_t address,
			    struct function *function);

/**
 * profile_make - add the samples up
 * @profile: filled in; to be released by profile_release(), whatever is
 *           returned
 * @result:  must outlive the profile
 * @find:    for the functions; an error is passed on
 * @symbols: first argument of @find
 *
 * A count belongs to the function at the first address that it stands for, or if
 * there is none, to that at the last; with neither, it is a row of its own. All of an
 * object that is no file, as the vdso, is one row.
 *
 * The percentages are rounded so that their sum is 100: as the largest fraction
 * goes up first, none is off by 0.01 or more.
 *
 * Return: 0 or -errno.
 */
int profile_make(struct profile *profile, const struct result *result,
		 profile_find_fn *find, void *symbols);

/**
 * profile_release - give back what profile_make() took
 * @profile: may have been released already
 */
void profile_release(struct profile *profile);

#endif /* PROFIL_PROFILE_H */
