/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every count of a result with the function that it belongs to: what the report and all
 * exports are made of.
 */
#ifndef PROFIL_ATTRIBUTION_H
#define PROFIL_ATTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "result.h"
#include "symbols.h"

/**
 * attribution_demangle_fn - how to make the name of a symbol readable
 * @name: as the file has it
 *
 * Return: a name to be given to free(); NULL: it is readable, or there is no memory.
 */
typedef char *attribution_demangle_fn(const char *name);

/**
 * struct attribution_function - a function with samples
 * @object:  index in result->objects
 * @start:   link-time address of its first instruction
 * @symbol:  its name as the file has it; NULL: none
 * @name:    for people: demangled; its address where it has none
 * @samples: at least 1
 * @counts:  indexes in the object's counts of those that belong to it, ascending
 * @nr_counts: number of them
 */
struct attribution_function {
	size_t object;
	uint64_t start;
	char *symbol;
	char *name;
	uint64_t samples;
	const size_t *counts;
	size_t nr_counts;
};

/**
 * struct attribution - a result by functions
 * @result:       that it was made of
 * @functions:    sorted by object, start and name
 * @nr_functions: number of them
 * @counts:       what the functions' counts point into
 * @find_line:    of an address; NULL, as attribution_make() leaves it: none are known
 * @symbols:      first argument of @find_line
 */
struct attribution {
	const struct result *result;
	struct attribution_function *functions;
	size_t nr_functions;
	size_t *counts;
	symbols_line_fn *find_line;
	void *symbols;
};

/**
 * attribution_find - the function that a count belongs to
 * @result:   has no problem (result_problem())
 * @object:   index in it, of a file
 * @address:  of the count; where the function was found, afterwards
 * @find:     for the function
 * @symbols:  first argument of @find
 * @function: filled in if there is one
 *
 * It is the function at the first address that the count stands for; or if there is
 * none, that at the last.
 *
 * Return: 1; 0: there is none; or an error of @find.
 */
int attribution_find(const struct result *result, size_t object, uint64_t *address,
		     symbols_find_fn *find, void *symbols, struct function *function);

/**
 * attribution_make - find the function of each count
 * @attribution: filled in; to be released by attribution_release(), whatever is returned
 * @result:      has no problem (result_problem()); must outlive the attribution
 * @find:        for the functions; an error is passed on
 * @symbols:     first argument of @find
 * @demangle:    for their names; NULL: they are shown as they are
 *
 * A count that belongs to no function (attribution_find()) is one of its own, without a
 * name. All of what is no file ("[vdso]") is one function with its name.
 *
 * Return: 0 or -errno.
 */
int attribution_make(struct attribution *attribution, const struct result *result,
		     symbols_find_fn *find, void *symbols,
		     attribution_demangle_fn *demangle);

/**
 * attribution_by_samples - the functions in the order of a flat profile
 * @attribution: in question
 *
 * Return: all indexes in attribution->functions, most samples first, to be given to
 * free(); NULL: no memory.
 */
size_t *attribution_by_samples(const struct attribution *attribution);

/**
 * attribution_line - the line of source that a count belongs to
 * @attribution: in question
 * @function:    index in its functions
 * @count:       index in the counts of the function
 * @line:        filled in if there is one
 *
 * It is the line at the address where the function was found.
 *
 * Return: 1; 0: there is none; or an error of @attribution->find_line.
 */
int attribution_line(const struct attribution *attribution, size_t function, size_t count,
		     struct source_line *line);

/**
 * attribution_start_line - the line of source that a function begins with
 * @attribution: in question
 * @function:    index in its functions
 * @line:        filled in if there is one
 *
 * Return: 1; 0: there is none; or an error of @attribution->find_line.
 */
int attribution_start_line(const struct attribution *attribution, size_t function,
			   struct source_line *line);

/**
 * attribution_release - give back what attribution_make() took
 * @attribution: may have been released already
 */
void attribution_release(struct attribution *attribution);

#endif /* PROFIL_ATTRIBUTION_H */
