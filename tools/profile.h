/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flat profile: the samples of a result added up by function. Every sample is in one
 * of its rows.
 */
#ifndef PROFIL_PROFILE_H
#define PROFIL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result.h"
#include "symbols.h"

/**
 * struct profile_row - a function, or an object
 * @function:   its name, or its link-time address where it has none
 * @has_name:   which of the two
 * @index:      of its object in result->objects; SIZE_MAX: it has none
 * @object:     file name of its object, with the directory if another object of
 *              the result has the same; "-" for none
 * @address:    link-time address of its start
 * @samples:    at least 1
 * @percent100: share in hundredths of a percent
 */
struct profile_row {
	char *function;
	bool has_name;
	size_t index;
	const char *object;
	uint64_t address;
	uint64_t samples;
	unsigned int percent100;
};

/**
 * struct profile - all functions, or objects, with samples
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
 * profile_make - add the samples up
 * @profile: filled in; to be released by profile_release(), whatever is
 *           returned
 * @result:  must outlive the profile
 * @find:    for the functions; an error is passed on
 * @symbols: first argument of @find
 *
 * Functions are those of attribution_make().
 *
 * The percentages are rounded so that their sum is 100: as the largest fraction
 * goes up first, none is off by 0.01 or more.
 *
 * Return: 0 or -errno.
 */
int profile_make(struct profile *profile, const struct result *result,
		 symbols_find_fn *find, void *symbols);

/**
 * profile_make_objects - add the samples up by object
 * @profile: as for profile_make(); rows have the objects' paths for functions
 * @result:  must outlive the profile
 *
 * Return: 0 or -ENOMEM.
 */
int profile_make_objects(struct profile *profile, const struct result *result);

/**
 * profile_demangle - give functions the names that programmers gave them
 * @profile: sorted by samples afterwards
 */
void profile_demangle(struct profile *profile);

/* What rows are sorted by; what is equal, by the others */
enum profile_order {
	PROFILE_BY_SAMPLES,	/* most first, as they are made */
	PROFILE_BY_NAME,
	PROFILE_BY_OBJECT,	/* and in it by samples */
	PROFILE_BY_ADDRESS,	/* in each object */
};

/**
 * profile_sort - sort the rows
 * @profile: in question
 * @order:   by what
 */
void profile_sort(struct profile *profile, enum profile_order order);

/**
 * profile_release - give back what profile_make() took
 * @profile: may have been released already
 */
void profile_release(struct profile *profile);

#endif /* PROFIL_PROFILE_H */
