/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assigns the counts of a result to functions. Profiles and all exports are made from this.
 */
#ifndef PROFIL_SYMBOLIZE_H
#define PROFIL_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/result.h"
#include "symbol/symbols.h"

/*
 * Demangle the name of a symbol. Return: the demangled name, to be freed with free(); NULL: the
 * name is not mangled, or no memory.
 */
typedef char *symbolize_demangle_fn(const char *name);

#define SYMBOLIZE_REST	"(no symbols)"

/**
 * struct symbolized_function - a function with samples
 * @object:    index in result->objects
 * @start:     link-time address of its first instruction
 * @symbol:    its name as in the file; NULL: none
 * @name:      its demangled name; its address if it has no name; or SYMBOLIZE_REST
 * @is_rest:   this is no function, but all counts of the object that are in no known function;
 *             @start is the lowest of their addresses
 * @samples:   number of its samples, at least 1
 * @system:    how many of these are in the kernel
 * @counts:    indexes of its counts in the object's counts, ascending
 */
struct symbolized_function {
	size_t object;
	uint64_t start;
	char *symbol;
	char *name;
	bool is_rest;
	uint64_t samples;
	uint64_t system;
	const size_t *counts;
	size_t nr_counts;
};

/**
 * struct symbolized - a result by function
 * @functions:    all functions with samples, sorted by object, start and name
 * @counts:       memory of the functions' @counts
 * @find:         as given to symbolize_result(), with its argument @find_data
 * @find_line:    finds the source line of an address; set to NULL by symbolize_result(): no
 *                lines are known
 * @find_frames:  finds the functions that are inlined at an address, as @find_line
 * @symbols:      first argument of @find_line and @find_frames
 * @demangle:     as given to symbolize_result()
 * @files:        the symbols, for a format with instructions and source text; set to NULL by
 *                symbolize_result(): no files are read
 * @root:         root directory for the paths of sources; NULL: /
 * @old:          the result that it is compared with; set to NULL by symbolize_result(): none
 */
struct symbolized {
	const struct result *result;
	struct symbolized_function *functions;
	size_t nr_functions;
	size_t *counts;
	symbols_find_fn *find;
	void *find_data;
	symbols_line_fn *find_line;
	symbols_frames_fn *find_frames;
	void *symbols;
	symbolize_demangle_fn *demangle;
	struct symbols *files;
	const char *root;
	const struct symbolized *old;
};

/**
 * symbolize_result - find the functions of all counts
 * @symbolized: filled in; must be released with symbolized_release(), even on error
 * @result:     passes result_problem(); must outlive @symbolized
 * @find:       finds the functions; its errors are returned
 * @symbols:    first argument of @find
 * @demangle:   demangles their names; NULL: the names stay mangled
 *
 * The counts of an object that are in no function become one (@is_rest): they
 * are of few functions, but nothing tells which are of the same.
 * Counts of an object that is not a file ("[vdso]") become the functions that the result has names
 * for, which are not demangled. All others of that object become one function with its name.
 *
 * Return: 0 or -errno.
 */
int symbolize_result(struct symbolized *symbolized, const struct result *result,
		     symbols_find_fn *find, void *symbols,
		     symbolize_demangle_fn *demangle);

/*
 * Sort the functions like a flat profile. Return: all indexes in @symbolized->functions, most
 * samples first, to be freed with free(); NULL: no memory.
 */
size_t *symbolized_by_samples(const struct symbolized *symbolized);

/**
 * symbolized_line - find the source line of a count
 * @count:      index in the function's counts
 *
 * Return: 1; 0: no line; or an error of @symbolized->find_line.
 */
int symbolized_line(const struct symbolized *symbolized, size_t function, size_t count,
		    struct source_line *line);

/**
 * symbolized_frames - find the functions at a count, with those that were inlined there
 * @count:      index in the function's counts
 * @frames:     as for symbols_frames(); the last one is the function
 *
 * Return: 1; 0: none are known; or an error of @symbolized->find_frames.
 */
int symbolized_frames(const struct symbolized *symbolized, size_t function, size_t count,
		      struct source_frame *frames, size_t *nr);

/**
 * symbolized_start_line - find the source line where a function starts
 * @line:       filled in if there is one; never for @is_rest
 *
 * Return: 1; 0: no line; or an error of @symbolized->find_line.
 */
int symbolized_start_line(const struct symbolized *symbolized, size_t function,
			  struct source_line *line);

/* Free the functions. */
void symbolized_release(struct symbolized *symbolized);

#endif /* PROFIL_SYMBOLIZE_H */
