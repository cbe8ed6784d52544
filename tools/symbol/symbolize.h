/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every count of a result with the function that it belongs to: what the report and all
 * exports are made of.
 */
#ifndef PROFIL_SYMBOLIZE_H
#define PROFIL_SYMBOLIZE_H

#include <stddef.h>
#include <stdint.h>

#include "result/result.h"
#include "symbol/symbols.h"

/**
 * symbolize_demangle_fn - how to make the name of a symbol readable
 * @name: as the file has it
 *
 * Return: a name to be given to free(); NULL: it is readable, or there is no memory.
 */
typedef char *symbolize_demangle_fn(const char *name);

/**
 * struct symbolized_function - a function with samples
 * @object:  index in result->objects
 * @start:   link-time address of its first instruction
 * @symbol:  its name as the file has it; NULL: none
 * @name:    for people: demangled; its address where it has none
 * @samples: at least 1
 * @counts:  indexes in the object's counts of those that belong to it, ascending
 * @nr_counts: number of them
 */
struct symbolized_function {
	size_t object;
	uint64_t start;
	char *symbol;
	char *name;
	uint64_t samples;
	const size_t *counts;
	size_t nr_counts;
};

/**
 * struct symbolized - a result by functions
 * @result:       that it was made of
 * @functions:    sorted by object, start and name
 * @nr_functions: number of them
 * @counts:       what the functions' counts point into
 * @find_line:    of an address; NULL, as symbolize_result() leaves it: none are known
 * @symbols:      first argument of @find_line
 */
struct symbolized {
	const struct result *result;
	struct symbolized_function *functions;
	size_t nr_functions;
	size_t *counts;
	symbols_line_fn *find_line;
	void *symbols;
};

/**
 * symbolize_count - the function that a count belongs to
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
int symbolize_count(const struct result *result, size_t object, uint64_t *address,
		     symbols_find_fn *find, void *symbols, struct function *function);

/**
 * symbolize_result - find the function of each count
 * @symbolized: filled in; to be released by symbolized_release(), whatever is returned
 * @result:      has no problem (result_problem()); must outlive the symbolized
 * @find:        for the functions; an error is passed on
 * @symbols:     first argument of @find
 * @demangle:    for their names; NULL: they are shown as they are
 *
 * A count that belongs to no function (symbolize_count()) is one of its own, without a
 * name. All of what is no file ("[vdso]") is one function with its name.
 *
 * Return: 0 or -errno.
 */
int symbolize_result(struct symbolized *symbolized, const struct result *result,
		     symbols_find_fn *find, void *symbols,
		     symbolize_demangle_fn *demangle);

/**
 * symbolized_by_samples - the functions in the order of a flat profile
 * @symbolized: in question
 *
 * Return: all indexes in symbolized->functions, most samples first, to be given to
 * free(); NULL: no memory.
 */
size_t *symbolized_by_samples(const struct symbolized *symbolized);

/**
 * symbolized_line - the line of source that a count belongs to
 * @symbolized: in question
 * @function:    index in its functions
 * @count:       index in the counts of the function
 * @line:        filled in if there is one
 *
 * It is the line at the address where the function was found.
 *
 * Return: 1; 0: there is none; or an error of @symbolized->find_line.
 */
int symbolized_line(const struct symbolized *symbolized, size_t function, size_t count,
		     struct source_line *line);

/**
 * symbolized_start_line - the line of source that a function begins with
 * @symbolized: in question
 * @function:    index in its functions
 * @line:        filled in if there is one
 *
 * Return: 1; 0: there is none; or an error of @symbolized->find_line.
 */
int symbolized_start_line(const struct symbolized *symbolized, size_t function,
			   struct source_line *line);

/**
 * symbolized_release - give back what symbolize_result() took
 * @symbolized: may have been released already
 */
void symbolized_release(struct symbolized *symbolized);

#endif /* PROFIL_SYMBOLIZE_H */
