/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two profiles side by side, by function.
 */
#ifndef PROFIL_COMPARISON_H
#define PROFIL_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "confidence.h"
#include "profile.h"
#include "result.h"

/**
 * struct comparison_row - a function in two profiles
 * @function:      its name
 * @object:        file name of its object, without directory
 * @old_samples:   in the old profile; 0: it is not in it
 * @new_samples:   in the new one; 0: it is not in it
 * @old:           the old CPU time in seconds, or share from 0 to 1
 * @new:           the new one
 * @change:        the new one less the old one
 * @interval:      where the true change is
 * @is_real:       more than the chance of sampling. Two runs of the same program may
 *                 really differ, too
 */
struct comparison_row {
	const char *function;
	const char *object;
	uint64_t old_samples;
	uint64_t new_samples;
	double old;
	double new;
	double change;
	struct interval interval;
	bool is_real;
};

/**
 * struct comparison - all functions of two profiles
 * @rows:    the greatest change first
 * @nr_rows: number of them
 */
struct comparison {
	struct comparison_row *rows;
	size_t nr_rows;
};

/* What is compared */
enum comparison_of {
	COMPARISON_OF_SECONDS,	/* of runs that did the same work */
	COMPARISON_OF_SHARES,	/* where one did more: of all that it did */
};

/**
 * struct comparison_side - one of the two
 * @result:  of the run
 * @profile: by function; has to outlive the comparison
 */
struct comparison_side {
	const struct result *result;
	const struct profile *profile;
};

/**
 * comparison_make - compare two profiles
 * @comparison: filled in; to be released by comparison_release(), whatever is returned
 * @old:        one
 * @new:        the other
 * @of:         what is compared
 *
 * A share changes when another function's time does; a CPU time does not.
 *
 * Functions are the same if their names and the file names of their objects are: a
 * program is compared with a newer build of it in another directory. Those that have
 * only addresses are, if their objects have the same build-id; else those of an object
 * are taken together.
 *
 * Return: 0 or -ENOMEM.
 */
int comparison_make(struct comparison *comparison, const struct comparison_side *old,
		    const struct comparison_side *new, enum comparison_of of);

/**
 * comparison_release - give back what comparison_make() took
 * @comparison: zero afterwards
 */
void comparison_release(struct comparison *comparison);

#endif /* PROFIL_COMPARISON_H */
