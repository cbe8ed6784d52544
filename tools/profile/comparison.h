/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_COMPARISON_H
#define PROFIL_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/confidence.h"
#include "profile/profile.h"
#include "result/result.h"

/**
 * struct comparison_row - a function in two profiles
 * @function:    name of the function
 * @original:    the name without what compilers append to those of copies; owned
 * @object:      file name of its object, without the directory; that in the new profile if it is
 *               there
 * @samples:     samples in each run, the old ones first
 * @old_samples: samples in all old runs, or 0
 * @new_samples: samples in all new runs, or 0
 * @is_nameless: code without a name
 * @is_alone:    all code of an object without a counterpart
 * @part:        one of its parts, an index in struct comparison
 * @old:         CPU time in seconds, or share from 0 to 1, in an old run on average
 * @new:         the same in a new run
 * @change:      @new minus @old
 * @interval:    95 % confidence interval of the change
 * @is_significant: neither chance nor missing names explain the change. With one run a side, chance
 *               is sampling error: two runs of the same program may differ by more
 */
struct comparison_row {
	const char *function;
	char *original;
	const char *object;
	uint64_t *samples;
	uint64_t old_samples;
	uint64_t new_samples;
	bool is_nameless;
	bool is_alone;
	size_t part;
	double old;
	double new;
	double change;
	struct interval interval;
	bool is_significant;
};

/* What is compared */
enum comparison_of {
	COMPARISON_OF_SECONDS,	/* CPU time: for runs that did the same work */
	COMPARISON_OF_SHARES,	/* share of the run's CPU time: for runs of different work */
};

/**
 * struct comparison_part - a row of one of the profiles, which is a part of a row of the comparison
 * @next: the next part of that row; the last one leads to the first one
 */
struct comparison_part {
	const struct profile_row *row;
	bool is_new;
	size_t next;
};

/**
 * struct comparison - the functions of two builds
 * @all:     all functions together; as shares, they have not changed
 * @rows:    a row for each function, the largest change first
 * @parts:   the rows of the profiles, the old ones first
 * @old:     the old result, of several the first
 * @counterparts: for each object of it, the file name of its counterpart in the first new result;
 *           NULL: none
 * @nr_old, @nr_runs: number of old runs, and of all
 * @is_periodic: a clock samples at even intervals, with which a program may be in step
 */
struct comparison {
	enum comparison_of of;
	struct comparison_row all;
	struct comparison_row *rows;
	size_t nr_rows;
	struct comparison_part *parts;
	const struct result *old;
	const char **counterparts;
	size_t nr_old;
	size_t nr_runs;
	bool is_periodic;
};

/* One of the two sides: a run, and perhaps others */
struct comparison_side {
	const struct result *result;
	const struct profile *profile;	/* its profile by function; must outlive the comparison */
	const struct comparison_side *more;	/* the other runs of this side */
	size_t nr_more;
};

/* A run of a side: 0 to @nr_more. */
static inline const struct comparison_side *comparison_run(const struct comparison_side *side,
							   size_t i)
{
	return i ? &side->more[i - 1] : side;
}

/**
 * comparison_make - compare profiles of two builds, of one or several runs each
 * @comparison: filled in; must be released with comparison_release(), even on error
 *
 * A function's share, unlike its CPU time, also changes when other functions change.
 *
 * Functions with the same name in objects that are counterparts (counterparts.h) are the same, so
 * that a program can be compared with a newer build in another directory. So are copies and parts
 * of a function that compilers made, unless both builds have the same ones, and functions that the
 * linker of one build has folded. Functions that have only an address are the same if their objects
 * also have the same build-id. Where the build-ids differ, all such functions of an object become
 * one row. Code in no known function is one row of the object in any case, and so is all code of an
 * object without a counterpart.
 *
 * Return: 0 or -ENOMEM.
 */
int comparison_make(struct comparison *comparison, const struct comparison_side *old,
		    const struct comparison_side *new, enum comparison_of of);

/* Return: the file name of an old object whose counterpart has another one; NULL: it has not. */
const char *comparison_renamed(const struct comparison *comparison, size_t object);

/*
 * Whether a row adds up functions of one profile that have different names, perhaps with suffixes
 * of the compiler.
 */
bool comparison_is_sum(const struct comparison *comparison, const struct comparison_row *row);

/* A change in percent of all CPU time of the old profile. */
double comparison_percent(const struct comparison *comparison, double change);

/*
 * Whether a row of the comparison, or its @all, takes more CPU time than before, for certain: the
 * change is significant, and even the lower end of its interval is above what is permitted, in
 * percent as by comparison_percent().
 */
bool comparison_is_worse(const struct comparison *comparison, const struct comparison_row *row,
			 double percent);

/* Free a comparison. */
void comparison_release(struct comparison *comparison);

#endif /* PROFIL_COMPARISON_H */
